// The rules of core/transfer.hpp once more, as plainly as they can be written: one letter for each MiB of the file, a
// log of what happened, and everything else counted anew each time. Slow, and obviously right.
#pragma once

#include "vtmirror/core/transfer.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace vtmirror::test {

class TransferModel {
 public:
  static constexpr std::int64_t mib = std::int64_t{1} << 20;
  using Step = core::TransferStep;
  using Kind = Step::Kind;

  TransferModel(core::TransferRules rules, std::int64_t size, const std::string& etag)
      : attempts_(rules.attempts),
        target_(rules.connections),
        expects_parts_(rules.expects_parts),
        identity_{size, ""} {
    forget();
    identity_.etag = etag;
  }

  std::vector<int> begin() {
    written_ = durable_;
    claimed_ = std::string(durable_.size(), '.');
    cut_for_ = target_;
    cut();
    connections_.clear();
    log_.emplace_back("round");
    failure_.reset();
    disk_failure_.reset();
    connections_[++newest_] = {};
    std::vector<int> opened{newest_};
    for (const int other : recruit()) opened.push_back(other);
    return opened;
  }

  Step on(int number, const core::TransferEvent& event, core::Transfer::Moment at) {
    if (over()) return leave(number);
    auto& me = connections_.at(number);
    if (std::holds_alternative<core::Woken>(event)) {  // rule 14
      const bool holds = me.pause && me.pause->from <= at.now && at.now < me.pause->until;
      if (holds && (me.unrecorded || first_free() < cells()))
        return {.kind = Kind::wait, .pause = me.pause->until - at.now};
    }
    const bool waited = me.pause.has_value();
    me.pause.reset();
    if (const auto* broken = std::get_if<core::StepFailed>(&event)) {
      if (me.doing == Kind::record && broken->error.code == base::Errc::catalogue_busy)
        return record_later(number, broken->error, at);
      if (me.doing == Kind::find_link && broken->error.code != base::Errc::cancelled &&
          others_receive(number, at.now)) {
        log_.emplace_back("no link");  // rule 10
        give_back(number);
        return leave(number);
      }
      const bool retryable = me.doing == Kind::ask || me.doing == Kind::receive || me.doing == Kind::expect_end;
      return retryable ? fail(number, broken->error, at) : give_up(number, broken->error);  // rule 10
    }
    if (std::holds_alternative<core::MoreCame>(event)) return fail(number, {base::Errc::changed_upstream}, at);
    if (const auto* found = std::get_if<core::LinkFound>(&event)) {
      me.listing = found->listing;
      const bool had_none = has_no_links();
      log_.emplace_back("link");
      if (found->size != identity_.size) return fail(number, {base::Errc::changed_upstream}, at);
      me.doing = Kind::ask;
      Step asks{.kind = Kind::ask, .range = bytes(me.first, me.last), .etag = identity_.etag};
      if (had_none) asks.open = recruit();
      return asks;
    }
    if (const auto* came = std::get_if<core::AnswerCame>(&event)) return judge(number, came->answer, at);
    if (me.doing == Kind::record) {
      log_.emplace_back("recorded");
      log_.emplace_back("ETag recorded");
      return receive(number);
    }
    if (me.unrecorded) return record_or_receive(number, at.now);
    if (const auto held = pause(at.now); waited && held && first_free() < cells()) {  // rule 7
      me.pause = held;
      return {.kind = Kind::wait, .pause = held->until - at.now};
    }
    if (me.doing == Kind::receive && me.whole) {
      me.doing = Kind::expect_end;
      return {.kind = Kind::expect_end};
    }
    return next_piece(number);
  }

  std::vector<int> to_wake() const {  // rule 14
    std::vector<int> named;
    for (const auto& [number, each] : connections_)
      if (each.pause && (over() || (!each.unrecorded && first_free() == cells()))) named.push_back(number);
    return named;
  }

  /// Whether more are expected.
  bool received(int number, std::int64_t count, base::Steady now) {
    auto& me = connections_.at(number);
    me.first += count / mib;
    me.brought += count;
    me.failed = 0;
    me.came = now;
    log_.emplace_back("bytes");
    return me.first < me.last;
  }

  std::vector<int> aim(int connections) {
    target_ = connections;
    return recruit();
  }

  void written(core::Range range) {
    fill(written_, range, 'w');
    fill(claimed_, range, '.');
  }
  std::string snapshot() const { return written_; }
  void synced(const std::string& snapshot) {
    log_.emplace_back("recorded");
    for (std::size_t at = 0; at < durable_.size(); ++at)
      if (snapshot[at] == 'w' && written_[at] == 'w') durable_[at] = 'w';
  }
  void sync_failed(const base::Error& error) {
    written_ = durable_;
    disk_failed(error);
  }
  void disk_failed(const base::Error& error) {
    if (!disk_failure_) disk_failure_ = error;
  }

