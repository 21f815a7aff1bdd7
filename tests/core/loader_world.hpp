// A service whose exports and their contents are known by construction, and a mirror of it that makes generations,
// changes and notices as the catalogue does: what loaders are tried against. Everything follows from the dice.
#pragma once

#include "support/upstream.hpp"
#include "vtmirror/core/chain.hpp"
#include "vtmirror/core/history.hpp"
#include "vtmirror/core/notice.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace vtmirror::test::loading {

/// What a table holds: for each day of tests the version of its data.
using Table = std::map<int, int>;

inline std::string edition(const core::Listed& file) { return file.name + '#' + std::to_string(file.size); }

struct Export {
  core::Listed listed;
  int number = 0;        ///< the day of its name
  Table rows;            ///< what loading it sets; a bulk file empties the table before
  int visible_from = 0;  ///< day on which it is listed first
};

/// A service whose exports and their contents are known by construction.
class Service {
 public:
  explicit Service(Random& random) : random_(random) {}

  void next_day(int today, bool with_faults) {
    today_ = today;
    faults_ = with_faults;
    truth_[today - 1] = 1;
    waiting_[today - 1] = 1;
    if (today % 7 == 0) next_bulk(today);
    if (!faulty(8)) next_delta(today);
    if (faulty(6)) replace_one();
    stale_bulk_ = faulty(4) && bulks_.size() > 1;
    double_bulk_ = faulty(4) && bulks_.size() > 1;
    empty_ = faulty(3);
    refused_.clear();
    for (const auto& each : deltas_)
      if (faulty(3)) refused_.insert(each.listed.name);
  }

  /// All that is listed today, the refused with size 0.
  std::vector<core::Listed> listing() const {
    std::vector<core::Listed> files;
    if (empty_) return files;
    if (!stale_bulk_) files.push_back(bulks_.back().listed);
    if (stale_bulk_ || double_bulk_) files.push_back(bulks_[bulks_.size() - 2].listed);
    for (const auto& each : deltas_) {
      if (!is_listed(each)) continue;
      files.push_back(each.listed);
      if (refused_.contains(each.listed.name)) files.back().size = 0;
    }
    return files;
  }

  const Export* find(const std::string& name) const {
    for (const auto* files : {&bulks_, &deltas_})
      for (const auto& each : *files)
        if (each.listed.name == name) return &each;
    return nullptr;
  }

  /// The delta that brought that day's data; null where a bulk file alone did.
  const Export* delta_of(int day_number) const {
    const auto found =
        std::ranges::find_if(deltas_, [&](const Export& each) { return each.rows.contains(day_number); });
    return found == deltas_.end() ? nullptr : &*found;
  }

  const Table& truth() const { return truth_; }
  /// Days whose delta exists and was never listed while its week was.
  bool was_generated(base::Date date) const {
    return std::ranges::any_of(deltas_, [&](const Export& each) { return each.listed.date == date; });
  }

 private:
  bool faulty(std::uint64_t percent) { return faults_ && chance(random_, percent); }
  bool is_listed(const Export& each) const {
    return each.number >= bulks_.back().number && each.visible_from <= today_;
  }

  void next_bulk(int today) {
    Export bulk_file{.listed = bulk(today, 1'000 + ++size_), .number = today, .rows = truth_};
    bulk_file.rows.erase(today);
    bulks_.push_back(std::move(bulk_file));
  }

  void next_delta(int today) {
    Export delta_file{.listed = delta(today, 100 + ++size_), .number = today, .rows = waiting_, .visible_from = today};
    if (faulty(12)) delta_file.visible_from += static_cast<int>(between(random_, 1, 3));
    waiting_.clear();
    deltas_.push_back(std::move(delta_file));
  }

  /// Corrects the data of a listed delta.
  void replace_one() {
    std::vector<Export*> listed;
    for (auto& each : deltas_)
      if (is_listed(each)) listed.push_back(&each);
    if (listed.empty()) return;
    auto& chosen = *listed[random_() % listed.size()];
    chosen.listed.size = 100 + ++size_;
    for (auto& [day_number, version] : chosen.rows) version = ++truth_[day_number];
  }

  Random& random_;
  int today_ = 0;
  bool faults_ = true;
  int size_ = 0;
  Table truth_;
  Table waiting_;  ///< days whose data no delta has yet
  std::vector<Export> bulks_;
  std::vector<Export> deltas_;
  std::set<std::string> refused_;
  bool stale_bulk_ = false, double_bulk_ = false, empty_ = false;
};

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
    copy.sha256 = loading::edition(file.listed);
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

  /// The catalogue is lost, and is made again of what is on disk: of the days, it knows those that the manifest names.
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
    calendar = core::with_stock({.files = {}, .absent = std::move(absent)}, held, lost);
    for (const auto& file : held) {
      core::Change change{.generation = known_from, .kind = core::ChangeKind::published, .name = file.name};
      log.push_back(change);
    }
    is_settled_ = false;
    announced_.clear();
    before_.clear();
  }

 private:
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
