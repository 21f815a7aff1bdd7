#include "mirror/held.hpp"

#include "mirror/children.hpp"
#include "mirror/own_names.hpp"
#include "mirror/text_file.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/core/retention.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string>
#include <vector>

namespace vtmirror::mirror {
namespace {

/// Where a link in a directory of links finds the held bytes.
constexpr char held_from_links[] = "../held";

// `.vtmirror/superseded`: a line for each thing that was superseded, its time and its path below `.vtmirror`. The links
// of a file share one time of change, so that none of theirs says since when it was superseded.

std::string line_of(const core::Superseded& each) { return base::iso8601(each.since) + ' ' + each.name + '\n'; }

/// Damaged lines are left out: what they named begins again.
base::Result<std::vector<core::Superseded>> read_superseded(const Tree& tree) {
  const auto text = read_text(tree, own::superseded);
  if (!text) return text.error();
  std::vector<core::Superseded> known;
  for (std::string_view rest = *text ? std::string_view(**text) : std::string_view(); !rest.empty();) {
    const auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const auto gap = line.find(' ');
    if (gap == std::string_view::npos) continue;
    const auto since = base::parse_time(line.substr(0, gap));
    if (since) known.push_back({std::string(line.substr(gap + 1)), *since});
  }
  return known;
}

base::Result<void> write_superseded(const Tree& tree, const std::vector<core::Superseded>& known) {
  std::string text;
  for (const auto& each : known) text += line_of(each);
  return replace_text(tree, own::superseded, text);
}

/// The directories of links, the present one among them.
base::Result<std::vector<std::string>> link_directories(const Tree& tree) {
  const auto found = children(tree, own::directory);
  if (!found) return found.error();
  std::vector<std::string> names;
  for (const Child& child : *found) {
    const bool ours = child.type == Child::Type::directory && child.name.starts_with(own::current_prefix);
    if (ours) names.push_back(child.name);
  }
  return names;
}

base::Result<void> replace_link(const Tree& tree, const std::string& path, const std::string& target) {
  if (auto removed = tree.remove(own::new_link); !removed) return removed.error();
  if (auto made = tree.make_link(target, own::new_link); !made) return made;
  return tree.rename(own::new_link, path);
}

/// Calls `visit` with the path and the target of each link in each directory of links. Ends at the first error.
template <class Visit>
base::Result<void> visit_links(const Tree& tree, Visit visit) {
  const auto directories = link_directories(tree);
  if (!directories) return directories.error();
  for (const auto& directory : *directories) {
    const auto path = own::below(own::directory, directory);
    const auto found = try_children(tree, path, LinkTargets::read);
    // Links in a directory that this process may not read are left as they are, and stop nothing else.
    const auto* failed = std::get_if<Unread>(&found);
    if (failed != nullptr && failed->number == EACCES) continue;
    if (failed != nullptr) return failed->error;
    for (const Child& link : std::get<std::vector<Child>>(found))
      if (auto visited = visit(own::below(path, link.name), link.target); !visited) return visited;
  }
  return {};
}

/// Makes links to a public file lead to its held bytes instead: readers may already be in the links' directory.
base::Result<void> redirect_links(const Tree& tree, const std::string& name, const std::string& held) {
  return visit_links(tree, [&](const std::string& at, const std::string& target) {
    if (target != link_to_public(name)) return base::Result<void>();
    return replace_link(tree, at, own::below(held_from_links, held));
  });
}

/// Restarts the 24 hours of bytes that were held before, became public again, and are superseded once more.
base::Result<void> begin_again(const Tree& tree, const std::string& held) {
  auto known = read_superseded(tree);
  if (!known) return known.error();
  const auto name = own::below("held", held);
  const auto erased = std::erase_if(*known, [&](const core::Superseded& each) { return each.name == name; });
  return erased == 0 ? base::Result<void>() : write_superseded(tree, *known);
}

base::Result<void> remove_links(const Tree& tree, const std::string& path) {
  const auto links = children(tree, path);
  if (!links) return links.error();
  for (const Child& link : *links)
    if (auto removed = tree.remove(own::below(path, link.name)); !removed) return removed.error();
  return tree.remove_empty_parents(path + "/.", own::directory);
}

/// All that is superseded now, as paths below `.vtmirror`: first the directories, then the bytes to which they lead.
base::Result<std::vector<std::string>> superseded_now(const Tree& tree) {
  const auto directories = link_directories(tree);
  if (!directories) return directories.error();
  const auto current = tree.link_target(own::current);
  if (!current) return current.error();
  std::vector<std::string> names;
  for (const auto& directory : *directories)
    if (*current != own::below(own::directory, directory)) names.push_back(directory);
  const auto held = children(tree, own::held);
  if (!held) return held.error();
  for (const Child& file : *held)
    if (file.type == Child::Type::file) names.push_back(own::below("held", file.name));
  return names;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

/// Held bytes to which a directory of links leads that is there, and not among `going`; as paths below `.vtmirror`.
base::Result<std::vector<std::string>> linked_bytes(const Tree& tree, const std::vector<std::string>& going = {}) {
  std::vector<std::string> linked;
  const auto visited = visit_links(tree, [&](const std::string& at, const std::string& target) {
    constexpr auto begin = own::directory.size() + 1;
    const auto directory = at.substr(begin, at.rfind('/') - begin);
    if (target.starts_with(held_from_links) && !contains(going, directory)) linked.push_back(target.substr(3));
    return base::Result<void>();
  });
  if (!visited) return visited.error();
  return linked;
}

base::Result<void> remove_superseded(const Tree& tree, const std::string& name) {
  const auto path = own::below(own::directory, name);
  if (name.starts_with(own::current_prefix)) return remove_links(tree, path);
  auto removed = tree.remove(path);
  return removed ? base::Result<void>() : removed.error();
}

/// The bytes are lost: a link that was made for them must not lead to the next edition of the name.
base::Result<bool> end_links(const Tree& tree, const ports::VerifiedFile& promised) {
  auto led = redirect_links(tree, promised.name, promised.sha256.empty() ? "lost" : promised.sha256);
  return led ? base::Result<bool>(true) : led.error();
}

}  // namespace

base::Result<bool> hold(const Tree& tree, const ports::VerifiedFile& promised) {
  if (promised.size == ports::no_file) return end_links(tree, promised);
  const Opened file = tree.try_open(promised.name, O_RDONLY);
  for (const int no_file : {ENOENT, ENOTDIR, ELOOP, EISDIR, ENXIO})
    if (file.error == no_file) return end_links(tree, promised);
  struct stat status {};
  const int error = file.error != 0 ? file.error : base::error_of(::fstat(file.descriptor.get(), &status));
  if (error != 0) return failure(error, promised.name, "look at");
  // Another program changed the file: no manifest names these bytes.
  if (status.st_size != promised.size) return end_links(tree, promised);
  const auto held = promised.sha256.empty() ? "inode-" + std::to_string(status.st_ino) : promised.sha256;
  if (auto made = tree.make_directory(own::held); !made) return made.error();
  if (auto again = begin_again(tree, held); !again) return again.error();
  auto named = tree.make_name(promised.name, own::below(own::held, held));
  if (!named || !*named) return named;
  if (auto led = redirect_links(tree, promised.name, held); !led) return led.error();
  return true;
}

base::Result<void> hold_verified(const Tree& tree, const std::string& path, const std::string& sha256) {
  if (sha256.empty()) return {};
  const auto held = own::below(own::held, sha256);
  const Opened before = tree.try_open(held, O_PATH);
  if (before.error == ENOENT) return {};
  const Opened now = tree.try_open(path, O_PATH);
  if (now.error != 0) return failure(now.error, path, "open");
  if (before.error == 0 && same_file(before.descriptor, now.descriptor)) return {};
  if (auto removed = tree.remove(own::new_link); !removed) return removed.error();
  const auto named = tree.make_name(path, own::new_link);
  if (!named) return named.error();
  return *named ? tree.rename(own::new_link, held) : base::Result<void>();
}

/// Removed before the list is written: a full disk must not keep them. What cannot be removed is tried again a day
/// later. A directory of links may have been superseded later than bytes to which it leads, which then go with it.
base::Result<void> release(const Tree& tree, base::Time now) {
  const auto known = read_superseded(tree);
  if (!known) return known.error();
  const auto there = superseded_now(tree);
  if (!there) return there.error();
  auto release = core::release(*known, *there, now);
  base::Result<void> all;
  std::optional<std::vector<std::string>> linked;  // by the directories that stay: they come before the bytes
  for (const auto& name : release.due) {
    const bool is_directory = name.starts_with(own::current_prefix);
    if (!is_directory && !linked) {
      auto found = linked_bytes(tree);
      if (!found) return found.error();
      linked = std::move(*found);
    }
    if (!is_directory && contains(*linked, name))
      release.kept.push_back(*std::ranges::find(*known, name, &core::Superseded::name));
    else if (auto removed = remove_superseded(tree, name); !removed && all)
      all = std::move(removed);
  }
  if (release.kept == *known) return all;
  auto written = write_superseded(tree, release.kept);
  return all ? std::move(written) : std::move(all);
}

base::Result<std::int64_t> releasable(const Tree& tree, base::Time now) {
  const auto known = read_superseded(tree);
  if (!known) return known.error();
  const auto there = superseded_now(tree);
  if (!there) return there.error();
  const auto due = core::release(*known, *there, now).due;
  const auto linked = linked_bytes(tree, due);
  if (!linked) return linked.error();
  const auto held = children(tree, own::held);
  if (!held) return held.error();
  std::int64_t bytes = 0;
  for (const Child& file : *held) {
    const auto name = own::below("held", file.name);
    if (file.names == 1 && contains(due, name) && !contains(*linked, name)) bytes += file.allocated;
  }
  return bytes;
}

}  // namespace vtmirror::mirror
