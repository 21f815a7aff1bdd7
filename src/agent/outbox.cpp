#include "vtmirror/agent/outbox.hpp"

#include "agent/off_loop.hpp"
#include "agent/wake.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/core/notice.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

/// How long a clock change may go unnoticed while notices wait; also the pause after a failure of the catalogue.
constexpr base::Milliseconds longest_nap = std::chrono::minutes(1);

std::vector<catalogue::Subscription> subscriptions(const Channels& channels) {
  std::vector<catalogue::Subscription> all;
  for (const auto& channel : channels) all.push_back({channel->name(), channel->topics()});
  return all;
}

/// A delivery that is due later than any pause can explain was postponed by a wrong clock.
base::Milliseconds until_due(const catalogue::Delivery& delivery, base::Time now) {
  const auto left = delivery.due - now;
  const bool waits = delivery.attempts > 0 && left > base::Milliseconds::zero();
  return waits && left <= core::longest_delivery_pause ? left : base::Milliseconds::zero();
}

/// What a notice is called by its words, "\"delta 18 Nov does not fit: ...\"", or by its file, "published delta 18
/// Nov". Empty for an event that has neither, such as the end of a cycle.
std::string words_of(const core::Notice& notice) {
  constexpr std::size_t longest = 80;
  for (const auto& field : notice.fields)
    if (field.key == core::headline_field && field.value.index() == 0)
      return '"' + base::printable(std::get<std::string>(field.value), longest) + '"';
  if (notice.topic == core::Topic::warning) return '"' + base::printable(notice.message, longest) + '"';
  for (const auto& field : notice.fields)
    if (field.key == "file" && field.value.index() == 0)
      return notice.code + ' ' + core::short_name(std::get<std::string>(field.value));
  return {};
}

std::string event_of(const core::Notice& notice) { return "the event \"" + notice.code + '"'; }

std::string subject_of(const core::Notice& notice) {
  auto words = words_of(notice);
  return words.empty() ? event_of(notice) : words;
}

/// A hook or a heartbeat reacts to an event.
std::string failed_for(const catalogue::Delivery& delivery) {
  const auto words = words_of(delivery.notice);
  return delivery.channel +
         (words.empty() ? " failed for " + event_of(delivery.notice) : " could not deliver " + words);
}

bool nobody_answered(const base::Error& error) {
  return error.code == base::Errc::unreachable || error.code == base::Errc::timed_out ||
         error.code == base::Errc::tls || error.code == base::Errc::rate_limited;
}

std::vector<ports::Field> fields_of(const catalogue::Delivery& delivery) {
  return {{"channel", delivery.channel}, {"notice", delivery.notice.id}, {"code", delivery.notice.code}};
}

void log_delivered(ports::Journal& journal, const catalogue::Delivery& delivery, const std::string& how) {
  ports::Event event{.kind = ports::EventKind::notice_delivered, .level = ports::Level::info};
  event.message = delivery.channel + " delivered " + subject_of(delivery.notice) + ": " + how;
  event.fields = fields_of(delivery);
  event.fields.push_back({"result", how});
  journal.log(event);
}

/// For a field: with the code.
std::string coded(const base::Error& error) { return std::string(base::name(error.code)) + ": " + error.message(); }

/// A channel that fails for days in the same way is a warning only once.
void log_delayed(ports::Journal& journal, const catalogue::Delivery& delivery, const base::Error& error,
                 const std::string& next_try) {
  const bool known =
      delivery.attempts > 0 && delivery.cause.code == error.code && delivery.cause.status == error.status;
  ports::Event event{.kind = ports::EventKind::notice_delayed,
                     .level = known ? ports::Level::info : ports::Level::warning};
  event.message = failed_for(delivery) + ": " + error.message() + "; next try " + next_try;
  event.fields = fields_of(delivery);
  event.fields.push_back({"reason", coded(error)});
  event.fields.push_back({"attempt", std::to_string(delivery.attempts + 1)});
  journal.log(event);
}

