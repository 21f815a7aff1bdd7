// `current` in memory: the directories of links that it led to, as `src/mirror/publication.cpp` and
// `src/mirror/held.cpp` make them on disk. Promises that a step of theirs is a step here, so that a reader can look
// between any two, and a process can end there. Knows names and digests, and no bytes.
#pragma once

#include "vtmirror/base/text.hpp"
#include "vtmirror/core/chain.hpp"
#include "vtmirror/core/retention.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace vtmirror::test {

class MemoryLinks {
 public:
  struct Link {
    std::string name;
    std::string target;    ///< a public name, or the key of held bytes
    bool is_held = false;  ///< which of both
    friend bool operator==(const Link&, const Link&) = default;
  };
  using Directory = std::vector<Link>;

  const std::map<std::string, Directory>& directories() const { return directories_; }
  const std::string& current() const { return current_; }  ///< a directory's name; empty if there is none
  /// Grows with each change of a link or a directory.
  int changes() const { return changes_; }

  /// The first half of a switch: a directory for that chain. Returns its name, or the present one if that is right.
  std::string make(std::int64_t generation, const std::vector<core::Held>& chain) {
    auto links = links_of(chain);
    const auto first = "current-" + std::to_string(generation);
    const bool is_of_it = current_ == first || current_.starts_with(first + '-');
    if (is_of_it && directories_.at(current_) == links) return current_;
    auto name = first;
    for (int n = 2; directories_.contains(name); ++n) name = first + '-' + std::to_string(n);
    directories_[name] = std::move(links);
    ++changes_;
    return name;
  }
  /// The second half.
  void lead_to(const std::string& name) {
    if (std::exchange(current_, name) != name) ++changes_;
  }

  /// The links to a public file, each by its directory and its number there.
  std::vector<std::pair<std::string, std::size_t>> links_to(const std::string& public_name) const {
    std::vector<std::pair<std::string, std::size_t>> found;
    for (const auto& [name, links] : directories_)
      for (std::size_t n = 0; n < links.size(); ++n)
        if (!links[n].is_held && links[n].target == public_name) found.emplace_back(name, n);
    return found;
  }
  void redirect(const std::pair<std::string, std::size_t>& link, const std::string& held) {
    auto& led = directories_.at(link.first)[link.second];
    led.target = held;
    led.is_held = true;
    ++changes_;
  }

  /// Whether a directory that is still there leads to these held bytes.
  bool leads_to_held(const std::string& key) const {
    for (const auto& [name, links] : directories_)
      for (const auto& link : links)
        if (link.is_held && link.target == key) return true;
    return false;
  }

  void release(base::Time now) {
    std::vector<std::string> there;
    for (const auto& [name, links] : directories_)
      if (name != current_) there.push_back(name);
    auto released = core::release(superseded_, there, now);
    for (const auto& name : released.due) directories_.erase(name);
    changes_ += static_cast<int>(released.due.size());
    superseded_ = std::move(released.kept);
  }

  void wipe() {
    directories_.clear();
    current_.clear();
    superseded_.clear();
    ++changes_;
  }

 private:
  static Directory links_of(const std::vector<core::Held>& chain) {
    Directory links;
    for (const auto& file : chain) links.push_back({link_name(links.size() + 1, file), file.name});
    return links;
  }

  /// "03-a.zip"
  static std::string link_name(std::size_t place, const core::Held& file) {
    const auto number = std::to_string(place);
    return (number.size() < 2 ? "0" : "") + number + '-' + std::string(base::leaf_of(file.name));
  }

  std::map<std::string, Directory> directories_;
  std::string current_;
  std::vector<core::Superseded> superseded_;
  int changes_ = 0;
};

}  // namespace vtmirror::test