  core::RoundEnd end() const {
    if (disk_failure_) return {core::RoundEnd::Kind::give_up, *disk_failure_};  // rule 12
    if (failure_) return {core::RoundEnd::Kind::give_up, *failure_};
    if (count("start over", "round") > 0) return {core::RoundEnd::Kind::start_over, {}};
    return {};
  }
  void forget() {
    identity_.etag.clear();
    log_.emplace_back("identified");
    log_.emplace_back("forgotten");
    durable_ = written_ = claimed_ = std::string(static_cast<std::size_t>(cells()), '.');
  }
  void start_over(std::int64_t size) {
    identity_.size = size;
    forget();
  }

  std::int64_t bytes_durable() const { return std::count(durable_.begin(), durable_.end(), 'w') * mib; }
  std::int64_t bytes_written() const { return std::count(written_.begin(), written_.end(), 'w') * mib; }
  const core::Identity& identity() const { return identity_; }

 private:
  struct Pause {
    base::Steady from, until;
  };
  struct Connection {
    Kind doing = Kind::wait;
    std::int64_t first = 0;  ///< cells that it has claimed and not handed to the disk
    std::int64_t last = 0;
    std::int64_t end = 0;  ///< of the answer
    bool whole = false;
    int listing = 0;
    std::optional<Pause> pause{};
    bool unrecorded = false;
    std::int64_t brought = 0;  ///< since its last failure
    int failed = 0;            ///< in a row, beside others
    bool served = false;
    bool queued = false;  ///< another one records
    std::optional<base::Steady> came{};
  };

  std::int64_t cells() const { return identity_.size / mib; }
  static core::Range bytes(std::int64_t first, std::int64_t last) { return {first * mib, last * mib}; }
  static void fill(std::string& cells, core::Range range, char letter) {
    for (auto at = range.begin / mib; at < range.end / mib; ++at) cells[static_cast<std::size_t>(at)] = letter;
  }
  bool is_free(std::int64_t cell) const {
    return cell < cells() && written_[static_cast<std::size_t>(cell)] == '.' &&
           claimed_[static_cast<std::size_t>(cell)] == '.';
  }
  std::int64_t first_free() const {
    std::int64_t cell = 0;
    while (cell < cells() && !is_free(cell)) ++cell;
    return cell;
  }
  /// How often `what` stands in the log behind the last of `since`.
  std::int64_t count(const std::string& what, const std::string& since = "nothing") const {
    const auto from = std::find(log_.rbegin(), log_.rend(), since);
    return std::count(log_.rbegin(), from, what);
  }
  bool has_no_links() const { return count("no link", "link") > 0 && count("no link", "round") > 0; }  // rule 10
  bool over() const { return disk_failure_ || failure_ || count("start over", "round") > 0; }

  /// Rule 13, over all pauses that there were.
  std::optional<Pause> pause(base::Steady now) const {
    std::optional<Pause> held;
    for (const auto& [from, until] : pauses_) {
      const bool goes_on = held && held->from <= from && from < held->until;
      held = Pause{from, goes_on ? std::max(held->until, until) : until};
    }
    const bool holds = held && held->from <= now && now < held->until;
    return holds ? held : std::nullopt;
  }