/// Deliveries that were dropped, or moved to another channel.
void log_ended(ports::Journal& journal, const catalogue::EndedChannel& channel) {
  const auto undelivered = channel.deliveries - channel.handed_over;
  ports::Event event{.kind = ports::EventKind::notices_ended, .level = ports::Level::notice};
  event.message = channel.name + " was removed from the settings: ";
  if (channel.handed_over > 0)
    event.message +=
        channel.successor + " receives " + base::counted(channel.handed_over, "notice") + " that waited for it";
  if (channel.handed_over > 0 && undelivered > 0) event.message += ", ";
  if (undelivered > 0) event.message += base::counted(undelivered, "notice") + " for it will not be delivered";
  event.fields = {{"channel", channel.name}, {"notices", std::to_string(undelivered)}};
  if (channel.handed_over > 0) event.fields.push_back({"successor", channel.successor});
  journal.log(event);
}

/// The catalogue failed, so the queued notices are unknown.
void log_refused(ports::Journal& journal, const base::Error& error) {
  ports::Event event{.kind = ports::EventKind::notice_delayed, .level = ports::Level::error};
  event.message = "no notice can be delivered: " + error.message();
  event.fields = {{"channel", "every channel"}, {"reason", coded(error)}};
  journal.log(event);
}

/// The catalogue failed, so it does not know what came of a delivery.
void log_unrecorded(ports::Journal& journal, const catalogue::Delivery& delivery, const base::Error& error,
                    bool short_run) {
  ports::Event event{.kind = ports::EventKind::notice_delayed, .level = ports::Level::error};
  event.message = "cannot record whether " + delivery.channel + " received " + subject_of(delivery.notice) + ": " +
                  error.message() + (short_run ? "; the next run sends it again" : "");
  event.fields = fields_of(delivery);
  event.fields.push_back({"reason", coded(error)});
  journal.log(event);
}

/// A bell that remembers a ring until something waits for it.
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
  /// Numbers the naps that end with a ring: a timer rings for its own nap only.
  int begin_nap() { return ++naps_; }
  int newest_nap() const { return naps_; }

 private:
  Wake wake_;
  int rings_ = 0;
  int naps_ = 0;
};

/// One channel's deliveries: a single coroutine makes all of them.
struct Line {
  Line(const boost::asio::any_io_executor& loop, std::shared_ptr<ports::Channel> c)
      : channel(std::move(c)), bell(std::make_shared<Bell>(loop)) {}
  std::shared_ptr<ports::Channel> channel;  ///< empty if removed from the settings
  std::shared_ptr<Bell> bell;
  bool open = true;  ///< its coroutine is running
};

}  // namespace

struct Outbox::Impl {
  Impl(Ports p, Channels c)
      : ports(p), calls(p.catalogue), channels(std::move(c)), bell(std::make_shared<Bell>(p.loop)), tasks(p.loop) {}

  awaitable<base::Result<void>> subscribe();
  awaitable<bool> resubscribe();
  awaitable<void> serve_all();
  awaitable<void> serve(std::shared_ptr<Line> line);
  awaitable<void> serve_once(std::shared_ptr<ports::Channel> channel);
  awaitable<base::Result<std::optional<catalogue::Delivery>>> next(std::shared_ptr<ports::Channel> channel);
  awaitable<void> nap(std::shared_ptr<Bell> until, base::Milliseconds pause, int heard);
  awaitable<void> ring_after(std::shared_ptr<Bell> rung, base::Milliseconds pause, int nap);
  awaitable<void> rest();
  void open_lines();
  void ring();
  awaitable<bool> attempt(std::shared_ptr<ports::Channel> channel, catalogue::Delivery delivery);
  awaitable<bool> keep_delivered(catalogue::Delivery delivery, core::DeliveryOrder order);
  awaitable<bool> keep_undelivered(catalogue::Delivery delivery, std::chrono::seconds pause, core::Cause cause);
  template <class Keep>
  awaitable<bool> put_down(catalogue::Delivery delivery, Keep keep);

  Ports ports;
  CatalogueCalls calls;
  Channels channels;
  std::map<std::string, std::shared_ptr<Line>> lines;
  std::shared_ptr<Bell> bell;  ///< rings at the stop and for new settings
  TaskGroup tasks;
  bool changed = false;    ///< new settings wait to be applied
  bool short_run = false;  ///< the caller waits for its end
};

