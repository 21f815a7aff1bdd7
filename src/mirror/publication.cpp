#include "mirror/publication.hpp"

#include "mirror/children.hpp"
#include "mirror/held.hpp"
#include "mirror/manifest.hpp"
#include "mirror/own_names.hpp"
#include "mirror/sha256.hpp"
#include "mirror/text_file.hpp"
#include "mirror/tree.hpp"
#include "vtmirror/base/encoding.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/core/chain.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vtmirror::mirror {
namespace {

// `current`: a symlink to a directory of links to the chain, in load order.
// Promises that it is switched in one step, and that a reader in a directory that was replaced can finish: each link of
// a directory leads to the same bytes as long as the directory exists (`held.hpp`). All links are relative, so the
// mirror can be moved.

constexpr std::size_t longest_entry = 255;

/// Names in the directory of links, in load order, and their targets.
using Links = std::vector<std::pair<std::string, std::string>>;

/// "01-bulk.zip". The number makes equal basenames differ; a basename too long for both is shortened at its front, by
/// whole UTF-8 characters.
std::string link_name(std::size_t number, std::size_t count, std::string_view name) {
  const std::size_t width = std::max<std::size_t>(2, std::to_string(count).size());
  std::string text = std::to_string(number);
  text.insert(0, width - text.size(), '0');
  text += '-';
  auto base = base::leaf_of(name);
  const auto room = longest_entry - text.size();
  if (base.size() > room) base.remove_prefix(base.size() - room);
  while (!base.empty() && !base::begins_character(base.front())) base.remove_prefix(1);
  return text.append(base);
}

/// An unused name: the same generation may be published twice (after a crash), and readers may be in every directory of
/// links.
base::Result<std::string> free_directory(const Tree& tree, std::int64_t generation) {
  auto taken = children(tree, own::directory);
  if (!taken) return taken.error();
  const std::string first = std::string(own::current_prefix) + std::to_string(generation);
  std::string name = first;
  const auto is_taken = [&](const Child& child) { return child.name == name; };
  for (int n = 2; std::any_of(taken->begin(), taken->end(), is_taken); ++n) name = first + "-" + std::to_string(n);
  return name;
}

Links links_of(const std::vector<core::Held>& chain) {
  Links links;
  for (const auto& file : chain)
    links.emplace_back(link_name(links.size() + 1, chain.size(), file.name), link_to_public(file.name));
  return links;
}

base::Result<void> fill(const Tree& tree, const std::string& path, const Links& links) {
  auto directory = tree.make_directory(path);
  if (!directory) return directory.error();
  for (const auto& [name, target] : links) {
    if (auto made = tree.make_link(target, own::below(path, name)); !made) return made;
  }
  if (const int error = sync_directory(*directory); error != 0) return failure(error, path, "sync the directory");
  return {};
}

std::string text_of(const std::string& path, const Links& links) {
  std::string text = path + "\n";
  for (const auto& [name, target] : links) text.append(name).append(" -> ").append(target).append("\n");
  return text;
}

bool is_of(const std::string& path, std::int64_t generation) {
  const std::string first = own::below(own::directory, own::current_prefix) + std::to_string(generation);
  return path == first || path.starts_with(first + "-");
}

/// Syncs a switch that an earlier process made and may not have synced.
base::Result<void> sync_again(const Tree& tree, const std::string& path) {
  for (const std::string_view at : {std::string_view(path), own::directory, std::string_view()}) {
    auto directory = tree.directory(at);
    if (!directory) return directory.error();
    if (const int error = sync_directory(*directory); error != 0) return failure(error, at, "sync the directory");
  }
  return {};
}

/// What `current` is now, as a string that is equal for equal directories of links; empty if the program did not create
/// it, or may not read its directory: then a new one takes its place. Errors: io.
base::Result<std::optional<std::string>> current_text(const Tree& tree) {
  const std::optional<std::string> none;
  const auto target = tree.link_target(own::current);
  if (!target) return target.error();
  if (!*target) return none;
  const std::string& path = **target;
  if (parent_of(path) != own::directory || !base::leaf_of(path).starts_with(own::current_prefix)) return none;
  const int error = tree.try_directory(path).error;
  if (error == ENOENT || error == ENOTDIR || error == ELOOP || error == EACCES) return none;
  if (error != 0) return failure(error, path, "open");
  const auto found = children(tree, path, LinkTargets::read);
  if (!found) return found.error();
  Links links;
  for (const Child& child : *found)
    links.emplace_back(child.name, child.type == Child::Type::link ? child.target : "?");
  return std::optional(text_of(path, links));
}

/// Does not touch `current` if it is already correct.
base::Result<void> switch_current(const Tree& tree, std::int64_t generation, const std::vector<core::Held>& chain) {
  auto before = tree.link_target(own::current);
  if (!before) return before.error();
  const std::string old_path = before->value_or("");
  const Links links = links_of(chain);
  if (is_of(old_path, generation)) {
    const auto now = current_text(tree);
    if (now && *now == text_of(old_path, links)) return sync_again(tree, old_path);
  }
  auto name = free_directory(tree, generation);
  if (!name) return name.error();
  const std::string path = own::below(own::directory, *name);
  if (auto filled = fill(tree, path, links); !filled) return filled;
  if (auto removed = tree.remove(own::new_current); !removed) return removed.error();
  if (auto made = tree.make_link(path, own::new_current); !made) return made;
  if (auto switched = tree.rename(own::new_current, own::current); !switched) return switched;
  return {};
}

/// A string for the present state on disk. `.vtmirror/published` holds that of the last finished publication, because
/// SHA256SUMS has no place for a generation. While both are equal, no publication was interrupted and nothing was
/// changed by others.
/// Empty if there is no manifest or no `current`. Errors: io.
base::Result<std::optional<std::string>> seal_of(const Tree& tree) {
  const auto manifest = read_text(tree, own::manifest);
  if (!manifest) return manifest.error();
  const auto sums = read_text(tree, own::sums);
  if (!sums) return sums.error();
  const auto current = current_text(tree);
  if (!current) return current.error();
  if (!*manifest || !*current) return std::optional<std::string>();
  return std::optional("manifest.json " + sha256(**manifest) + "\nSHA256SUMS " + (*sums ? sha256(**sums) : "none") +
                       "\ncurrent " + **current);
}

/// Contents that are already correct are not written again, so that programs that watch the file are not woken for
/// nothing. `switch_current` makes the name durable, because it syncs the directories in any case.
base::Result<void> make_say(const Tree& tree, std::string_view path, const std::string& text) {
  const auto said = read_text(tree, path);
  if (said && *said == text) return {};
  return replace_text(tree, path, text);
}

base::Result<void> write_sums(const Tree& tree, const std::vector<core::Held>& held) {
  const std::string text = sums_text(held);
  if (!text.empty()) return make_say(tree, own::sums, text);
  if (auto removed = tree.remove(own::sums); !removed) return removed.error();
  return {};
}

}  // namespace

