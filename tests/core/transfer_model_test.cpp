// The transfer beside its naive model: any events in any order, one step after the other.
#include "core/transfer_model.hpp"
#include "core/transfer_rig.hpp"
#include "support/upstream.hpp"

#include <algorithm>
#include <set>

using namespace vtmirror;
using namespace vtmirror::test;
using base::Errc;
using core::Range;
using Step = core::TransferStep;
using Kind = Step::Kind;

namespace {

/// The two differ in what their errors say to people, and in nothing else.
Step without_details(Step step) {
  if (step.retried) step.retried->why.detail.clear();
  return step;
}

core::RoundEnd without_details(core::RoundEnd end) {
  end.why.detail.clear();
  return end;
}

const std::vector<Errc> codes{Errc::timed_out,   Errc::timed_out,    Errc::unreachable,  Errc::unreachable,
                              Errc::unreachable, Errc::rate_limited, Errc::link_refused, Errc::link_refused,
                              Errc::protocol,    Errc::tls,          Errc::http_status,  Errc::changed_upstream};

/// States that must have been met, each with how often.
using Probes = std::map<std::string, int>;
const std::vector<std::string> must_be_met{"a link refused that another connection had reported",
                                           "a failure within a longer pause",
                                           "a whole file behind bytes that are here",
                                           "a whole file beside other connections",
                                           "a whole file that was left to another connection",
                                           "a round that began with several connections",
                                           "a connection that the store did not want beside others",
                                           "more bytes than the listing says",
                                           "a target that opened connections",
                                           "a connection that left for a lower target",
                                           "a clock that went back while a connection waited",
                                           "a sync that failed",
                                           "a connection that was woken and left",
                                           "a connection that was woken and waited on",
                                           "a connection that was woken and went on",
                                           "a catalogue that was busy",
                                           "an answer without its ETag that counted",
                                           "an answer without its ETag that did not",
                                           "an object that was given up for lack of an ETag",
                                           "a round that finished",
                                           "a round that started over",
                                           "a round that gave up"};

/// What a caller does, drawn by chance, to both at one time.
class Comparison {
 public:
  Comparison(std::uint64_t seed, Probes& met)
      : random_(seed),
        met_(met),
        rules_{.attempts = int(between(random_, 1, 9)),
               .connections = int(between(random_, 1, 6)),
               .expects_parts = chance(random_, 40)},
        size_(between(random_, 1, 60) * mib),
        ignores_ranges_(chance(random_, 50) ? 0 : random_() % 60),
        forgets_etags_(chance(random_, 80) ? 5 : 60),
        etag_(chance(random_, 30) ? "version-1" : ""),
        transfer_(rules_, {size_, etag_}, {}),
        model_(rules_, size_, etag_) {}

