// A mirror of a known service that makes generations, changes and notices as the catalogue does: what loaders are tried
// against. Everything follows from the dice.
#pragma once

#include "core/known_service.hpp"
#include "vtmirror/core/chain.hpp"
#include "vtmirror/core/history.hpp"
#include "vtmirror/core/notice.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace vtmirror::test::loading {

/// Holds copies, so that a file that is replaced upstream keeps the bytes that were downloaded.
class Mirror {
 public:
  std::map<std::string, Export> files;  ///< what each held name leads to
  std::vector<core::Held> held, lost;
  core::Calendar calendar;
  std::vector<core::Change> log;
  std::int64_t known_from = 0;  ///< the generation from which the log is known
  core::Edition edition{.session = "s1"};
  std::vector<core::ChainNews> announced;  ///< all notices of the chain so far

  void fetch(const Export& file) {
    auto copy = test::held(file.listed);
    copy.sha256 = test::edition(file.listed);
    const auto name = copy.name;
    const auto gone = std::ranges::find(lost, name, &core::Held::name);
    const bool returns = gone != lost.end() && gone->sha256 == copy.sha256;
    copy.since = returns ? gone->since : ++edition.generation;
    if (!returns) {
      is_settled_ = false;
      const bool replaces = files.contains(name);
      if (replaces) note(core::ChangeKind::superseded, name);
      note(core::ChangeKind::published, name);
    }
    drop(name);
    files[name] = file;
    held.push_back(copy);
    calendar = core::with_stock(std::move(calendar), held, lost);
  }

  void prune(const std::string& name) {
    ++edition.generation;
    is_settled_ = false;
    note(core::ChangeKind::removed, name);
    drop(name);
    files.erase(name);
    calendar = core::with_stock(std::move(calendar), held, lost);
  }

  void lose(std::size_t index) {
    lost.push_back(held[index]);
    held.erase(held.begin() + static_cast<std::ptrdiff_t>(index));
  }

  bool has_newest_bulk_of(const core::Listing& listing) const {
    const auto* const newest = newest_bulk();
    return newest == nullptr || std::ranges::any_of(listing.entries, [newest](const core::Entry& entry) {
             return entry.name == newest->name;
           });
  }

  /// Says how many were lost: none or one.
  int lose_newest_bulk() {
    const auto* const newest = newest_bulk();
    if (newest == nullptr) return 0;
    lose(static_cast<std::size_t>(newest - held.data()));
    return 1;
  }

  void list(const core::Listing& listing) {
    if (core::is_usable(listing)) calendar = core::observe(std::move(calendar), listing, held, lost);
  }

  /// What the manifest says now, in a generation of its own if it is new.
  core::Chain chain() {
    calendar = core::with_stock(std::move(calendar), held, lost);
    auto now = core::chain_of(calendar, held);
    auto content = core::content_of(now, lost);
    if (is_settled_ && content != content_ && edition.generation > 0) ++edition.generation;
    content_ = std::move(content);
    is_settled_ = true;
    return now;
  }

  /// The end of a cycle.
  void announce() {
    const auto now = chain();
    if (edition.generation == 0 || content_ == announced_) return;
    announced.push_back(*core::chain_notice(before_, now, edition, {}).chain);
    announced_ = content_;
    before_ = now.files;
  }

  std::vector<core::Change> changes_since(std::int64_t generation) const {
    if (generation > edition.generation || (0 < generation && generation < known_from))
      return {{.generation = edition.generation, .kind = core::ChangeKind::reset, .session = edition.session}};
    std::vector<core::Change> changes;
    for (const auto& change : log)
      if (change.generation > generation) changes.push_back(change);
    return changes;
  }

  /// The catalogue is lost, and is made again of what is on disk: of the days, it knows those that the manifest names;
  /// it does not know whether the chain before joins on.
  void rebuild() {
    const auto last = chain();
    edition.session = "s" + std::to_string(++sessions_);
    known_from = ++edition.generation;
    auto absent = last.absent_upstream;
    if (last.continues)
      absent.insert(absent.end(), last.continues->assumes_absent.begin(), last.continues->assumes_absent.end());
    std::ranges::sort(absent);
    absent.erase(std::unique(absent.begin(), absent.end()), absent.end());
    for (const auto& file : lost) files.erase(file.name);
    lost.clear();
    log.clear();
    calendar = core::rebuilt(std::move(absent), held, {});
    for (const auto& file : held) {
      core::Change change{.generation = known_from, .kind = core::ChangeKind::published, .name = file.name};
      log.push_back(change);
    }
    is_settled_ = false;
    announced_.clear();
    before_.clear();
  }

 private:
  const core::Held* newest_bulk() const {
    const core::Held* newest = nullptr;
    for (const auto& file : held)
      if (file.kind == core::Kind::bulk && (newest == nullptr || newest->date < file.date)) newest = &file;
    return newest;
  }
  void note(core::ChangeKind kind, const std::string& name) {
    log.push_back({.generation = edition.generation, .kind = kind, .name = name});
  }
  void drop(const std::string& name) {
    const auto same = [&](const core::Held& file) { return file.name == name; };
    std::erase_if(held, same);
    std::erase_if(lost, same);
  }

  bool is_settled_ = true;  ///< no publication has begun a generation since
  std::string content_, announced_;
  std::vector<core::Held> before_;
  int sessions_ = 1;
};

}  // namespace vtmirror::test::loading
