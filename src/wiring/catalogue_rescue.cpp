#include "vtmirror/wiring/catalogue_rescue.hpp"

#include "vtmirror/base/text.hpp"
#include "vtmirror/catalogue/rescue.hpp"
#include "vtmirror/mirror/directory.hpp"
#include "wiring/unusable.hpp"

#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

namespace vtmirror::wiring {
namespace {

using catalogue::Access;
using catalogue::Catalogue;

bool is_empty_file(const std::string& path) {
  std::error_code error;
  const bool empty = std::filesystem::is_regular_file(path, error) && std::filesystem::file_size(path, error) == 0;
  return !error && empty;
}

/// An empty file does not belong to a mirror that has published, but would be opened as a new catalogue.
base::Result<bool> is_emptied(const std::string& path, ports::Shelf& shelf) {
  if (!is_empty_file(path)) return false;
  const auto published = shelf.generation();
  if (!published) return published.error();
  return published->has_value();
}

/// Nobody notices a truncated or overwritten log of the database when it is opened: its commits are missing as if they
/// had never happened. What cannot be read now is not taken for missing: a generation would be given to two states.
base::Result<std::string> what_is_lost(const Catalogue& catalogue, ports::Shelf& shelf) {
  const auto published = shelf.generation();
  if (!published) return published.error();
  const auto known = catalogue.generation();
  if (!known) return known.error();
  if (!*published || *known == 0 || *known >= **published) return std::string();
  return "it contains generation " + std::to_string(*known) + ", but the mirror has published " +
         std::to_string(**published);
}

/// An error that is neither damage nor the disk's fault lasts until the settings or the program change.
base::Error as_lasting(const base::Error& error) {
  if (error.code != base::Errc::catalogue) return error;
  return {base::Errc::config, error.detail};
}

/// Also after a start that was cut off between the new catalogue and this.
base::Result<RescuedCatalogue> with_remains(RescuedCatalogue opened, const std::string& path, base::Time now,
                                            catalogue::Era era = catalogue::Era::present) {
  const auto damaged = catalogue::moved_aside(path);
  if (!damaged) return opened;
  const auto kept = catalogue::salvage(path, *damaged, era, now);
  if (!kept) return as_lasting(kept.error());
  if (!*kept) return opened;
  if (opened.message.empty()) opened.message = "a new catalogue is being made in place of " + *damaged;
  opened.message += "; kept of the old one: " + base::counted((*kept)->cycles, "cycle") + " of the history and " +
                    base::counted((*kept)->notices, "notice") + " to be delivered";
  return opened;
}

base::Result<RescuedCatalogue> make_anew(const std::string& path, const std::string& why, base::Time now,
                                         catalogue::Era era = catalogue::Era::present) {
  auto moved = catalogue::move_aside(path, now);
  if (!moved) return as_lasting(moved.error());
  auto fresh = Catalogue::open(path, Access::read_write);
  if (!fresh) return as_lasting(fresh.error());
  RescuedCatalogue rescued{
      std::move(*fresh), why + ". It was moved to " + *moved + ", and a new one is being made from the files on disk"};
  return with_remains(std::move(rescued), path, now, era);
}

/// A catalogue as it was found, or why it cannot be used.
struct Found {
  std::optional<Catalogue> catalogue{};
  std::string why{};
  catalogue::Era era = catalogue::Era::present;  ///< of what can still be read in it
};

base::Result<Found> examine(const std::string& path, ports::Shelf& shelf) {
  const auto emptied = is_emptied(path, shelf);
  if (!emptied) return emptied.error();
  if (*emptied) return Found{.why = "the catalogue " + path + " is empty"};
  auto opened = Catalogue::open(path, Access::read_write);
  if (!opened && opened.error().code != base::Errc::catalogue_damaged) return as_lasting(opened.error());
  if (!opened) return Found{.why = "the catalogue " + opened.error().detail};
  const auto lost = what_is_lost(*opened, shelf);
  if (!lost) return as_lasting(lost.error());
  if (!lost->empty())
    return Found{.why = "the catalogue " + path + " has lost records: " + *lost, .era = catalogue::Era::past};
  return Found{.catalogue = std::move(*opened)};
}

/// A new mirror has texts of generation 0 before its first file is published. What cannot be read counts as published.
bool has_published(const std::string& mirror, ports::Shelf& shelf) {
  const auto published = shelf.generation();
  return published && published->has_value() ? **published > 0 : was_published_in(mirror);
}

bool has_published(const std::string& mirror) {
  const auto directory = mirror::look_at_directory({.directory = mirror});
  return directory ? has_published(mirror, *directory->shelf) : was_published_in(mirror);
}

constexpr std::string_view mended_by =
    ": `vtmirror run` and `vtmirror sync` make it anew from the files on disk, and so do `verify`, `prune` and `adopt`";

base::Error is_gone(const std::string& path) {
  return {base::Errc::catalogue,
          "the mirror has published files, and its catalogue " + path + " is gone or empty" + std::string(mended_by)};
}

base::Error is_unfinished(const std::string& path) {
  return {base::Errc::catalogue, "the mirror has published files that its new catalogue " + path +
                                     " does not contain yet" + std::string(mended_by)};
}

base::Result<RescuedCatalogue> empty_catalogue(std::string message) {
  auto empty = Catalogue::open(":memory:", Access::read_write);
  if (!empty) return as_lasting(empty.error());
  return RescuedCatalogue{std::move(*empty), std::move(message)};
}

base::Result<RescuedCatalogue> empty_instead(const std::string& path, const std::string& why) {
  if (auto may = catalogue::may_move_aside(path); !may) return as_lasting(may.error());
  return empty_catalogue(why + ". A cycle would move it aside and make a new one from the files on disk");
}

}  // namespace

base::Result<RescuedCatalogue> look_at_catalogue(const std::string& path, ports::Shelf& shelf) {
  std::error_code error;
  const auto found = std::filesystem::symlink_status(path, error).type();
  if (found == std::filesystem::file_type::not_found) return empty_catalogue("");
  if (error) return base::Error{.code = base::Errc::io, .detail = path + ": " + error.message()};
  const auto emptied = is_emptied(path, shelf);
  if (!emptied) return emptied.error();
  if (*emptied) return empty_instead(path, "the catalogue " + path + " is empty");
  auto opened = Catalogue::open_copy(path);
  if (!opened && opened.error().code != base::Errc::catalogue_damaged) return as_lasting(opened.error());
  if (!opened) return empty_instead(path, "the catalogue " + opened.error().detail);
  const auto lost = what_is_lost(*opened, shelf);
  if (!lost) return as_lasting(lost.error());
  if (!lost->empty()) return empty_instead(path, "the catalogue " + path + " has lost records: " + *lost);
  return RescuedCatalogue{std::move(*opened), ""};
}

base::Result<RescuedCatalogue> open_or_rescue(const std::string& path, ports::Shelf& shelf, base::Time now) {
  if (auto finished = catalogue::finish_move_aside(path, now); !finished) return finished.error();
  auto found = examine(path, shelf);
  if (!found) return found.error();
  if (!found->catalogue) return make_anew(path, found->why, now, found->era);
  return with_remains({std::move(*found->catalogue), ""}, path, now);
}

bool was_published_in(const std::string& mirror) {
  std::error_code error;
  return std::filesystem::exists(mirror + "/manifest.json", error) ||
         std::filesystem::exists(mirror + "/.vtmirror/published", error);
}

base::Result<RescuedCatalogue> open_whole(const std::string& path, const std::string& mirror, ports::Shelf& shelf) {
  const bool is_published = has_published(mirror, shelf);
  if (is_published && catalogue::is_absent(path)) return is_gone(path);
  auto found = examine(path, shelf);
  if (!found) return found.error();
  if (!found->catalogue) return base::Error{base::Errc::catalogue_damaged, found->why};
  const auto known = found->catalogue->generation();
  if (!known) return as_lasting(known.error());
  if (is_published && *known == 0) return is_unfinished(path);
  return RescuedCatalogue{std::move(*found->catalogue), ""};
}

base::Result<std::optional<Catalogue>> open_to_read(const std::string& path, const std::string& mirror) {
  if (catalogue::is_absent(path) || is_empty_file(path)) {
    if (has_published(mirror)) return is_gone(path);
    return std::optional<Catalogue>();
  }
  auto opened = Catalogue::open(path, Access::read_only);
  if (!opened) return unreadable_catalogue(path, opened.error());
  const auto known = opened->generation();
  if (!known) return known.error();
  if (*known == 0 && has_published(mirror)) return is_unfinished(path);
  return std::optional<Catalogue>(std::move(*opened));
}

base::Result<void> move_catalogue_aside(const std::string& path, base::Time now) {
  auto moved = catalogue::move_aside(path, now);
  if (!moved) return as_lasting(moved.error());
  return {};
}

std::function<std::optional<core::Problem>()> rebuilt_problem(const std::string& path) {
  return [path]() -> std::optional<core::Problem> {
    const auto moved = catalogue::moved_aside(path);
    if (!moved) return std::nullopt;
    return core::Problem{.code = core::ProblemCode::catalogue_rebuilt, .cause = {.subject = *moved}};
  };
}

}  // namespace vtmirror::wiring