  Step leave(int number) {
    connections_.erase(number);
    return {};
  }
  void give_back(int number) {
    auto& me = connections_.at(number);
    fill(claimed_, bytes(me.first, me.last), '.');  // rule 4
    me.first = me.last = 0;
  }
  /// At least two pieces a connection of what is left, of 4 MiB or a multiple; one connection asks for everything.
  void cut() {  // rule 20
    std::int64_t left = 0;
    for (std::int64_t cell = 0; cell < cells(); ++cell) left += is_free(cell) ? 1 : 0;
    piece_ = std::max<std::int64_t>(left, 1);
    if (cut_for_ > 1)
      for (piece_ = 4; piece_ < 128 && piece_ * 2 * cut_for_ < left;) piece_ += 4;
  }
  Step next_piece(int number) {
    give_back(number);
    const auto first = first_free();
    int at_work = 1;
    for (const auto& [other, each] : connections_) at_work += other != number && !each.pause ? 1 : 0;
    const bool too_many = at_work > target_;  // rule 3
    if (too_many || first == cells()) return leave(number);
    cut();
    auto last = first + 1;
    while (is_free(last) && last < first + piece_) ++last;
    if (is_free(last)) last -= last % std::min<std::int64_t>(piece_, 4);
    fill(claimed_, bytes(first, last), 'c');
    auto& me = connections_.at(number);
    me = {.doing = Kind::find_link,
          .first = first,
          .last = last,
          .brought = me.brought,
          .failed = me.failed,
          .served = me.served,
          .came = me.came};
    return {.kind = Kind::find_link, .newer_than = refused_};
  }
  std::vector<int> recruit() {
    std::vector<int> opened;
    const bool parts = count("part", "round") > 0 || (expects_parts_ && count("whole", "round") == 0);
    if (over() || !parts || has_no_links()) return opened;  // rule 1
    const auto missing = std::count(written_.begin(), written_.end(), '.');
    while (static_cast<int>(connections_.size()) < target_ &&
           static_cast<std::int64_t>(connections_.size()) * piece_ < missing) {  // rule 2
      connections_[++newest_] = {};
      opened.push_back(newest_);
    }
    return opened;
  }
  Step judge(int number, const core::RangeAnswer& answer, core::Transfer::Moment at) {
    auto& me = connections_.at(number);
    const auto content = core::judge_answer(answer, bytes(me.first, me.last), identity_);
    const bool in_company = content && content->whole && connections_.size() > 1;  // rule 5
    const bool unknown = content && answer.etag.empty() && !identity_.etag.empty() &&
                         (!answer.total || count("carried the ETag", "forgotten") == 0);  // rule 16
    const bool again = count("unknown object", "identified") > 0;
    if (unknown) log_.emplace_back("unknown object");
    if (content && !unknown) log_.emplace_back("identified");
    if (content && !answer.etag.empty()) log_.emplace_back("carried the ETag");
    if (in_company && !unknown && count("part", "round") == 0) {
      log_.emplace_back("whole");
      expects_parts_ = false;
      give_back(number);
      auto step = leave(number);
      step.close = Step::Close::own;
      return step;
    }
    if (!content || in_company || unknown) {
      const auto code = unknown && again ? base::Errc::changed_upstream : base::Errc::protocol;
      auto step = fail(number, content ? base::Error{code} : content.error(), at);
      step.close = std::max(step.close, Step::Close::own);
      return step;
    }
    log_.emplace_back("good");
    me.served = true;
    me.whole = content->whole;
    me.end = content->range.end / mib;
    if (identity_.etag.empty() && !answer.etag.empty()) {
      identity_.etag = answer.etag;
      log_.emplace_back("ETag to record");
    }
    return record_or_receive(number, at.now);
  }
  Step record_or_receive(int number, base::Steady now) {  // rule 15
    auto& me = connections_.at(number);
    if (count("ETag to record", "forgotten") == 0 || count("ETag to record", "ETag recorded") == 0)
      return receive(number);
    me.unrecorded = me.queued = others_record(number);
    if (me.queued) {
      me.doing = Kind::wait;
      me.pause = Pause{now, now + std::chrono::milliseconds(250)};
      return {.kind = Kind::wait, .pause = std::chrono::milliseconds(250)};
    }
    me.doing = Kind::record;
    return {.kind = Kind::record, .etag = identity_.etag};
  }
  Step receive(int number) {
    auto& me = connections_.at(number);
    me.unrecorded = me.queued = false;
    me.doing = Kind::receive;
    if (me.whole) {
      give_back(number);
      me.first = first_free();
      me.last = cells();
      for (auto cell = me.first; cell < me.last; ++cell)
        if (written_[static_cast<std::size_t>(cell)] == '.') claimed_[static_cast<std::size_t>(cell)] = 'c';
      return {.kind = Kind::receive, .range = bytes(me.first, me.last), .skip = me.first * mib};
    }
    Step step{.kind = Kind::receive, .range = bytes(me.first, me.end)};
    const bool first_part = count("part", "round") == 0;
    log_.emplace_back("part");
    if (first_part) step.open = recruit();
    return step;
  }
  Step fail(int number, const base::Error& error, core::Transfer::Moment at) {
    const int listing = connections_.at(number).listing;
    give_back(number);
    if (error.code == base::Errc::link_refused && listing <= refused_) return next_piece(number);  // rule 8
    auto& me = connections_.at(number);
    me.served = false;
    if (others_receive(number, at.now) || (error.code == base::Errc::link_refused && others_are_served(number)))
      return fail_beside_others(number, error, at);  // rule 9
    if (!pause(at.now)) {
      log_.emplace_back("counted failure");                                 // rule 7
      if (me.brought < mib) log_.emplace_back("failure without progress");  // rule 6
      log_.emplace_back(error.code == base::Errc::tls ? "TLS failure" : "another failure");
    }
    me.brought = 0;
    const auto tls = std::min(count("TLS failure", "another failure"), count("TLS failure", "bytes"));
    const core::Attempts past{.failed = static_cast<int>(count("counted failure", "bytes")),  // rule 6
                              .total = static_cast<int>(count("failure without progress")),
                              .tls = static_cast<int>(tls),
                              .limit = attempts_,
                              .link_was_fresh = count("renewal", "good") > 0,  // rule 9
                              .started_over = count("start over") > 0};        // rule 11
    const auto decision = core::next_attempt(error, past, at.dice);
    if (decision.next == core::Next::wait) pauses_.push_back({at.now, at.now + decision.pause});
    return after_failure(number, {error, decision.next, decision.pause, past.failed + 1}, pause(at.now), at.now);
  }
  bool others_receive(int number, base::Steady now) const {
    return std::ranges::any_of(connections_, [&](const auto& each) {
      const auto& [other, it] = each;
      return other != number && it.doing == Kind::receive && it.came && now - *it.came <= std::chrono::seconds(2);
    });
  }
  bool others_are_served(int number) const {
    return std::ranges::any_of(connections_, [&](const auto& each) {
      return each.first != number && each.second.served && each.second.doing != Kind::wait;
    });
  }
  bool others_record(int number) const {
    return std::ranges::any_of(connections_, [&](const auto& each) {
      const auto& it = each.second;
      return each.first != number && (it.doing == Kind::record || (it.unrecorded && !it.queued));
    });
  }
  Step fail_beside_others(int number, const base::Error& error, core::Transfer::Moment at) {
    if (error.code == base::Errc::rate_limited) return leave(number);  // rule 21
    auto& me = connections_.at(number);
    ++me.failed;
    // Rule 9: beside links that are good, others are renewed once in five minutes.
    const bool lately = renewed_at_ && at.now - *renewed_at_ < std::chrono::minutes(5);
    const bool fresh = count("renewal", "good") > 0 || lately;
    auto as = error;
    if (error.code == base::Errc::link_refused && fresh) as.code = base::Errc::unreachable;
    if (as.retry_after) as.retry_after = std::min(*as.retry_after, std::chrono::seconds(3600));
    const core::Attempts past{.failed = me.failed, .limit = 1'000'000, .started_over = count("start over") > 0};
    const auto decision = core::next_attempt(as, past, at.dice);
    auto held = pause(at.now);
    if (decision.pause.count() > 0) held = Pause{at.now, at.now + decision.pause};
    return after_failure(number, {error, decision.next, decision.pause, me.failed + 1}, held, at.now);
  }
  Step after_failure(int number, const core::Retried& retried, std::optional<Pause> held, base::Steady now) {
    const auto next = retried.next;
    if (next == core::Next::renew_link) {
      log_.emplace_back("renewal");
      renewed_at_ = now;
      refused_ = connections_.at(number).listing;
    }
    if (next == core::Next::give_up || next == core::Next::renew_token) return give_up(number, retried.why);
    Step step;
    if (next == core::Next::start_over) {
      log_.emplace_back("start over");
      step = leave(number);
      step.close = Step::Close::all;
    } else if (held && first_free() < cells()) {
      connections_.at(number).doing = Kind::wait;
      connections_.at(number).pause = held;
      step = {.kind = Kind::wait, .pause = held->until - now};
    } else {
      step = next_piece(number);
    }
    step.retried = retried;
    return step;
  }
  Step record_later(int number, const base::Error& error, core::Transfer::Moment at) {  // rule 15
    log_.emplace_back("busy");
    const core::Attempts past{.failed = static_cast<int>(count("busy", "recorded")), .limit = attempts_};
    const auto decision = core::next_attempt(error, past, at.dice);
    if (decision.next == core::Next::give_up) return give_up(number, error);
    auto& me = connections_.at(number);
    me.doing = Kind::wait;
    me.unrecorded = true;
    me.pause = Pause{at.now, at.now + decision.pause};
    Step step{.kind = Kind::wait, .pause = decision.pause};
    const auto failed = static_cast<int>(count("counted failure", "bytes"));
    step.retried = core::Retried{error, decision.next, decision.pause, failed + 1};
    return step;
  }
  Step give_up(int number, const base::Error& error) {
    failure_ = error;
    auto step = leave(number);
    step.close = Step::Close::all;
    return step;
  }

  int attempts_;
  int target_;
  bool expects_parts_;
  int cut_for_ = 1;  ///< connections
  core::Identity identity_;
  std::int64_t piece_ = 1;
  std::string written_, durable_, claimed_;  ///< a letter for each MiB: '.' is no
  std::map<int, Connection> connections_;
  int newest_ = 0;
  int refused_ = 0;
  std::optional<base::Steady> renewed_at_;
  std::vector<std::string> log_;
  std::vector<Pause> pauses_;
  std::optional<base::Error> failure_, disk_failure_;
};

}  // namespace vtmirror::test
