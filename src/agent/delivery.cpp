#include "agent/delivery.hpp"

#include "vtmirror/base/text.hpp"

#include <string>
#include <utility>

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

constexpr base::Milliseconds pause_of_a_refusal = std::chrono::minutes(1);

/// "low_space (began)", "published v1/...zip"
std::string subject_of(const core::Notice& notice) {
  if (notice.stage != core::Stage::single) return notice.code + " (" + std::string(core::name(notice.stage)) + ")";
  for (const auto& field : notice.fields)
    if (field.key == "file" && field.value.index() == 0) return notice.code + ' ' + std::get<std::string>(field.value);
  return notice.code;
}

bool nobody_answered(const base::Error& error) {
  return error.code == base::Errc::unreachable || error.code == base::Errc::timed_out ||
         error.code == base::Errc::tls || error.code == base::Errc::rate_limited;
}

std::vector<ports::Field> fields_of(const catalogue::Delivery& delivery) {
  return {{"channel", delivery.channel}, {"notice", delivery.notice.id}, {"code", delivery.notice.code}};
}

void tell_delivered(ports::Journal& journal, const catalogue::Delivery& delivery, const std::string& how) {
  ports::Event event{.kind = ports::EventKind::notice_delivered, .level = ports::Level::info};
  event.message = delivery.channel + " was told " + subject_of(delivery.notice) + ": " + how;
  event.fields = fields_of(delivery);
  event.fields.push_back({"result", how});
  journal.tell(event);
}

/// What fails for days in the same way is a warning once.
void tell_delayed(ports::Journal& journal, const catalogue::Delivery& delivery, const base::Error& error,
                  std::chrono::seconds pause) {
  const bool known =
      delivery.attempts > 0 && delivery.cause.code == error.code && delivery.cause.status == error.status;
  ports::Event event{.kind = ports::EventKind::notice_delayed,
                     .level = known ? ports::Level::info : ports::Level::warning};
  event.message = delivery.channel + " could not be told " + subject_of(delivery.notice) + ": " + error.message() +
                  "; attempt " + std::to_string(delivery.attempts + 2) + " follows in " + base::human_duration(pause);
  event.fields = fields_of(delivery);
  event.fields.push_back({"reason", error.message()});
  event.fields.push_back({"attempt", std::to_string(delivery.attempts + 1)});
  journal.tell(event);
}

/// Until the catalogue has taken it: a full disk must not make a second message of a delivered one.
template <class Keep>
awaitable<void> put_down(DeliveryParts parts, Keep keep) {
  while (true) {
    auto call = keep;
    const auto kept = co_await parts.ledger(std::move(call));
    if (kept) co_return;
    tell_refused(parts.journal, kept.error());
    const auto waited = co_await parts.clock.wait(pause_of_a_refusal);
    if (!waited) co_return;
  }
}

awaitable<void> keep_delivered(DeliveryParts parts, std::string channel, std::string id, core::DeliveryOrder order) {
  auto keep = [channel, id, order, at = parts.clock.now()](catalogue::Notices& notices) {
    return notices.keep_delivered(channel, id, order, at);
  };
  co_await put_down(parts, std::move(keep));
}

awaitable<void> keep_undelivered(DeliveryParts parts, std::string channel, std::string id, std::chrono::seconds pause,
                                 core::Cause cause) {
  auto keep = [channel, id, cause, due = parts.clock.now() + pause](catalogue::Notices& notices) {
    return notices.keep_undelivered(channel, id, due, cause);
  };
  co_await put_down(parts, std::move(keep));
}

}  // namespace

awaitable<bool> attempt(DeliveryParts parts, std::shared_ptr<ports::Channel> channel, catalogue::Delivery delivery) {
  const auto told = co_await channel->deliver(delivery.notice);
  if (told) {
    tell_delivered(parts.journal, delivery, *told);
    co_await keep_delivered(parts, delivery.channel, delivery.notice.id, channel->order());
    co_return true;
  }
  const bool stopped = told.error().code == base::Errc::cancelled && parts.stop.requested();
  if (stopped) co_return true;
  const auto pause = core::delivery_pause(delivery.attempts + 1, told.error().retry_after);
  tell_delayed(parts.journal, delivery, told.error(), pause);
  auto cause = core::cause_of(told.error());
  co_await keep_undelivered(parts, delivery.channel, delivery.notice.id, pause, std::move(cause));
  co_return !nobody_answered(told.error());
}

void tell_ended(ports::Journal& journal, const catalogue::EndedChannel& channel) {
  const auto notices = [](std::int64_t count) { return std::to_string(count) + (count == 1 ? " notice" : " notices"); };
  const auto untold = channel.deliveries - channel.handed_over;
  ports::Event event{.kind = ports::EventKind::notices_ended, .level = ports::Level::notice};
  event.message = channel.name + " is set no more: ";
  if (channel.handed_over > 0)
    event.message += channel.successor + " will be told " + notices(channel.handed_over) + " that waited for it";
  if (channel.handed_over > 0 && untold > 0) event.message += ", ";
  if (untold > 0) event.message += notices(untold) + " for it will not be told";
  event.fields = {{"channel", channel.name}, {"notices", std::to_string(untold)}};
  if (channel.handed_over > 0) event.fields.push_back({"successor", channel.successor});
  journal.tell(event);
}

void tell_refused(ports::Journal& journal, const base::Error& error) {
  ports::Event event{.kind = ports::EventKind::notice_delayed, .level = ports::Level::error};
  event.message = "nobody can be told of anything: " + error.message();
  event.fields = {{"channel", "every channel"}, {"reason", error.message()}};
  journal.tell(event);
}

}  // namespace vtmirror::agent