Outbox::Outbox(Ports ports, Channels channels) : impl_(std::make_unique<Impl>(ports, std::move(channels))) {}
Outbox::~Outbox() = default;

void Outbox::wake() { impl_->ring(); }

void Outbox::use(Channels channels) {
  impl_->channels = std::move(channels);
  impl_->changed = true;
  impl_->ring();
}

awaitable<base::Result<void>> Outbox::begin() { return impl_->subscribe(); }
awaitable<void> Outbox::run() { return impl_->serve_all(); }

awaitable<void> Outbox::deliver_due() {
  impl_->short_run = true;
  for (const auto& channel : impl_->channels) impl_->tasks.spawn(impl_->serve_once(channel));
  co_await impl_->tasks.join();
}

awaitable<base::Result<void>> Outbox::Impl::subscribe() {
  auto set = [wanted = subscriptions(channels)](catalogue::Notices& notices) { return notices.set_channels(wanted); };
  const auto ended = co_await calls.with_room(std::move(set));
  if (!ended) co_return ended.error();
  for (const auto& channel : *ended) log_ended(ports.journal, channel);
  co_return base::Result<void>();
}

awaitable<void> Outbox::Impl::serve_all() {
  const ports::Stop::Registration stop(ports.stop, [this] { ring(); });
  open_lines();
  while (!ports.stop.requested()) {
    if (!changed) {
      co_await bell->next_ring(bell->rings());
      continue;
    }
    changed = false;
    open_lines();
    const int heard = bell->rings();
    const bool subscribed = co_await resubscribe();
    if (subscribed) continue;
    // Until it succeeds, what the new channels want is not queued for them.
    changed = true;
    co_await nap(bell, longest_nap, heard);
  }
  co_await tasks.join();
}

/// False if the catalogue refused. New settings that come meanwhile are the next call's.
awaitable<bool> Outbox::Impl::resubscribe() {
  const auto subscribed = co_await subscribe();
  if (!subscribed) log_refused(ports.journal, subscribed.error());
  co_return subscribed.has_value();
}

void Outbox::Impl::ring() {
  bell->ring();
  for (auto& [name, line] : lines) line->bell->ring();
}

/// Opens a line for each channel in the settings. The line of a removed channel ends by itself and stays known until
/// then: if the channel were added again meanwhile, it must not have two lines.
void Outbox::Impl::open_lines() {
  std::erase_if(lines, [](const auto& line) { return !line.second->open; });
  for (auto& [name, line] : lines) line->channel.reset();
  for (const auto& channel : channels) {
    auto& line = lines[channel->name()];
    if (line != nullptr) {
      line->channel = channel;
      continue;
    }
    line = std::make_shared<Line>(ports.loop, channel);
    tasks.spawn(serve(line));
  }
  ring();
}

awaitable<void> Outbox::Impl::serve(std::shared_ptr<Line> line) {
  while (!ports.stop.requested() && line->channel != nullptr) {
    const int heard = line->bell->rings();
    const auto channel = line->channel;  // an attempt keeps its channel even if the settings change
    const auto delivery = co_await next(channel);
    if (!delivery) {
      log_refused(ports.journal, delivery.error());
      co_await nap(line->bell, longest_nap, line->bell->rings());
      continue;
    }
    if (!*delivery) {
      co_await line->bell->next_ring(heard);
      continue;
    }
    const auto left = until_due(**delivery, ports.clock.now());
    if (left > base::Milliseconds::zero()) {
      co_await nap(line->bell, std::min(left, longest_nap), heard);
      continue;
    }
    const bool answered = co_await attempt(channel, **delivery);
    if (!answered) co_await rest();
  }
  line->open = false;
}

awaitable<void> Outbox::Impl::serve_once(std::shared_ptr<ports::Channel> channel) {
  while (!ports.stop.requested()) {
    const auto delivery = co_await next(channel);
    if (!delivery) log_refused(ports.journal, delivery.error());
    if (!delivery || !*delivery) co_return;
    if (until_due(**delivery, ports.clock.now()) > base::Milliseconds::zero()) co_return;
    const bool answered = co_await attempt(channel, **delivery);
    if (!answered) co_return;
  }
}

