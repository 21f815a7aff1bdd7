// A program that loads what `vtmirror next` gives it, and acknowledges it. Its table and the ticket of its last load
// are one transaction, so that it may be killed at any step. Judges each answer by what it has loaded, and by what was
// promised of the answer before. Never looks into the mirror.
#pragma once

#include "simulation/observer.hpp"
#include "simulation/probes.hpp"
#include "simulation/true_service.hpp"
#include "support/memory_storage.hpp"
#include "vtmirror/agent/consumers.hpp"

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vtmirror::test {

class DeskConsumer {
 public:
  /// How one consumer behaves.
  struct Habits {
    std::string name;
    std::uint64_t shows_up = 75;      ///< percent of the days
    std::uint64_t leaves = 0;         ///< percent of its visits after which it is away for long
    std::uint64_t loads_slowly = 10;  ///< percent of its loads that take hours or days
    bool acknowledges_first = false;  ///< before it asks again: the ticket that it has loaded
  };
  using Files = std::map<std::string, std::string>;

  DeskConsumer(Habits habits, Observer& observer, Probes& probes, const core::ConsumerRules& rules,
               base::Milliseconds slack)
      : habits_(std::move(habits)), observer_(observer), probes_(probes), rules_(rules), slack_(slack) {}

  const Habits& habits() const { return habits_; }
  const std::string& name() const { return habits_.name; }
  const Table& table() const { return table_; }
  /// The ticket that it has loaded and not acknowledged, as far as it knows; empty if there is none.
  const std::string& open_ticket() const { return open_; }
  bool has_loaded(const std::string& ticket) const { return !ticket.empty() && ticket_ == ticket; }
  /// Since when it has had everything that there was to load; empty if it lacks something.
  std::optional<base::Time> up_to_date_at() const { return up_to_date_at_; }

  void asks();
  /// The mirror has answered. `lent`: the files that it may read then. `some_are_rotten`: the disk has damaged one, and
  /// the mirror has not found it yet.
  void answered(const agent::NextFiles& answer, const Files& lent, bool some_are_rotten);
  /// Loads the files of an answer and keeps its ticket with them. Returns false and changes nothing if one is no
  /// longer as it was offered.
  bool load(const agent::NextFiles& answer, const Files& lent, const TrueService& service);
  /// Whether the disk has damaged a file of the answer that waits for its acknowledgement. Once the file has left the
  /// mirror, nothing but the consumer reads it, and the same answer stays until the end of the lease.
  bool is_answer_damaged(const Files& lent) const;
  void sends_word(const std::string& ticket);
  /// The mirror has answered its acknowledgement.
  void acknowledged(const std::string& ticket, core::Acknowledgement outcome);

  /// The disk has damaged that public file.
  void is_damaged(const std::string& name);
  /// Whether it waits for an answer, or got none.
  bool waits_for_an_answer() const { return unanswered_since_.has_value(); }
  /// Somebody has removed second names of what it was offered.
  void lost_names() {
    if (kept_) kept_->lacks_names = true;
  }
  /// Checks, between its visits, that what was offered is kept for the lease and not for much longer.
  void check_lent(const Files* lent);
  /// No cycle ran before that time: only a cycle is certain to forget a consumer. `base::Time::max()`: none runs now.
  void cycles_run_from(base::Time time) { cycles_from_ = time; }
  /// Catalogue or mirror were lost, so the mirror does not remember it.
  void was_forgotten();

  /// Once a day, with the manifest of the moment.
  void compare_with(const ports::Manifest& manifest);
  /// Whether it cannot have been behind for the whole lease: it had everything, or the mirror did not know it, less
  /// than the lease ago and before the mirror last judged it.
  bool keeps_up(base::Time judged_at) const;
  /// Whether it has been behind for the lease for certain, and some days more in which that was judged: on each of them
  /// a complete chain had something that it had not loaded.
  bool is_behind() const;

  base::Time away_until{};
  int visit = 0;  ///< the number of the last visit; what an earlier one began has ended

 private:
  /// An answer that it has not acknowledged.
  struct Kept {
    agent::NextFiles answer;
    Files given{};
    bool is_rotten = false;          ///< some of it
    bool may_be_taken_back = false;  ///< the disk has damaged one of its files, and finding that ends the lease
    bool lacks_names = false;        ///< until the answer is given again
    base::Time since{};              ///< the lease runs from here
    base::Time until{};              ///< the end of the lease, at the latest
    bool may_end = false;            ///< it may have been renewed at another time
  };

  bool is_lease_over() const {
    return kept_ && (kept_->may_end || observer_.now() - kept_->since >= rules_.lease - slack_);
  }
  /// Without its names, an answer is another one where its files have been replaced.
  bool may_be_another() const { return is_lease_over() || (kept_ && (kept_->may_be_taken_back || kept_->lacks_names)); }
  /// The mirror may have its acknowledgement, although it did not get the answer.
  bool may_be_acknowledged() const { return kept_ && !word_.empty() && kept_->answer.ticket == word_; }
  bool may_be_lent() const;
  /// The mirror may have forgotten it: it did not ask for that long, or catalogue or mirror were lost.
  bool may_be_forgotten() const;
  /// The mirror must have forgotten it: a cycle ran after that time.
  bool must_be_forgotten() const;
  void speaks();
  void end_answer();
  void count(const core::Offer& offer);
  void check_repeated(const agent::NextFiles& answer, const Files& lent, bool some_are_rotten);
  void check_new(const agent::NextFiles& answer);
  void check_forgotten(bool is_forgotten);
  void check_remembered(const core::Offer& offer);
  void check_order(const agent::NextFiles& answer);
  void check_join(const agent::NextFiles& answer);
  void apply(const core::Held& file, int version, const TrueService& service);
  void empty_table();
  void expect(bool as_promised, std::string_view promise) { observer_.expect(as_promised, promise, habits_.name); }

  Habits habits_;
  Observer& observer_;
  Probes& probes_;
  const core::ConsumerRules& rules_;
  base::Milliseconds slack_;  ///< by how much the clock may be wrong

  // What its own transaction keeps.
  Table table_;
  std::string ticket_;
  std::map<std::string, int> applied_;    ///< files by name and digest, since the last bulk load
  std::map<base::Date, int> days_;        ///< of those deltas
  std::map<int, base::Date> brought_by_;  ///< the date of the file that set a row last
  std::map<int, base::Date> newest_;      ///< and of the newest that ever did
  std::set<base::Date> assumed_;          ///< days that its joins take for absent
  base::Date start_{};

  std::string open_;
  std::string word_;  ///< the last ticket that it acknowledged, whether or not the mirror got that
  bool is_word_repeated_ = false;
  bool is_known_ = false;    ///< the mirror got its acknowledgement of an answer
  bool may_repeat_ = false;  ///< it was away beyond the lease between a load and its acknowledgement
  std::optional<Kept> kept_;
  std::optional<base::Time> ended_;  ///< the last answer
  std::optional<base::Time> unanswered_since_;
  std::optional<base::Time> unheard_since_;  ///< the first question that got no answer
  std::optional<base::Time> asked_;          ///< when it last asked or acknowledged, and the mirror got that
  std::optional<base::Time> spoke_;          ///< the same, whether or not the mirror got it
  base::Milliseconds silence_{0};            ///< before that, while cycles ran
  base::Time cycles_from_{};
  std::optional<base::Time> up_to_date_at_;
  bool is_heard_of_ = false;  ///< the mirror may know of it
  base::Time keeps_up_since_{};
  std::optional<base::Time> lacks_since_;     ///< since when it lacks something of a complete chain on each day
  std::map<std::string, std::string> given_;  ///< what each ticket stood for
};

}  // namespace vtmirror::test
