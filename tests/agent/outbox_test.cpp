#include "agent/outbox_rig.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <set>

namespace vtmirror::test {
namespace {

using Order = core::DeliveryOrder;
const base::Error unreachable{base::Errc::unreachable, "hooks.example: connection refused"};

TEST_CASE("an event is sent to every channel at once, and then deleted") {
  OutboxRig rig;
  const auto one = rig.channel("one");
  const auto other = rig.channel("other", Order::kept);
  const auto process = rig.start({one, other});
  rig.publish(1);
  OutboxRig::run_until(*process, [&] { return rig.all_delivered(); });
  CHECK(files_of(one->taken) == std::vector<std::string>{"file-1.zip"});
  CHECK(one->taken == other->taken);
  CHECK(rig.clock.waits.empty());
  CHECK(rig.journal.count(ports::EventKind::notice_delivered) == 2);
  OutboxRig::stop(*process);
}

TEST_CASE("notices that were queued before the start are sent") {
  OutboxRig rig;
  const auto channel = rig.channel("one");
  OutboxRig::stop(*rig.start({channel}));
  rig.publish(1);
  CHECK(channel->taken.empty());
  const auto process = rig.start({channel});
  OutboxRig::run_until(*process, [&] { return rig.all_delivered(); });
  CHECK(channel->taken.size() == 1);
  OutboxRig::stop(*process);
}

TEST_CASE("a channel that is down for days is tried at growing intervals, and gets every notice when it is back") {
  OutboxRig rig;
  const auto channel = rig.channel("webhook");
  const auto start = rig.clock.now();
  channel->refuse = [&](const core::Notice&) {
    return rig.clock.now() < start + std::chrono::hours(72) ? std::optional(unreachable) : std::nullopt;
  };
  const auto process = rig.start({channel});
  for (int number = 1; number <= 3; ++number) rig.publish(number);
  OutboxRig::run_until(*process, [&] { return rig.all_delivered(); });
  CHECK(channel->taken.size() == 3);
  // Each of the 3 notices is tried several times on the first day, and then four times a day.
  CHECK(channel->attempts.size() < 3 * 25);
  CHECK(channel->attempts.size() > 3 * 12);
  CHECK(rig.clock.now() - start < std::chrono::hours(79));
  long warnings = 0;
  for (const auto& event : rig.journal.events)
    if (event.kind == ports::EventKind::notice_delayed && event.level == ports::Level::warning) ++warnings;
  CHECK(warnings == 3);
  OutboxRig::stop(*process);
}

TEST_CASE("a hook fails for an event that has no words of its own") {
  OutboxRig rig;
  const auto hook = rig.channel("hook on-cycle e03d2b81", Order::kept);
  hook->refuse = [](const core::Notice&) { return std::optional(unreachable); };
  const auto process = rig.start({hook});
  core::Notice ended{.topic = core::Topic::cycle, .code = "cycle"};
  ended.at = rig.clock.now();
  REQUIRE(rig.catalogue.keep_problems({}, {ended}));
  OutboxRig::run_until(*process, [&] { return rig.journal.count(ports::EventKind::notice_delayed) > 0; });
  OutboxRig::stop(*process);
  const auto said = [&rig](const std::string& words) {
    return std::ranges::any_of(rig.journal.events,
                               [&words](const ports::Event& event) { return event.message.starts_with(words); });
  };
  CHECK(said("hook on-cycle e03d2b81 failed for the event \"cycle\": "));
}

TEST_CASE("a slow or failing channel does not hold up another one") {
  OutboxRig rig;
  const auto failing = rig.channel("hook", Order::kept);
  failing->refuse = [](const core::Notice&) { return std::optional(unreachable); };
  const auto well = rig.channel("webhook");
  const auto process = rig.start({failing, well});
  for (int number = 1; number <= 3; ++number) rig.publish(number);
  OutboxRig::run_until(*process, [&] { return well->taken.size() == 3; });
  CHECK(failing->taken.empty());
  OutboxRig::stop(*process);
}

TEST_CASE("a hook that fails is not passed over: later notices come after it, in their order") {
  OutboxRig rig;
  const auto hook = rig.channel("hook", Order::kept);
  int failures = 5;
  hook->refuse = [&](const core::Notice&) { return failures-- > 0 ? std::optional(unreachable) : std::nullopt; };
  const auto process = rig.start({hook});
  for (int number = 1; number <= 3; ++number) rig.publish(number);
  OutboxRig::run_until(*process, [&] { return rig.all_delivered(); });
  CHECK(files_of(hook->taken) == std::vector<std::string>{"file-1.zip", "file-2.zip", "file-3.zip"});
  OutboxRig::stop(*process);
}

TEST_CASE("a notice that a receiver never takes does not hold up the others where the order is not kept") {
  OutboxRig rig;
  const auto webhook = rig.channel("webhook");
  webhook->refuse = [](const core::Notice& notice) {
    return notice.message.starts_with("file-1") ? std::optional(unreachable) : std::nullopt;
  };
  const auto process = rig.start({webhook});
  for (int number = 1; number <= 3; ++number) rig.publish(number);
  OutboxRig::run_until(*process, [&] { return rig.catalogue.deliveries().value().size() == 1; });
  CHECK(files_of(webhook->taken) == std::vector<std::string>{"file-2.zip", "file-3.zip"});
  OutboxRig::stop(*process);
}

TEST_CASE("a heartbeat that was down gets only the newest cycle") {
  OutboxRig rig;
  const auto heartbeat = rig.channel("heartbeat", Order::newest);
  bool down = true;
  heartbeat->refuse = [&](const core::Notice&) { return down ? std::optional(unreachable) : std::nullopt; };
  const auto process = rig.start({heartbeat});
  for (int number = 1; number <= 3; ++number) rig.publish(number);
  OutboxRig::run_until(*process, [&] { return heartbeat->attempts.size() >= 3; });
  down = false;
  OutboxRig::run_until(*process, [&] { return rig.all_delivered(); });
  CHECK(files_of(heartbeat->taken) == std::vector<std::string>{"file-3.zip"});
  OutboxRig::stop(*process);
}

TEST_CASE("a channel that does not answer is not tried with each notice in turn, one that answers is") {
  OutboxRig rig;
  const auto silent = rig.channel("silent");
  silent->refuse = [](const core::Notice&) { return std::optional(unreachable); };
  const auto picky = rig.channel("picky");
  picky->refuse = [](const core::Notice&) {
    return std::optional(base::Error{base::Errc::forbidden, "HTTP 400 from hooks.example"});
  };
  OutboxRig::Process process(rig, {silent, picky});
  bool begun = false;
  process.spawn(OutboxRig::begin(process.outbox, begun));
  OutboxRig::run_until(process, [&begun] { return begun; });
  for (int number = 1; number <= 5; ++number) rig.publish(number);
  process.spawn(process.outbox.deliver_due());
  OutboxRig::run_to_the_end(process);
  CHECK(silent->attempts.size() == 1);
  CHECK(picky->attempts.size() == 5);
}

TEST_CASE("a receiver that asks for a pause gets it") {
  OutboxRig rig;
  const auto webhook = rig.channel("webhook");
  webhook->refuse = [&](const core::Notice&) {
    base::Error busy{base::Errc::rate_limited, "HTTP 429 from hooks.example"};
    busy.retry_after = std::chrono::minutes(40);
    return webhook->attempts.size() == 1 ? std::optional(busy) : std::nullopt;
  };
  const auto process = rig.start({webhook});
  rig.publish(1);
  OutboxRig::run_until(*process, [&] { return rig.all_delivered(); });
  CHECK(webhook->attempts.at(1) - webhook->attempts.at(0) >= std::chrono::minutes(40));
  OutboxRig::stop(*process);
}

TEST_CASE("a delivery that a wrong clock postponed for years is made when the clock is right again") {
  OutboxRig rig;
  const auto webhook = rig.channel("webhook");
  webhook->refuse = [&](const core::Notice&) { return std::optional(unreachable); };
  rig.clock.advance(std::chrono::hours(24 * 365 * 4));
  auto process = rig.start({webhook});
  rig.publish(1);
  OutboxRig::run_until(*process, [&] { return webhook->attempts.size() == 3; });
  OutboxRig::stop(*process);
  process.reset();
  webhook->refuse = nullptr;
  rig.clock.advance(-std::chrono::hours(24 * 365 * 4));
  const auto before = rig.clock.now();
  process = rig.start({webhook});
  OutboxRig::run_until(*process, [&] { return rig.all_delivered(); });
  CHECK(rig.clock.now() - before < std::chrono::hours(1));
  OutboxRig::stop(*process);
}

TEST_CASE("an attempt that the stop ends does not count, and is made again by the next process") {
  OutboxRig rig;
  const auto hook = rig.channel("hook", Order::kept);
  auto process = rig.start({hook});
  hook->refuse = [&](const core::Notice&) {
    process->stop.request();
    return std::optional(base::Error{base::Errc::cancelled, "interrupted by the stop: signal 15"});
  };
  rig.publish(1);
  OutboxRig::run_to_the_end(*process);
  const auto left = rig.catalogue.deliveries().value();
  REQUIRE(left.size() == 1);
  CHECK(left.front().attempts == 0);
  CHECK(rig.journal.count(ports::EventKind::notice_delayed) == 0);
  hook->refuse = nullptr;
  process = rig.start({hook});
  OutboxRig::run_until(*process, [&] { return rig.all_delivered(); });
  CHECK(hook->taken.size() == 1);
  OutboxRig::stop(*process);
}

TEST_CASE(
    "after a reload, the notices of a removed channel are dropped and logged, and a new channel gets later ones") {
  OutboxRig rig;
  const auto old = rig.channel("old");
  old->refuse = [](const core::Notice&) { return std::optional(unreachable); };
  const auto fresh = rig.channel("fresh");
  const auto process = rig.start({old});
  rig.publish(1);
  OutboxRig::run_until(*process, [&] { return old->attempts.size() == 2; });
  process->outbox.use({fresh});
  OutboxRig::run_until(*process, [&] { return rig.journal.count(ports::EventKind::notices_ended) == 1; });
  rig.publish(2);
  OutboxRig::run_until(*process, [&] { return rig.all_delivered(); });
  CHECK(files_of(fresh->taken) == std::vector<std::string>{"file-2.zip"});
  OutboxRig::stop(*process);
}

TEST_CASE("a short run tries every due delivery once, and leaves the rest to the next run") {
  OutboxRig rig;
  const auto failing = rig.channel("failing");
  failing->refuse = [](const core::Notice&) { return std::optional(unreachable); };
  const auto well = rig.channel("well", Order::kept);
  for (int run = 1; run <= 2; ++run) {
    OutboxRig::Process process(rig, {failing, well});
    bool begun = false;
    process.spawn(OutboxRig::begin(process.outbox, begun));
    OutboxRig::run_until(process, [&begun] { return begun; });
    if (run == 1) rig.publish(1);
    if (run == 1) rig.publish(2);
    process.spawn(process.outbox.deliver_due());
    OutboxRig::run_to_the_end(process);
  }
  CHECK(well->taken.size() == 2);
  // Each run made one attempt on the failing channel: the first run with the first notice, the second with the other.
  CHECK(failing->attempts.size() == 2);
  CHECK(rig.clock.waits.empty());
  CHECK(rig.catalogue.deliveries().value().size() == 2);
}

/// The catalogue cannot be written, as on a full disk: no file can grow or be written any more.
class FullDisk {
 public:
  FullDisk() : before_(std::signal(SIGXFSZ, SIG_IGN)) { ::getrlimit(RLIMIT_FSIZE, &limit_); }
  ~FullDisk() {
    set(limit_.rlim_cur);
    std::signal(SIGXFSZ, before_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;
  void fill() { set(0); }

 private:
  void set(rlim_t bytes) const {
    const rlimit limit{bytes, limit_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  void (*before_)(int);
  rlimit limit_{};
};

TEST_CASE(
    "a short run ends although what came of a delivery cannot be recorded, and says that the next run repeats it") {
  for (const bool delivered : {true, false}) {
    CAPTURE(delivered);
    OutboxRig rig;
    const auto channel = rig.channel("one", Order::kept);
    OutboxRig::stop(*rig.start({channel}));
    rig.publish(1);
    rig.publish(2);
    {
      FullDisk disk;
      channel->refuse = [&](const core::Notice&) {
        disk.fill();
        return delivered ? std::nullopt : std::optional(base::Error{base::Errc::http_status, "HTTP 500"});
      };
      OutboxRig::Process process(rig, {channel});
      process.spawn(process.outbox.deliver_due());
      OutboxRig::run_to_the_end(process);
    }
    CHECK(channel->attempts.size() == 1);
    CHECK(rig.clock.waits.empty());
    CHECK(std::ranges::count_if(rig.journal.events, [](const ports::Event& event) {
            return event.message.starts_with("cannot record whether one received published file-1.zip: ") &&
                   event.message.ends_with("; the next run sends it again");
          }) == 1);
    CHECK(rig.catalogue.deliveries().value().size() == 2);
    channel->refuse = nullptr;
    OutboxRig::Process next(rig, {channel});
    next.spawn(next.outbox.deliver_due());
    OutboxRig::run_to_the_end(next);
    CHECK(rig.all_delivered());
  }
}

TEST_CASE("a reload whose channels the catalogue could not store is tried again, until they get their notices") {
  OutboxRig rig;
  const auto old = rig.channel("old");
  old->refuse = [](const core::Notice&) { return std::optional(unreachable); };
  const auto fresh = rig.channel("fresh");
  const auto process = rig.start({old});
  rig.publish(1);
  OutboxRig::run_until(*process, [&] { return old->attempts.size() == 1; });
  const auto delayed = [&] { return rig.journal.count(ports::EventKind::notice_delayed); };
  OutboxRig::run_until(*process, [&] { return delayed() == 1; });
  rig.clock.waits.clear();
  {
    FullDisk disk;
    disk.fill();
    process->outbox.use({fresh});
    OutboxRig::run_until(*process, [&] { return delayed() == 3; });
    CHECK(rig.journal.count(ports::EventKind::notices_ended) == 0);
  }
  OutboxRig::run_until(*process, [&] { return rig.journal.count(ports::EventKind::notices_ended) == 1; });
  CHECK(std::ranges::count(rig.clock.waits, std::chrono::minutes(1)) >= 2);
  rig.publish(2);
  OutboxRig::run_until(*process, [&] { return rig.all_delivered(); });
  CHECK(files_of(fresh->taken) == std::vector<std::string>{"file-2.zip"});
  CHECK(old->taken.empty());
  OutboxRig::stop(*process);
}

TEST_CASE("no attempt begins after the stop, whenever it comes") {
  for (int steps = 0; steps <= 20; ++steps) {
    CAPTURE(steps);
    OutboxRig rig;
    const auto channel = rig.channel("one");
    OutboxRig::stop(*rig.start({channel}));
    rig.publish(1);
    OutboxRig::Process process(rig, {channel});
    process.spawn(process.outbox.run());
    for (int step = 0; step < steps && !rig.all_delivered(); ++step) process.loop.run_one();
    const auto before = channel->attempts.size();
    OutboxRig::stop(process);
    CHECK(channel->attempts.size() == before);
  }
}

/// Runs one process after another, each for some steps until it dies, until every notice is delivered. Returns the
/// number of deaths.
int log_everything(OutboxRig& rig, const agent::Channels& channels, int steps) {
  for (int deaths = 0;; ++deaths) {
    const auto process = rig.start(channels);
    // Each process runs longer than the one before, so that one of them finishes.
    for (int step = 0; step < steps + deaths && !rig.all_delivered(); ++step) process->loop.run_one();
    if (rig.all_delivered()) {
      OutboxRig::stop(*process);
      return deaths;
    }
  }
}

TEST_CASE(
    "over processes that die at any step each notice comes at least once, in order where it is kept, and twice only by "
    "a death") {
  int all_deaths = 0;
  for (int steps = 1; steps <= 60; ++steps) {
    CAPTURE(steps);
    OutboxRig rig;
    const auto hook = rig.channel("hook", Order::kept);
    const auto webhook = rig.channel("webhook");
    int turn = 0;
    webhook->refuse = [&](const core::Notice&) { return ++turn % 3 == 0 ? std::nullopt : std::optional(unreachable); };
    OutboxRig::stop(*rig.start({hook, webhook}));
    for (int number = 1; number <= 3; ++number) rig.publish(number);
    const int deaths = log_everything(rig, {hook, webhook}, steps);
    all_deaths += deaths;
    const auto extra = hook->taken.size() + webhook->taken.size() - 6;
    CHECK(extra <= static_cast<std::size_t>(2 * deaths));
    std::set<std::string> ids;
    std::vector<core::Notice> first;
    for (const auto& notice : hook->taken)
      if (ids.insert(notice.id).second) first.push_back(notice);
    CHECK(files_of(first) == std::vector<std::string>{"file-1.zip", "file-2.zip", "file-3.zip"});
    std::set<std::string> others;
    for (const auto& notice : webhook->taken) others.insert(notice.id);
    CHECK(others == ids);
  }
  CHECK(all_deaths > 100);
}

}  // namespace
}  // namespace vtmirror::test
