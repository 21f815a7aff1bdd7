// A service whose exports and their contents are known by construction, day by day, with its faults; and a mirror's
// store of copies. For tests of what consumers load: it says what a right table holds.
#pragma once

#include "support/upstream.hpp"
#include "vtmirror/core/chain.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace vtmirror::test {

using namespace core;

/// What a table holds: for each day of tests the version of its data.
using Table = std::map<int, int>;

inline std::string edition(const Listed& file) { return file.name + '#' + std::to_string(file.size); }

struct Export {
  Listed listed;
  int number = 0;        ///< the day of its name
  Table rows;            ///< what loading it sets; a bulk file empties the table before
  int visible_from = 0;  ///< day on which it is listed first
};

/// A service whose exports and their contents are known by construction.
class Service {
 public:
  /// `weekday`: on which its bulk files come, beside the first, which comes on day 0.
  explicit Service(Random& random, int weekday = 0) : random_(random), weekday_(weekday) {}

  void next_day(int today, bool with_faults) {
    today_ = today;
    faults_ = with_faults;
    truth_[today - 1] = 1;
    waiting_[today - 1] = 1;
    if (today == 0 || today % 7 == weekday_) next_bulk(today);
    if (!faulty(8)) next_delta(today);
    if (faulty(6)) replace_one();
    if (faulty(40)) correct_bulk();
    stale_bulk_ = faulty(4) && bulks_.size() > 1;
    double_bulk_ = faulty(4) && bulks_.size() > 1;
    empty_ = faulty(3);
    refused_.clear();
    for (const auto& each : deltas_)
      if (faulty(3)) refused_.insert(each.listed.name);
  }

  /// All that is listed today, the refused with size 0.
  std::vector<Listed> listing() const {
    std::vector<Listed> files;
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

  /// Whether a bulk file had wrong data of that day, and no listing that was observed had it corrected.
  bool may_be_mistaken(int day_number, const std::set<std::string>& observed) const {
    const auto found = mistakes_.find(day_number);
    if (found == mistakes_.end()) return false;
    const Export& bulk_file = bulks_[found->second];
    return bulk_file.rows.at(day_number) == mistaken || !observed.contains(edition(bulk_file.listed));
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
    if (faulty(25) && bulk_file.rows.size() > 7) make_mistake(bulk_file);
    bulks_.push_back(std::move(bulk_file));
  }

  /// What a bulk file has of one day is wrong. It may be corrected until the next one comes.
  void make_mistake(Export& bulk_file) {
    const auto row = std::next(bulk_file.rows.begin(), between(random_, 0, std::ssize(bulk_file.rows) - 8));
    if (mistakes_.emplace(row->first, bulks_.size()).second) row->second = mistaken;
  }
  void correct_bulk() {
    auto& bulk_file = bulks_.back();
    const auto wrong = std::ranges::find(bulk_file.rows, mistaken, &Table::value_type::second);
    if (wrong == bulk_file.rows.end()) return;
    wrong->second = truth_.at(wrong->first);
    bulk_file.listed.size = 1'000 + ++size_;
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

  static constexpr int mistaken = 0;  // a version that no data has

  Random& random_;
  int weekday_ = 0;
  int today_ = 0;
  bool faults_ = true;
  int size_ = 0;
  Table truth_;
  Table waiting_;  ///< days whose data no delta has yet
  std::vector<Export> bulks_;
  std::vector<Export> deltas_;
  std::map<int, std::size_t> mistakes_;  ///< the bulk file that had one, by the day of the data
  std::set<std::string> refused_;
  bool stale_bulk_ = false, double_bulk_ = false, empty_ = false;
};

/// What a listing says, without bulk files older than one that is known: a correction of those comes too late for
/// consumers that have joined the newer one.
inline std::vector<Entry> known_in_time(const Listing& listing, const Calendar& calendar) {
  auto entries = listing.entries;
  std::erase_if(entries, [&calendar](const Entry& entry) {
    return entry.kind == Kind::bulk && std::ranges::any_of(calendar.files, [&entry](const ListedFile& file) {
             return file.kind == Kind::bulk && file.date > entry.date;
           });
  });
  return entries;
}

/// Holds copies, so that a file that is replaced upstream keeps the bytes that were downloaded.
struct Store {
  std::map<std::string, Export> files;
  std::vector<Held> held, lost;
  std::int64_t generation = 0;
  bool digests = true;  ///< of each copy (mirror.digest)

  void fetch(const Export& file) {
    drop(file.listed.name);
    files[file.listed.name] = file;
    held.push_back(test::held(file.listed));
    held.back().sha256 = digests ? edition(file.listed) : std::string();
    held.back().since = ++generation;
  }
  void drop(const std::string& name) {
    const auto same = [&](const Held& file) { return file.name == name; };
    std::erase_if(held, same);
    std::erase_if(lost, same);
  }
  void lose(std::size_t index) {
    lost.push_back(held[index]);
    held.erase(held.begin() + static_cast<std::ptrdiff_t>(index));
  }
};

}  // namespace vtmirror::test
