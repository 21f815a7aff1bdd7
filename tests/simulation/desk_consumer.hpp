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
  /// How one of them lives.
  struct Habits {
    std::string name;
    std::uint64_t shows_up = 75;      ///< percent of the days
    std::uint64_t leaves = 0;         ///< percent of its visits after which it is away for long
    std::uint64_t loads_slowly = 10;  ///< percent of its loads that take hours or days
    bool acknowledges_first = false;  ///< a ticket that it has loaded and not acknowledged, before it asks again
  };
  using Files = std::map<std::string, std::string>;

  DeskConsumer(Habits habits, Observer& observer, Probes& probes, const core::ConsumerRules& rules,
               base::Milliseconds slack)
      : habits_(std::move(habits)), observer_(observer), probes_(probes), rules_(rules), slack_(slack) {}

  const Habits& habits() const { return habits_; }
  const std::string& name() const { return habits_.name; }
  const Table& table() const { return table_; }
  /// Loaded, and not acknowledged as far as it knows; empty if there is none.
  const std::string& open_ticket() const { return open_; }
  bool has_loaded(const std::string& ticket) const { return !ticket.empty() && ticket_ == ticket; }
  /// Since when it has had all that there was; empty if it has not.
  std::optional<base::Time> up_to_date_at() const { return up_to_date_at_; }

  void asks();
  /// The mirror has answered. `lent`: the files that it may read then. `some_are_rotten`: the disk has damaged one, and
  /// nobody has found it yet.
  void answered(const agent::NextFiles& answer, const Files& lent, bool some_are_rotten);
  /// Loads the files of an answer and keeps its ticket with them. False, and nothing is changed, if one is not as it
  /// was offered any more.
  bool load(const agent::NextFiles& answer, const Files& lent, const TrueService& service);
  void sends_word(const std::string& ticket);
  /// The answer to its word.
  void acknowledged(const std::string& ticket, core::Acknowledgement outcome);

  /// The disk has damaged that public file.
  void is_damaged(const std::string& name);
  /// Between its visits: what was offered is kept for the lease, and not for much longer.
  void check_lent(const Files* lent);
  /// Catalogue or mirror were lost: nobody remembers it.
  void was_forgotten();

  /// Once a day, with the manifest of the moment.
  void compare_with(const ports::Manifest& manifest);
  /// Whether it cannot have been behind for the lease: it had all, or nobody knew of it, less than that ago, and before
  /// the mirror judged it last.
  bool keeps_up(base::Time judged_at) const;
  /// Whether it has been behind for the lease for certain, and some days more in which that was judged: on each of them
  /// a complete chain had something that it had not loaded.
  bool is_behind() const;

  base::Time away_until{};
  int visit = 0;  ///< the number of the last one: what an earlier one has begun has ended

 private:
  /// An answer that it has not acknowledged.
  struct Kept {
    agent::NextFiles answer;
    Files given{};
    bool is_rotten = false;          ///< some of it
    bool may_be_taken_back = false;  ///< the disk has damaged one of its files: who finds that ends the lease
    base::Time since{};              ///< the lease runs from here
    base::Time until{};              ///< the end of the lease, at the latest
    bool may_end = false;            ///< it may have been renewed at another time
  };

  bool is_lease_over() const {
    return kept_ && (kept_->may_end || observer_.now() - kept_->since >= rules_.lease - slack_);
  }
  /// The mirror may have its word, although it has not heard so.
  bool may_be_acknowledged() const { return kept_ && !word_.empty() && kept_->answer.ticket == word_; }
  bool may_be_lent() const;
  /// The mirror may have forgotten it: nothing was heard of it for that time, or catalogue or mirror were lost.
  bool may_be_forgotten() const;
  /// And it must have, with the cycle after that time.
  bool must_be_forgotten() const;
  void speaks();
  void end_answer();
  void count(const core::Offer& offer);
  void check_repeated(const agent::NextFiles& answer);
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
  base::Milliseconds slack_;  ///< what the clock may be wrong

  // What its own transaction keeps.
  Table table_;
  std::string ticket_;
  std::map<std::string, int> applied_;    ///< files by name and digest, since the last bulk load
  std::map<base::Date, int> days_;        ///< of those deltas
  std::map<int, base::Date> brought_by_;  ///< the date of the file that set a row last
  std::map<int, base::Date> newest_;      ///< and of the newest that ever did
  std::set<base::Date> assumed_;          ///< days on whose absence its joins rest
  base::Date start_{};

  std::string open_;
  std::string word_;  ///< the last ticket that it has acknowledged, whether that was heard or not
  bool is_word_repeated_ = false;
  bool is_known_ = false;    ///< the mirror has heard its word for an answer
  bool may_repeat_ = false;  ///< it was away beyond the lease between a load and its acknowledgement
  std::optional<Kept> kept_;
  std::optional<base::Time> ended_;  ///< the last answer
  std::optional<base::Time> unanswered_since_;
  std::optional<base::Time> asked_;  ///< or acknowledged, and was heard
  std::optional<base::Time> spoke_;  ///< whether it was heard or not
  base::Milliseconds silence_{0};    ///< before that
  std::optional<base::Time> up_to_date_at_;
  bool is_heard_of_ = false;  ///< the mirror may know of it
  base::Time keeps_up_since_{};
  std::optional<base::Time> lacks_since_;     ///< something of a complete chain, on each day
  std::map<std::string, std::string> given_;  ///< what each ticket stood for
};

}  // namespace vtmirror::test
