#include "vtmirror/wiring/catalogue_rescue.hpp"

#include "vtmirror/catalogue/rescue.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

namespace vtmirror::wiring {
namespace {

using catalogue::Access;
using catalogue::Catalogue;

/// A catalogue that was never written to is no catalogue of a mirror that was published: SQLite takes it for a new one.
bool is_emptied(const std::string& path, ports::Shelf& shelf) {
  std::error_code error;
  const bool empty = std::filesystem::is_regular_file(path, error) && std::filesystem::file_size(path, error) == 0;
  return !error && empty && shelf.generation().has_value();
}

/// A journal that was cut off or written over looks to SQLite as if its commits had never been.
std::string what_is_lost(const Catalogue& catalogue, ports::Shelf& shelf) {
  const auto published = shelf.generation();
  const auto known = catalogue.generation();
  if (!published || !known || *known == 0 || *known >= *published) return {};
  return "it knows generation " + std::to_string(*known) + ", and the mirror has published " +
         std::to_string(*published);
}

/// What is not damage and not the disk's fault lasts until somebody changes something.
base::Error as_told(const base::Error& error) {
  if (error.code != base::Errc::catalogue) return error;
  return {base::Errc::config, error.detail};
}

base::Result<RescuedCatalogue> make_anew(const std::string& path, const std::string& why, base::Time now) {
  auto moved = catalogue::move_aside(path, now);
  if (!moved) return as_told(moved.error());
  auto fresh = Catalogue::open(path, Access::read_write);
  if (!fresh) return as_told(fresh.error());
  return RescuedCatalogue{std::move(*fresh),
                          why + ". It is moved to " + *moved + ", and a new one is made from the files on disk"};
}

}  // namespace

base::Result<RescuedCatalogue> open_or_rescue(const std::string& path, ports::Shelf& shelf, base::Time now) {
  if (auto finished = catalogue::finish_move_aside(path, now); !finished) return finished.error();
  if (is_emptied(path, shelf)) return make_anew(path, "the catalogue " + path + " is empty", now);
  std::string lost;
  {
    auto opened = Catalogue::open(path, Access::read_write);
    if (!opened && opened.error().code != base::Errc::catalogue_damaged) return as_told(opened.error());
    if (!opened) return make_anew(path, "the catalogue " + opened.error().detail, now);
    lost = what_is_lost(*opened, shelf);
    if (lost.empty()) return RescuedCatalogue{std::move(*opened), ""};
  }
  return make_anew(path, "the catalogue " + path + " has lost what it knew: " + lost, now);
}

base::Result<void> move_catalogue_aside(const std::string& path, base::Time now) {
  auto moved = catalogue::move_aside(path, now);
  if (!moved) return as_told(moved.error());
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
