#include "mirror/current.hpp"

#include "mirror/children.hpp"
#include "mirror/failure.hpp"
#include "mirror/own_names.hpp"
#include "vtmirror/base/utf8.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace vtmirror::mirror {
namespace {

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
  auto base = leaf_of(name);
  const auto room = longest_entry - text.size();
  if (base.size() > room) base.remove_prefix(base.size() - room);
  while (!base.empty() && !base::begins_character(base.front())) base.remove_prefix(1);
  return text.append(base);
}

/// An unused name: the same generation may be published twice (after a crash), and the directory that `current` names
/// is never changed.
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
    links.emplace_back(link_name(links.size() + 1, chain.size(), file.name), "../../" + file.name);
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
  for (const auto& [name, target] : links) text += name + " -> " + target + "\n";
  return text;
}

/// A directory that cannot be removed now is harmless, and is tried again at every switch.
void remove_links(const Tree& tree, const std::string& path) {
  const auto links = children(tree, path);
  if (!links) return;
  for (const Child& link : *links)
    if (!tree.remove(own::below(path, link.name))) return;
  static_cast<void>(tree.remove_empty_parents(path + "/.", own::directory).has_value());
}

/// Removes all but the one that `current` names. This happens before the switch, so that the next switch removes what
/// an interrupted one left.
void remove_old(const Tree& tree, std::string_view now) {
  const auto found = children(tree, own::directory);
  if (!found) return;
  for (const Child& child : *found) {
    const bool ours = child.type == Child::Type::directory && child.name.starts_with(own::current_prefix);
    if (ours && child.name != now) remove_links(tree, own::below(own::directory, child.name));
  }
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

}  // namespace

base::Result<void> switch_current(const Tree& tree, std::int64_t generation, const std::vector<core::Held>& chain) {
  auto before = tree.link_target(own::current);
  if (!before) return before.error();
  const std::string old_path = before->value_or("");
  const Links links = links_of(chain);
  if (is_of(old_path, generation) && current_text(tree) == text_of(old_path, links)) return sync_again(tree, old_path);
  remove_old(tree, leaf_of(old_path));
  auto name = free_directory(tree, generation);
  if (!name) return name.error();
  const std::string path = own::below(own::directory, *name);
  if (auto filled = fill(tree, path, links); !filled) return filled;
  if (auto removed = tree.remove(own::new_current); !removed) return removed.error();
  if (auto made = tree.make_link(path, own::new_current); !made) return made;
  if (auto switched = tree.rename(own::new_current, own::current); !switched) return switched;
  return {};
}

std::optional<std::string> current_text(const Tree& tree) {
  const auto target = tree.link_target(own::current);
  if (!target || !*target) return std::nullopt;
  const std::string& path = **target;
  if (parent_of(path) != own::directory || !leaf_of(path).starts_with(own::current_prefix)) return std::nullopt;
  if (tree.try_directory(path).error != 0) return std::nullopt;
  const auto found = children(tree, path);
  if (!found) return std::nullopt;
  Links links;
  for (const Child& child : *found) {
    const auto leads_to = tree.link_target(own::below(path, child.name));
    links.emplace_back(child.name, leads_to ? leads_to->value_or("?") : "?");
  }
  return text_of(path, links);
}

}  // namespace vtmirror::mirror
