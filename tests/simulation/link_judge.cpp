#include "simulation/link_judge.hpp"

#include "vtmirror/core/retention.hpp"

#include <algorithm>

namespace vtmirror::test {

namespace {

/// Superseded directories go after a cycle, and some cycles take days.
constexpr auto longest_stay = core::held_for + std::chrono::days(5);

}  // namespace

void LinkJudge::between_steps() {
  note_directories();
  const auto current = known_.find(storage_.links.current());
  if (current != known_.end()) check_directory(current->first, current->second);
}

void LinkJudge::check_all() {
  note_directories();
  const std::pair now{storage_.links.changes(), changes_};
  if (std::exchange(looked_, now) == now) return;
  for (auto& [name, known] : known_) check_directory(name, known);
}

void LinkJudge::after_step() {
  check_all();
  check_ages();
  check_current();
}

/// What is removed or replaced meanwhile leads to held bytes for a moment; then `current` is another directory.
void LinkJudge::after_cycle() {
  const auto found = storage_.links.directories().find(storage_.links.current());
  if (found == storage_.links.directories().end()) return;
  for (const auto& link : found->second) expect(!link.is_held, "current leads to public files: ", link.name);
}

void LinkJudge::spoil(const std::string& name) {
  ++changes_;
  for (auto& [directory, known] : known_)
    for (auto& promise : known.promises) promise.spoiled = promise.spoiled || promise.file.name == name;
}

void LinkJudge::wipe() {
  known_.clear();
  is_cut_ = false;
  ++changes_;
}

void LinkJudge::clock_was_set() {
  for (auto& [name, known] : known_) known.may_go = true;
}

void LinkJudge::note_directories() {
  if (std::exchange(noted_, storage_.links.changes()) == noted_) return;
  const auto& there = storage_.links.directories();
  for (const auto& [name, links] : there)
    if (!known_.contains(name)) note_new(name, links);
  for (auto at = known_.begin(); at != known_.end();) {
    auto& known = at->second;
    const bool leads_there = storage_.links.current() == at->first;
    if (leads_there) known.left.reset();
    if (!leads_there && !known.left) known.left = observer_.now();
    if (there.contains(at->first)) {
      ++at;
      continue;
    }
    expect(known.may_go || (known.left && observer_.now() - *known.left >= core::held_for),
           "a directory of links stays for a day after it was replaced: ", at->first);
    probes_.saw(Probe::links_removed_after_their_day);
    at = known_.erase(at);
  }
}

/// It is made of the manifest that was written just before.
void LinkJudge::note_new(const std::string& name, const MemoryLinks::Directory& links) {
  auto& known = known_[name];
  const auto& chain = storage_.manifest->chain.files;
  expect(links.size() == chain.size(), "current has a link for each file of the chain");
  if (links.size() != chain.size()) return;
  for (std::size_t n = 0; n < chain.size(); ++n) {
    const auto number = std::to_string(n + 1);
    const auto expected = (n < 9 ? "0" : "") + number + '-' + std::string(base::leaf_of(chain[n].name));
    expect(links[n].name == expected, "the links of current are numbered in load order: ", links[n].name);
    known.promises.push_back({chain[n], is_spoiled_(chain[n].name)});
  }
  ++changes_;
}

void LinkJudge::check_directory(const std::string& name, Directory& known) {
  const auto found = storage_.links.directories().find(name);
  if (found == storage_.links.directories().end()) return;
  for (std::size_t n = 0; n < known.promises.size(); ++n) {
    const auto& [file, spoiled] = known.promises[n];
    const auto* bytes = storage_.bytes_of(found->second[n]);
    probes_.saw(Probe::link_to_held_bytes, found->second[n].is_held && known.left.has_value());
    expect(bytes != nullptr || spoiled, "a link leads to a file: ", file.name);
    if (bytes == nullptr) continue;
    const bool is_that_edition = std::ssize(*bytes) == file.size && MemoryStorage::digest(*bytes) == file.sha256;
    expect(is_that_edition, "no link leads to another edition's bytes: ", file.name);
    expect(spoiled || expected_.are(*bytes, file), "a link leads to the bytes for which it was made: ", file.name);
  }
}

/// Between the two halves of a switch, `current` is still that of the manifest before.
void LinkJudge::check_current() {
  if (!storage_.manifest || is_cut_) return;
  const auto current = known_.find(storage_.links.current());
  expect(current != known_.end(), "where there is a manifest, current leads to links");
  if (current == known_.end()) return;
  const auto is_same = [](const Promise& promise, const core::Held& file) {
    return promise.file.name == file.name && promise.file.sha256 == file.sha256 && promise.file.size == file.size;
  };
  expect(std::ranges::equal(current->second.promises, storage_.manifest->chain.files, is_same),
         "the links of current are the chain of the manifest");
}

void LinkJudge::check_ages() {
  for (const auto& [name, known] : known_)
    expect(!known.left || observer_.now() - std::max(*known.left, back_at_) < longest_stay,
           "superseded links go in time: ", name);
}

}  // namespace vtmirror::test
