#include "vtmirror/agent/outbox.hpp"

#include "agent/delivery.hpp"
#include "agent/task_group.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

/// How long a change of the clock may go unnoticed while something waits; and the pause after the catalogue has
/// refused.
constexpr base::Milliseconds longest_nap = std::chrono::minutes(1);

std::vector<catalogue::Subscription> subscriptions(const Channels& channels) {
  std::vector<catalogue::Subscription> all;
  for (const auto& channel : channels) all.push_back({channel->name(), channel->topics()});
  return all;
}

/// A delivery that was put off for longer than anything ever is was put off by a clock that was wrong.
base::Milliseconds until_due(const catalogue::Delivery& delivery, base::Time now) {
  const auto left = delivery.due - now;
  const bool waits = delivery.attempts > 0 && left > base::Milliseconds::zero();
  return waits && left <= core::longest_delivery_pause ? left : base::Milliseconds::zero();
}

}  // namespace

namespace {

/// A ring while nobody waits is not lost.
class Bell {
 public:
  explicit Bell(const boost::asio::any_io_executor& loop) : wake_(loop) {}
  int rings() const { return rings_; }
  void ring() {
    ++rings_;
    wake_.notify();
  }
  awaitable<void> next_ring(int heard) {
    while (rings_ == heard) co_await wake_.wait();
  }

 private:
  Wake wake_;
  int rings_ = 0;
};

/// A channel's own line: what is told to it is told by one coroutine.
struct Line {
  Line(const boost::asio::any_io_executor& loop, std::shared_ptr<ports::Channel> c)
      : channel(std::move(c)), bell(loop) {}
  std::shared_ptr<ports::Channel> channel;  ///< empty: set no more
  Bell bell;
  int naps = 0;
  bool open = true;  ///< its coroutine runs
};

}  // namespace

struct Outbox::Body {
  Body(Parts p, Channels c) : parts(p), ledger(p.catalogue), channels(std::move(c)), bell(p.loop), tasks(p.loop) {}

  awaitable<base::Result<void>> subscribe();
  awaitable<void> serve_all();
  awaitable<void> serve(std::shared_ptr<Line> line);
  awaitable<void> serve_once(std::shared_ptr<ports::Channel> channel);
  awaitable<base::Result<std::optional<catalogue::Delivery>>> next(std::shared_ptr<ports::Channel> channel);
  awaitable<void> nap(std::shared_ptr<Line> line, base::Milliseconds pause, int heard);
  awaitable<void> ring_after(std::shared_ptr<Line> line, base::Milliseconds pause, int nap);
  awaitable<void> rest();
  void open_lines();
  void ring();
  DeliveryParts delivery_parts() { return {ledger, parts.clock, parts.journal, parts.stop}; }

  Parts parts;
  Ledger ledger;
  Channels channels;
  std::map<std::string, std::shared_ptr<Line>> lines;
  Bell bell;  ///< the stop, and other settings
  TaskGroup tasks;
  bool changed = false;  ///< other settings are to be taken
};

Outbox::Outbox(Parts parts, Channels channels) : body_(std::make_unique<Body>(parts, std::move(channels))) {}
Outbox::~Outbox() = default;

void Outbox::wake() { body_->ring(); }

void Outbox::take(Channels channels) {
  body_->channels = std::move(channels);
  body_->changed = true;
  body_->ring();
}

awaitable<base::Result<void>> Outbox::begin() {
  auto begun = co_await body_->subscribe();
  co_return begun;
}

awaitable<void> Outbox::run() { co_await body_->serve_all(); }

awaitable<void> Outbox::deliver_due() {
  for (const auto& channel : body_->channels) body_->tasks.spawn(body_->serve_once(channel));
  co_await body_->tasks.join();
}

awaitable<base::Result<void>> Outbox::Body::subscribe() {
  auto set = [wanted = subscriptions(channels)](catalogue::Notices& notices) { return notices.set_channels(wanted); };
  const auto ended = co_await ledger(std::move(set));
  if (!ended) co_return ended.error();
  for (const auto& channel : *ended) tell_ended(parts.journal, channel);
  co_return base::Result<void>();
}