namespace {

/// What is in the place of `path` and cannot be replaced in one step without removing what the program did not make;
/// empty if nothing is. Errors: io.
base::Result<std::string> obstacle(const Tree& tree, std::string_view path) {
  const Opened parent = tree.try_directory(parent_of(path));
  if (parent.error == ENOENT) return std::string();
  struct stat found {};
  const std::string leaf(base::leaf_of(path));
  const int error = parent.error != 0
                        ? parent.error
                        : base::error_of(::fstatat(parent.descriptor.get(), leaf.c_str(), &found, AT_SYMLINK_NOFOLLOW));
  if (error == ENOENT) return std::string();
  if (error != 0) return failure(error, path, "look at");
  if (S_ISDIR(found.st_mode)) return std::string("it is a directory");
  if (path == own::current && !S_ISLNK(found.st_mode)) return std::string("it is not a symlink");
  return std::string();
}

}  // namespace

base::Result<std::vector<core::Cause>> write_publication(const Tree& tree, const ports::Manifest& manifest,
                                                         const std::vector<core::Held>& held) {
  std::vector<core::Cause> obstacles;
  const auto replace = [&](std::string_view path, auto write) -> base::Result<void> {
    const auto in_place = obstacle(tree, path);
    if (!in_place) return in_place.error();
    if (in_place->empty()) return write();
    obstacles.push_back(core::obstructed(std::string(path), *in_place));
    return {};
  };
  auto done = replace(own::manifest, [&] { return make_say(tree, own::manifest, manifest_text(manifest)); });
  if (!done) return done.error();
  done = replace(own::sums, [&] { return write_sums(tree, held); });
  if (!done) return done.error();
  done = replace(own::current, [&] { return switch_current(tree, manifest.edition.generation, manifest.chain.files); });
  if (!done) return done.error();
  // Written last: an interruption before that leaves a seal that does not match. There is none for texts that are not
  // ours.
  const auto seal = obstacles.empty() ? seal_of(tree) : base::Result<std::optional<std::string>>(std::nullopt);
  if (!seal) return seal.error();
  done = replace(own::published, [&] { return make_say(tree, own::published, seal->value_or("")); });
  if (!done) return done.error();
  return obstacles;
}

base::Result<std::optional<std::int64_t>> published_generation(const Tree& tree) {
  const std::optional<std::int64_t> none;
  for (const auto text : {own::published, own::manifest, own::sums})
    if (is_not_ours(tree, text)) return none;
  const auto sealed = read_text(tree, own::published);
  if (!sealed) return sealed.error();
  if (!*sealed) return none;
  const auto seal = seal_of(tree);
  if (!seal) return seal.error();
  if (*seal != **sealed) return none;
  const auto manifest = read_text(tree, own::manifest);
  if (!manifest) return manifest.error();
  return *manifest ? manifest_generation_of(**manifest) : none;
}

}  // namespace vtmirror::mirror