  void run() {
    for (int round = 0; round < 6; ++round) {
      begin();
      int steps = 0;
      for (; !waiting_.empty(); ++steps) {
        REQUIRE(steps < 20'000);
        step();
      }
      settle();
      const auto end = transfer_.end();
      CHECK(text(end) == text(model_.end()));
      REQUIRE(without_details(end) == without_details(model_.end()));
      if (end.kind == core::RoundEnd::Kind::give_up) {
        ++met_["a round that gave up"];
        return;
      }
      if (end.kind == core::RoundEnd::Kind::start_over) {
        size_ = between(random_, 1, 60) * mib;
        transfer_.start_over(size_);
        model_.start_over(size_);
        ++version_;
        ++met_["a round that started over"];
        continue;
      }
      ++met_["a round that finished"];
      CHECK(transfer_.durable_ranges().size() == size_);
      transfer_.forget();
      model_.forget();
    }
  }

 private:
  struct Waiting {
    Step step;
    int listing = 0;  ///< of its link
    std::int64_t at = 0;
  };

  void begin() {
    const auto opened = transfer_.begin();
    REQUIRE(opened == model_.begin());
    REQUIRE_FALSE(opened.empty());
    if (opened.size() > 1) ++met_["a round that began with several connections"];
    for (const int connection : opened) waiting_[connection] = {{.kind = Kind::wait}, 0, 0};
  }

  void feed(int connection, const core::TransferEvent& event) {
    const core::Transfer::Moment at{now_, double(random_() % 1000) / 1000};
    const auto listing = waiting_[connection].listing;
    waiting_.erase(connection);
    woken_.erase(connection);
    auto step = without_details(transfer_.on(connection, event, at));
    const auto expected = without_details(model_.on(connection, event, at));
    CHECK(text(step) == text(expected));
    REQUIRE(step == expected);
    judge(step);
    probe(event, step);
    for (const int opened : step.open) waiting_[opened] = {{.kind = Kind::wait}, 0, 0};
    if (step.kind != Kind::leave) waiting_[connection] = {step, listing, step.range.begin};
    note_wakes();
  }

  /// A connection hears of it later, or after its wait has ended by itself.
  void note_wakes() {
    const auto named = transfer_.to_wake();
    REQUIRE(named == model_.to_wake());
    for (const int connection : named) CHECK(waiting_.at(connection).step.kind == Kind::wait);
    woken_.insert(named.begin(), named.end());
  }

  /// What neither may ever do.
  void judge(const Step& step) {
    CHECK(step.pause <= std::chrono::hours(1));
    CHECK((step.kind == Kind::wait) == (step.pause > base::Milliseconds::zero()));
    if (step.kind != Kind::ask) return;
    CHECK_FALSE(step.range.empty());
    CHECK(transfer_.written_ranges().gaps(step.range) == std::vector<Range>{step.range});
    for (const auto& [connection, other] : waiting_)
      if (other.step.kind == Kind::ask || other.step.kind == Kind::receive)
        CHECK((other.step.range.end <= step.range.begin || step.range.end <= other.at));
    // A body of the whole file is written over what is there already, and may break in the middle of it.
    if (ignored_a_range_) return;
    for (const auto& write : writes_) CHECK((write.end <= step.range.begin || step.range.end <= write.begin));
  }

  void probe(const core::TransferEvent& event, const Step& step) {
    const auto* broken = std::get_if<core::StepFailed>(&event);
    const auto* came = std::get_if<core::AnswerCame>(&event);
    if (broken && !step.retried && step.kind == Kind::find_link)
      ++met_["a link refused that another connection had reported"];
    if (step.retried && step.pause > step.retried->pause) ++met_["a failure within a longer pause"];
    if (step.skip > 0) ++met_["a whole file behind bytes that are here"];
    if (came && came->answer.status == 200 && !waiting_.empty() && step.retried)
      ++met_["a whole file beside other connections"];
    const bool left_at_once = step.kind == Kind::leave && !step.retried && !transfer_.over();
    if (came && left_at_once) ++met_["a whole file that was left to another connection"];
    if (broken && broken->error.code == Errc::rate_limited && left_at_once)
      ++met_["a connection that the store did not want beside others"];
    if (std::holds_alternative<core::Woken>(event) && !transfer_.over()) {
      if (step.kind == Kind::leave) ++met_["a connection that was woken and left"];
      if (step.kind == Kind::wait) ++met_["a connection that was woken and waited on"];
      if (step.kind == Kind::find_link) ++met_["a connection that was woken and went on"];
    }
    if (broken && broken->error.code == Errc::catalogue_busy) ++met_["a catalogue that was busy"];
    if (came && came->answer.etag.empty() && !transfer_.identity().etag.empty() && came->answer.total == size_) {
      if (step.kind == Kind::receive) ++met_["an answer without its ETag that counted"];
      if (step.retried) ++met_["an answer without its ETag that did not"];
      if (step.retried && step.retried->next == core::Next::start_over)
        ++met_["an object that was given up for lack of an ETag"];
    }
    if (std::holds_alternative<core::MoreCame>(event)) ++met_["more bytes than the listing says"];
    const bool left = step.kind == Kind::leave && !transfer_.over() && !waiting_.empty();
    if (left && std::ssize(waiting_) >= target_) ++met_["a connection that left for a lower target"];
  }

  void step() {
    const auto dice = between(random_, 0, 99);
    if (dice < 70) {
      auto any = waiting_.begin();
      std::advance(any, between(random_, 0, std::ssize(waiting_) - 1));
      answer(any->first, any->second);
    } else if (dice < 84) {
      end_a_write();
    } else if (dice < 90) {
      now_ = now_ + base::Milliseconds(between(random_, 0, 30'000));
    } else if (dice < 91) {
      const auto jump = base::Milliseconds(between(random_, -5'000'000, 5'000'000));
      const bool waits = std::any_of(waiting_.begin(), waiting_.end(), [](const auto& each) {
        return each.second.step.pause > base::Milliseconds::zero();
      });
      if (waits && jump < base::Milliseconds::zero()) ++met_["a clock that went back while a connection waited"];
      now_ = now_ + jump;
    } else if (dice < 94) {
      aim();
    } else {
      sync();
    }
    REQUIRE(transfer_.over() == (model_.end() != core::RoundEnd{}));
    REQUIRE(transfer_.bytes_written() == model_.bytes_written());
    REQUIRE(transfer_.durable_ranges().size() == model_.bytes_durable());
    REQUIRE(transfer_.identity() == model_.identity());
  }

  void aim() {
    target_ = int(between(random_, 1, 8));
    const auto change = transfer_.aim(target_, now_);
    const auto& opened = change.open;
    REQUIRE(opened == model_.aim(target_));
    REQUIRE(change.close.empty());
    if (!opened.empty()) ++met_["a target that opened connections"];
    for (const int connection : opened) waiting_[connection] = {{.kind = Kind::wait}, 0, 0};
  }

  void answer(int connection, Waiting& waiting) {
    const auto dice = between(random_, 0, 999);
    if (waiting.step.kind == Kind::receive && waiting.at < waiting.step.range.end) {
      if (dice < 30) return feed(connection, failure());
      return receive(connection, waiting);
    }
    const bool final = waiting.step.kind == Kind::find_link || waiting.step.kind == Kind::record;
    if (final && dice < 2) return feed(connection, failure());
    if (waiting.step.kind == Kind::record && dice < 300)
      return feed(connection, core::StepFailed{{Errc::catalogue_busy}});
    if (waiting.step.kind == Kind::find_link) {
      newest_listing_ = std::max<int>(newest_listing_ + (dice > 970 ? 1 : 0), waiting.step.newer_than + 1);
      waiting.listing = newest_listing_;
      return feed(connection, core::LinkFound{newest_listing_, dice < 6 ? size_ + mib : size_});
    }
    if (waiting.step.kind == Kind::ask) {
      if (dice < 150) return feed(connection, failure());
      return feed(connection, core::AnswerCame{store_answer(waiting.step.range)});
    }
    if (waiting.step.kind == Kind::expect_end && dice < 100) return feed(connection, core::MoreCame{});
    if (waiting.step.kind == Kind::wait && dice < 900 && woken_.contains(connection))
      return feed(connection, core::Woken{});
    if (waiting.step.kind == Kind::wait && dice < 900) now_ = now_ + waiting.step.pause;
    feed(connection, core::StepDone{});
  }

  core::TransferEvent failure() {
    base::Error error{codes[random_() % codes.size()]};
    if (error.code == Errc::http_status) error.status = chance(random_, 95) ? 500 : 418;
    if (chance(random_, 20)) error.retry_after = std::chrono::seconds(between(random_, -1, 3'700));
    return core::StepFailed{error};
  }

  core::RangeAnswer store_answer(Range wanted) {
    core::RangeAnswer answer;
    const auto dice = between(random_, 0, 99);
    answer.status = chance(random_, ignores_ranges_) ? 200 : 206;
    ignored_a_range_ = ignored_a_range_ || answer.status == 200;
    answer.total = size_;
    answer.range = wanted;
    if (dice < 30) answer.range->end = wanted.begin + between(random_, 1, wanted.size() / mib) * mib;
    if (dice > 96) answer.range.reset();
    answer.etag = dice == 90 ? "another" : "version-" + std::to_string(version_);
    if (chance(random_, forgets_etags_)) answer.etag.clear();
    if (dice == 93) answer.total.reset();
    if (dice == 92) answer.total = size_ + 1;
    return answer;
  }

  void receive(int connection, Waiting& waiting) {
    const auto left = (waiting.step.range.end - waiting.at) / mib;
    const auto count = between(random_, 1, left) * mib;
    CHECK(transfer_.received(connection, count, now_) == count);
    CHECK(transfer_.expects(connection) == model_.received(connection, count, now_));
    writes_.push_back({waiting.at, waiting.at + count});
    waiting.at += count;
  }

  void end_a_write() {
    if (writes_.empty()) return;
    const auto at = random_() % writes_.size();
    const auto range = writes_[at];
    writes_.erase(writes_.begin() + std::ptrdiff_t(at));
    if (between(random_, 0, 3'000) == 0) {
      transfer_.disk_failed({Errc::no_space});
      model_.disk_failed({Errc::no_space});
      note_wakes();
      return;
    }
    transfer_.written(range);
    model_.written(range);
  }

  /// A sync begins, or the one that runs ends, now and then badly.
  void sync() {
    if (!syncing_) {
      syncing_ = {transfer_.written_ranges(), model_.snapshot()};
      return;
    }
    if (between(random_, 0, 300) == 0) {
      ++met_["a sync that failed"];
      transfer_.sync_failed({Errc::io});
      model_.sync_failed({Errc::io});
      note_wakes();
    } else {
      transfer_.synced(syncing_->first);
      model_.synced(syncing_->second);
    }
    syncing_.reset();
  }

  void settle() {
    while (!writes_.empty()) end_a_write();
    syncing_.reset();
    if (transfer_.has_disk_failed()) return;
    if (!transfer_.is_behind()) return;
    transfer_.synced(transfer_.written_ranges());
    model_.synced(model_.snapshot());
  }

  Random random_;
  Probes& met_;
  core::TransferRules rules_;
  std::int64_t size_;
  std::uint64_t ignores_ranges_;  ///< percent of the answers
  std::uint64_t forgets_etags_;   ///< percent of the answers
  std::string etag_;              ///< from an earlier process
  core::Transfer transfer_;
  TransferModel model_;
  std::map<int, Waiting> waiting_;  ///< connections, each with the step that it carries out
  std::set<int> woken_;             ///< those whose wait was ended early, and that have not heard of it
  std::vector<Range> writes_;       ///< begun and not ended
  std::optional<std::pair<core::RangeSet, std::string>> syncing_;
  base::Steady now_{std::chrono::hours(24)};
  int newest_listing_ = 1;
  int version_ = 1;
  int target_ = rules_.connections;
  bool ignored_a_range_ = false;
};

}  // namespace

TEST_CASE("whatever happens in whatever order, the transfer and its naive model do the same") {
  Probes met;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    INFO("seed " << seed);
    Comparison comparison(seed, met);
    comparison.run();
  }
  for (const auto& state : must_be_met) {
    INFO(state);
    CHECK(met[state] > 0);
  }
}
