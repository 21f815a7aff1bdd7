#include "agent/succession.hpp"

#include "agent/off_loop.hpp"

#include <utility>

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

constexpr char left_unproved[] = "a new client secret that was not verified before has been verified and is now in use";
constexpr char cut_off[] =
    "the request for a new client secret was cut off when the daemon ended: the service may have issued a secret, "
    "which "
    "is lost; the daemon does not ask again: run `vtmirror secret rotate`";

}  // namespace

void Succession::use(const DaemonSettings& settings) {
  settings_ = settings.rotation;
  secrets_ = settings.secrets;
  zone_ = settings.health.zone;
  looked_on_.reset();
}

Rotation Succession::rotation() {
  return {{ports_.clock, ports_.dice, ports_.http, ports_.journal}, ports_.pool, *secrets_, settings_};
}

awaitable<bool> Succession::run() {
  if (!secrets_) co_return false;
  const auto today = zone_->day_of(ports_.clock.now());
  if (looked_on_ != today) {
    looked_on_ = today;
    const auto left = co_await finish();
    if (left == Left::in_use) co_return true;
    if (left == Left::nothing) co_await close_cut_rotation();
  }
  if (!watch_.rotation_due() || tried_on_ == today) co_return false;
  tried_on_ = today;
  const bool rotated = co_await rotate();
  co_return rotated;
}

awaitable<Succession::Left> Succession::finish() {
  auto look = [secrets = secrets_]() -> base::Result<bool> {
    const auto unproved = secrets->unproved();
    if (!unproved) return unproved.error();
    return unproved->has_value();
  };
  const auto there = co_await off_loop(ports_.pool.get_executor(), std::move(look));
  if (!there) log_failure("cannot read the secret in the state directory: " + there.error().message());
  if (!there) co_return Left::unproved;
  if (!*there) co_return Left::nothing;
  auto rotating = rotation();
  const auto finished = co_await rotating.finish();
  if (finished && *finished) {
    co_await keep_end(notice("secret_changed", core::Urgency::info, left_unproved));
    co_return Left::in_use;
  }
  // A process that changes the secret now makes the daemon reload its settings.
  if (!finished && finished.error().code != base::Errc::locked)
    log_failure("a new client secret could not be verified: " + finished.error().message());
  co_return finished ? Left::nothing : Left::unproved;
}

awaitable<bool> Succession::rotate() {
  auto rotating = rotation();
  const auto ready = co_await rotating.prepare();
  if (!ready) {
    co_await postpone(ready.error());
    co_return false;
  }
  if (*ready == Rotation::Ready::finished) {
    co_await keep_end(notice("secret_changed", core::Urgency::info, left_unproved));
    co_return true;
  }
  const bool asked = co_await ask(rotating);
  co_return asked;
}

awaitable<bool> Succession::ask(Rotation& rotation) {
  auto begin = [now = ports_.clock.now(), fingerprint = watch_.fingerprint()](catalogue::Credentials& credentials) {
    return credentials.keep_rotation_begun(fingerprint, now);
  };
  const auto begun = co_await calls_(std::move(begin));
  if (!begun) {
    log_failure("no new client secret was requested: " + begun.error().message());
    co_return false;
  }
  const auto asked = co_await rotation.ask();
  if (!asked && !rotation.sent()) {
    co_await postpone(asked.error());
    co_return false;
  }
  if (asked) {
    co_await keep_end(notice("secret_changed", core::Urgency::info,
                             "the daemon requested a new client secret, which was verified and is now in use"));
    co_return true;
  }
  const auto words = "the daemon could not get a new client secret: " + asked.error().message();
  log_failure(words);
  co_await keep_end(notice("secret_rotation_failed", core::Urgency::error, words));
  co_return false;
}

/// Notifies once for each secret, and logs each day.
awaitable<void> Succession::postpone(base::Error error) {
  const auto words = "no new client secret could be requested: " + error.message() + "; to be tried again tomorrow";
  const bool stopped = error.code == base::Errc::cancelled;
  if (!stopped) log_failure(words);
  // A process that changes the secret now makes the daemon reload its settings.
  if (error.code == base::Errc::locked) co_return;
  std::vector<core::Notice> notices;
  if (!stopped && !watch_.rotation_postponed())
    notices.push_back(notice("secret_rotation_failed", core::Urgency::error, words));
  auto keep = [fingerprint = watch_.fingerprint(), why = stopped ? std::string() : words,
               notices = std::move(notices)](catalogue::Credentials& credentials) {
    return credentials.keep_rotation_postponed(fingerprint, why, notices);
  };
  const auto kept = co_await calls_(std::move(keep));
  if (!kept) log_failure("cannot record that: " + kept.error().message());
}

awaitable<void> Succession::close_cut_rotation() {
  if (!watch_.rotation_cut()) co_return;
  log_failure(cut_off);
  co_await keep_end(notice("secret_rotation_failed", core::Urgency::error, cut_off));
}

awaitable<void> Succession::keep_end(core::Notice notice) {
  auto end = [fingerprint = watch_.fingerprint(), notice = std::move(notice)](catalogue::Credentials& credentials) {
    return credentials.keep_rotation_ended(fingerprint, notice.message, {notice});
  };
  const auto ended = co_await calls_(std::move(end));
  if (!ended) log_failure("cannot record how the rotation ended: " + ended.error().message());
}

core::Notice Succession::notice(std::string code, core::Urgency urgency, std::string message) const {
  core::Notice notice{.topic = core::Topic::warning, .code = std::move(code), .urgency = urgency};
  notice.message = std::move(message);
  notice.at = ports_.clock.now();
  return notice;
}

void Succession::log_failure(const std::string& message) {
  ports_.journal.log({ports::EventKind::secret_rotation_failed, ports::Level::error, message});
}

}  // namespace vtmirror::agent
