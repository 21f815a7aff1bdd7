// Judges the mirror from the outside, after every step: by what is on disk and in the three texts, and by what the
// service really made and showed. Looks neither into the process nor into its catalogue.
#pragma once

#include "simulation/link_judge.hpp"
#include "simulation/loader.hpp"
#include "simulation/observer.hpp"
#include "simulation/probes.hpp"
#include "simulation/true_service.hpp"
#include "support/memory_storage.hpp"
#include "vtmirror/core/notice.hpp"

#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace vtmirror::test {

class Judge {
 public:
  Judge(MemoryStorage& storage, const TrueService& service, Observer& observer, Probes& probes, int keep_cycles);

  // What the life itself does, so that the mirror is not blamed for it.
  void lose(const std::string& name);
  void put_back(const std::string& name);
  void rot(const std::string& name, base::Time at);
  void wipe();  ///< all that was ever on disk
  void clock_was_set() { links_.clock_was_set(); }
  /// The process dies within a call of the shelf.
  void cut() { links_.was_cut(); }
  bool is_cut() const { return links_.is_cut(); }
  /// A call may have been cut off or refused since the last manifest.
  void disturb() { disturbed_ = true; }
  /// The mirror looks at its disk: what is lost by now it knows once `disk_was_read`.
  void disk_is_read() { noticing_ = unnoticed_; }
  void disk_was_read() {
    for (const auto& name : std::exchange(noticing_, {})) unnoticed_.erase(name);
    looks_ = -1;
  }

  /// Another listing is used from now on: what was removed until now was removed by the one before.
  void before_listing() {
    check_removals();
    listing_came_ = true;
  }
  void after_step();   ///< whenever nothing is left to do but to wait
  void after_kill();   ///< at any instant
  void after_cycle();  ///< nothing runs
  void between_steps() { links_.between_steps(); }
  void file_appeared();
  /// A hook is started for a change of the chain.
  void chain_announced(const core::ChainNews& news);
  void at_the_end();         ///< of a life, when all that can be here is
  void every_notice_came();  ///< and the hook was started for each change

  const std::map<std::string, std::string>& lost() const { return lost_; }
  /// Names and bytes that were taken from disk, and have not been back since.
  bool is_lost(const std::string& name) const { return lost_.contains(name); }

  /// Whether the life has removed or damaged it, lately or for good.
  bool is_spoiled(const std::string& name) const;
  /// Called when the mirror has said that a consumer has nothing left to load.
  void check_consumer(const Table& table);
  /// Called when a consumer has all that `changes` says is held.
  void check_by_changes(const Table& table);
  /// No process ran until now: what has rotten, or must go, can be found only from now on.
  void was_off();
  /// The same of one that has loaded all that the manifest names.
  void check_reader(const Loader& loader);

  /// Files with a flipped bit, and since when. The mirror has found it if SHA256SUMS does not name the file any more.
  const std::map<std::string, base::Time>& rotten() const { return rotten_; }
  /// Its bytes are rotten, or were when it was removed, and nothing reads again what a consumer may still load of it.
  bool may_be_read_rotten(const std::string& name) const {
    return rotten_.contains(name) || (left_rotten_.contains(name) && !storage_.published.contains(name));
  }
  bool is_found_rotten(const std::string& name) const { return rotten_.contains(name) && !is_named(name); }

  /// Whether a manifest named other bytes than those that are public under that name now.
  bool is_another_edition(const std::string& name) const;

 private:
  void manifest_written();
  void check_texts();
  void check_generation();
  void check_chain();
  void check_against_listings();
  void check_missing();
  void check_absent();
  void check_join();
  void check_removals();
  void check_rotten();
  void check_silent();
  bool is_named(const std::string& name) const;
  bool may_go(const std::string& name) const;
  std::set<std::pair<core::Kind, int>> readable_days() const;
  /// Whether the chain begins with an older bulk file than one that was public before.
  bool is_from_before_a_lost_bulk() const;
  /// The number of the newest bulk file before that one that ever was public; -1 if none was.
  int newest_bulk_that_came(int before = std::numeric_limits<int>::max()) const;
  bool is_whole_from(int bulk_number, int next_bulk) const;
  bool was_published(const std::string& name, std::int64_t size) const { return came_.contains({name, size}); }
  std::string content() const;
  void check_table(const Loader& loader);
  template <class Assumes>
  void check_rows(const Table& table, std::string_view promise, Assumes assumes);
  bool is_right(const Table& table, int number, int version) const;
  void expect(bool as_promised, std::string_view promise, std::string_view of = {}) {
    observer_.expect(as_promised, promise, of);
  }
  void expect(bool as_promised, std::string_view promise, base::Date of) { observer_.expect(as_promised, promise, of); }

  MemoryStorage& storage_;
  const TrueService& service_;
  Observer& observer_;
  Probes& probes_;
  int keep_cycles_;
  LinkJudge links_{storage_, observer_, probes_,
                   [this](const std::string& name) { return lost_.contains(name) || rotten_.contains(name); }};
  Loader every_generation_{false}, strict_{true}, now_and_then_{false}, by_hook_{false};

  std::map<std::string, std::string> lost_;
  std::map<std::string, base::Time> rotten_;
  std::set<std::string> left_rotten_;
  std::map<std::string, base::Time> spoiled_;  ///< removed or damaged by somebody, and when it was last so
  std::set<std::string> unnoticed_;            ///< lost, and the mirror had no occasion to see it
  std::set<std::string> noticing_;
  std::set<std::string> foreign_;                        ///< put on disk by somebody else
  std::map<std::string, std::set<std::string>> was_;     ///< digests that were ever named, by name
  std::set<std::pair<std::string, std::int64_t>> came_;  ///< editions, by size, that ever were public
  std::set<std::string> before_;                         ///< public at the last check
  std::string said_;                                     ///< by the manifest before this one
  std::int64_t generation_ = -1;
  int silent_ = 0;                   ///< generations since the last look that said what the one before them said
  std::set<std::string> may_leave_;  ///< rotten and not named any more when such a generation was written
  bool disturbed_ = false;
  bool listing_came_ = false;  ///< and no manifest was written since
  bool unjudged_ = false;      ///< the last manifest said what was true before that listing
  int looks_ = -1;             ///< the shelf's calls at the last look
  int manifests_ = 0;
  int tables_ = 0;  ///< of consumers, that were looked at
};

}  // namespace vtmirror::test
