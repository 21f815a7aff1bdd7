#include "agent/succession.hpp"

#include "agent/off_loop.hpp"

#include <utility>

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

constexpr char cut_off[] =
    "the request for a new client secret was cut off when the daemon ended: the service may have issued one, which is "
    "lost then; it is not asked again by itself; run `vtmirror secret rotate`";

}  // namespace

void Succession::take(const DaemonSettings& settings) {
  settings_ = settings.rotation;
  secrets_ = settings.secrets;
  zone_ = settings.health.zone;
  looked_on_.reset();
}

Rotation Succession::rotation() {
  return {{parts_.clock, parts_.dice, parts_.http, parts_.journal}, parts_.pool, *secrets_, settings_};
}

awaitable<bool> Succession::run() {
  if (!secrets_) co_return false;
  const auto today = zone_->day_of(parts_.clock.now());
  if (looked_on_ != today) {
    looked_on_ = today;
    const bool finished = co_await finish();
    if (finished) co_return true;
    co_await close_cut_rotation();
  }
  if (!watch_.rotation_due() || tried_on_ == today) co_return false;
  tried_on_ = today;
  const bool rotated = co_await rotate();
  co_return rotated;
}

awaitable<bool> Succession::finish() {
  auto look = [secrets = secrets_]() -> base::Result<bool> {
    const auto unproved = secrets->unproved();
    if (!unproved) return unproved.error();
    return unproved->has_value();
  };
  const auto there = co_await off_loop(parts_.pool.get_executor(), std::move(look));
  if (!there) tell_failure("the state directory's secret cannot be looked at: " + there.error().message());
  if (!there || !*there) co_return false;
  auto rotating = rotation();
  const auto finished = co_await rotating.finish();
  if (finished) co_return *finished;
  // Whoever changes it now has us read the settings again.
  if (finished.error().code != base::Errc::locked)
    tell_failure("a new client secret could not be proved: " + finished.error().message());
  co_return false;
}

awaitable<bool> Succession::rotate() {
  auto rotating = rotation();
  const auto ready = co_await rotating.prepare();
  if (!ready) {
    tell_failure("no new client secret could be asked for: " + ready.error().message() +
                 "; it is tried again tomorrow");
    co_return false;
  }
  if (*ready == Rotation::Ready::finished) co_return true;
  const bool asked = co_await ask(rotating);
  co_return asked;
}

awaitable<bool> Succession::ask(Rotation& rotation) {
  auto begin = [now = parts_.clock.now(), fingerprint = watch_.fingerprint()](catalogue::Catalogue& c) {
    return c.keep_rotation_begun(fingerprint, now);
  };
  const auto begun = co_await ledger_(std::move(begin));
  if (!begun) {
    tell_failure("no new client secret was asked for: " + begun.error().message());
    co_return false;
  }
  const auto asked = co_await rotation.ask();
  core::Notice notice{.topic = core::Topic::warning, .code = "secret_changed", .at = parts_.clock.now()};
  notice.message = "a new client secret was asked for by itself, is proved, and is in use";
  if (!asked) {
    notice.code = "secret_rotation_failed";
    notice.urgency = core::Urgency::error;
    notice.message = "no new client secret could be had by itself: " + asked.error().message();
    tell_failure(notice.message);
  }
  const auto words = notice.message;
  co_await keep_end(words, std::move(notice));
  co_return asked.has_value();
}

awaitable<void> Succession::close_cut_rotation() {
  if (!watch_.rotation_cut()) co_return;
  core::Notice notice{.topic = core::Topic::warning, .code = "secret_rotation_failed"};
  notice.urgency = core::Urgency::error;
  notice.message = cut_off;
  notice.at = parts_.clock.now();
  tell_failure(cut_off);
  co_await keep_end(cut_off, std::move(notice));
}

awaitable<void> Succession::keep_end(std::string words, core::Notice notice) {
  auto end = [fingerprint = watch_.fingerprint(), words = std::move(words), notice = std::move(notice)](
                 catalogue::Catalogue& c) { return c.keep_rotation_ended(fingerprint, words, {notice}); };
  const auto ended = co_await ledger_(std::move(end));
  if (!ended) tell_failure("how it ended cannot be kept: " + ended.error().message());
}

void Succession::tell_failure(const std::string& message) {
  parts_.journal.tell({ports::EventKind::secret_rotation_failed, ports::Level::error, message});
}

}  // namespace vtmirror::agent