awaitable<void> Outbox::Body::serve_all() {
  const ports::Stop::Registration stop(parts.stop, [this] { ring(); });
  open_lines();
  while (!parts.stop.requested()) {
    const int heard = bell.rings();
    if (changed) {
      open_lines();
      const auto wanted = channels;
      const auto subscribed = co_await subscribe();
      if (!subscribed) tell_refused(parts.journal, subscribed.error());
      changed = channels != wanted;
      continue;
    }
    co_await bell.next_ring(heard);
  }
  co_await tasks.join();
}

void Outbox::Body::ring() {
  bell.ring();
  for (auto& [name, line] : lines) line->bell.ring();
}

/// A line for each channel that is set. One that is set no more ends its line by itself, and until then the line stays
/// known: were the channel set again meanwhile, it must not have two.
void Outbox::Body::open_lines() {
  std::erase_if(lines, [](const auto& line) { return !line.second->open; });
  for (auto& [name, line] : lines) line->channel.reset();
  for (const auto& channel : channels) {
    auto& line = lines[channel->name()];
    if (line != nullptr) {
      line->channel = channel;
      continue;
    }
    line = std::make_shared<Line>(parts.loop, channel);
    tasks.spawn(serve(line));
  }
  ring();
}

awaitable<void> Outbox::Body::serve(std::shared_ptr<Line> line) {
  while (!parts.stop.requested() && line->channel != nullptr) {
    const int heard = line->bell.rings();
    const auto channel = line->channel;  // an attempt keeps its channel, whatever is set meanwhile
    const auto delivery = co_await next(channel);
    if (!delivery) {
      tell_refused(parts.journal, delivery.error());
      co_await nap(line, longest_nap, line->bell.rings());
      continue;
    }
    if (!*delivery) {
      co_await line->bell.next_ring(heard);
      continue;
    }
    const auto left = until_due(**delivery, parts.clock.now());
    if (left > base::Milliseconds::zero()) {
      co_await nap(line, std::min(left, longest_nap), heard);
      continue;
    }
    const bool answered = co_await attempt(delivery_parts(), channel, **delivery);
    if (!answered) co_await rest();
  }
  line->open = false;
}

awaitable<void> Outbox::Body::serve_once(std::shared_ptr<ports::Channel> channel) {
  while (!parts.stop.requested()) {
    const auto delivery = co_await next(channel);
    if (!delivery) tell_refused(parts.journal, delivery.error());
    if (!delivery || !*delivery) co_return;
    if (until_due(**delivery, parts.clock.now()) > base::Milliseconds::zero()) co_return;
    const bool answered = co_await attempt(delivery_parts(), channel, **delivery);
    if (!answered) co_return;
  }
}

awaitable<base::Result<std::optional<catalogue::Delivery>>> Outbox::Body::next(
    std::shared_ptr<ports::Channel> channel) {
  auto read = [name = channel->name(), order = channel->order()](catalogue::Notices& notices) {
    return notices.next_delivery(name, order);
  };
  auto found = co_await ledger(std::move(read));
  co_return found;
}

/// Ends early when something is queued, when the settings change, and at the stop.
awaitable<void> Outbox::Body::nap(std::shared_ptr<Line> line, base::Milliseconds pause, int heard) {
  if (parts.stop.requested()) co_return;
  tasks.spawn(ring_after(line, pause, ++line->naps));
  co_await line->bell.next_ring(heard);
}

/// Where nobody answers, what else is due need not find out one after another.
awaitable<void> Outbox::Body::rest() {
  const auto rested = co_await parts.clock.wait(longest_nap);
  static_cast<void>(rested);  // the stop is looked for next
}

/// Rings only for its own nap: one that was cut short must not end the next.
awaitable<void> Outbox::Body::ring_after(std::shared_ptr<Line> line, base::Milliseconds pause, int nap) {
  const auto waited = co_await parts.clock.wait(pause);
  if (waited && nap == line->naps) line->bell.ring();
}

}  // namespace vtmirror::agent