/// One attempt and its record. None begins after the stop, and one that the stop ended leaves no trace. False if
/// another notice would fail too: the receiver did not answer, or the catalogue could not store the result.
awaitable<bool> Outbox::Impl::attempt(std::shared_ptr<ports::Channel> channel, catalogue::Delivery delivery) {
  if (ports.stop.requested()) co_return true;
  const auto delivered = co_await channel->deliver(delivery.notice);
  if (delivered) {
    log_delivered(ports.journal, delivery, *delivered);
    const bool kept = co_await keep_delivered(delivery, channel->order());
    co_return kept;
  }
  const bool stopped = delivered.error().code == base::Errc::cancelled && ports.stop.requested();
  if (stopped) co_return true;
  const auto pause = core::delivery_pause(delivery.attempts + 1, delivered.error().retry_after);
  log_delayed(ports.journal, delivery, delivered.error(),
              short_run ? "with the next run" : "in " + base::human_duration(pause));
  auto cause = core::cause_of(delivered.error());
  const bool kept = co_await keep_undelivered(delivery, pause, std::move(cause));
  co_return kept && !nobody_answered(delivered.error());
}

awaitable<bool> Outbox::Impl::keep_delivered(catalogue::Delivery delivery, core::DeliveryOrder order) {
  auto keep = [delivery, order, at = ports.clock.now()](catalogue::Notices& notices) {
    return notices.keep_delivered(delivery.channel, delivery.notice.id, order, at);
  };
  const bool kept = co_await put_down(std::move(delivery), std::move(keep));
  co_return kept;
}

awaitable<bool> Outbox::Impl::keep_undelivered(catalogue::Delivery delivery, std::chrono::seconds pause,
                                               core::Cause cause) {
  auto keep = [delivery, cause, due = ports.clock.now() + pause](catalogue::Notices& notices) {
    return notices.keep_undelivered(delivery.channel, delivery.notice.id, due, cause);
  };
  const bool kept = co_await put_down(std::move(delivery), std::move(keep));
  co_return kept;
}

/// Repeats until the catalogue has stored it: a full disk must not cause a delivered notice to be sent twice. A short
/// run ends instead, and the next one sends the notice again. False if it was not stored.
template <class Keep>
awaitable<bool> Outbox::Impl::put_down(catalogue::Delivery delivery, Keep keep) {
  while (true) {
    auto call = keep;
    const auto kept = co_await calls.with_room(std::move(call));
    if (kept) co_return true;
    log_unrecorded(ports.journal, delivery, kept.error(), short_run);
    if (short_run) co_return false;
    const auto waited = co_await ports.clock.wait(longest_nap);
    if (!waited) co_return false;
  }
}

awaitable<base::Result<std::optional<catalogue::Delivery>>> Outbox::Impl::next(
    std::shared_ptr<ports::Channel> channel) {
  auto read = [name = channel->name(), order = channel->order()](catalogue::Notices& notices) {
    return notices.next_delivery(name, order);
  };
  auto found = co_await calls(std::move(read));
  co_return found;
}

/// Ends early when something is queued, when the settings change, and at the stop.
awaitable<void> Outbox::Impl::nap(std::shared_ptr<Bell> until, base::Milliseconds pause, int heard) {
  if (ports.stop.requested()) co_return;
  tasks.spawn(ring_after(until, pause, until->begin_nap()));
  co_await until->next_ring(heard);
}

/// If the receiver does not answer, the channel's other notices that are due need not be tried one after another.
awaitable<void> Outbox::Impl::rest() {
  const auto rested = co_await ports.clock.wait(longest_nap);
  static_cast<void>(rested);  // the stop is checked next
}

/// Wakes only the sleep it was started for: the timer of a nap that was cut short must not end the next one.
awaitable<void> Outbox::Impl::ring_after(std::shared_ptr<Bell> rung, base::Milliseconds pause, int nap) {
  const auto waited = co_await ports.clock.wait(pause);
  if (waited && rung->newest_nap() == nap) rung->ring();
}

}  // namespace vtmirror::agent
