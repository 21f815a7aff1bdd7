#include "agent/succession.hpp"

#include "agent/off_loop.hpp"
#include "vtmirror/report/sentence.hpp"

#include <utility>

namespace vtmirror::agent {

using boost::asio::awaitable;
using core::RotationOutcome;

namespace {

const core::RotationEnd in_use{RotationOutcome::in_use};
const core::RotationEnd verified_later{RotationOutcome::verified_later};

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
    co_await keep_end(verified_later);
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
    co_await keep_end(verified_later);
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
    co_await keep_end(in_use);
    co_return true;
  }
  core::RotationEnd end{RotationOutcome::failed, core::cause_of(asked.error())};
  co_await keep_failure(std::move(end));
  co_return false;
}

/// Notifies once for each secret, and logs each day.
awaitable<void> Succession::postpone(base::Error error) {
  const bool stopped = error.code == base::Errc::cancelled;
  core::RotationEnd end;
  if (!stopped) {
    end = {RotationOutcome::postponed, core::cause_of(error)};
    log_failure(report::sentence(end));
  }
  // A process that changes the secret now makes the daemon reload its settings.
  if (error.code == base::Errc::locked) co_return;
  std::vector<core::Notice> notices;
  if (!stopped && !watch_.rotation_postponed()) notices.push_back(notice(end));
  co_await keep_end(std::move(end), std::move(notices));
}

awaitable<void> Succession::close_cut_rotation() {
  if (!watch_.rotation_cut()) co_return;
  core::RotationEnd end{RotationOutcome::cut_off};
  co_await keep_failure(std::move(end));
}

awaitable<void> Succession::keep_failure(core::RotationEnd end) {
  log_failure(report::sentence(end));
  co_await keep_end(std::move(end));
}

awaitable<void> Succession::keep_end(core::RotationEnd end) {
  std::vector notices{notice(end)};
  co_await keep_end(std::move(end), std::move(notices));
}

awaitable<void> Succession::keep_end(core::RotationEnd end, std::vector<core::Notice> notices) {
  auto keep = [fingerprint = watch_.fingerprint(), end = std::move(end),
               notices = std::move(notices)](catalogue::Credentials& credentials) {
    return credentials.keep_rotation_end(fingerprint, end, notices);
  };
  const auto kept = co_await calls_(std::move(keep));
  if (!kept) log_failure("cannot record how the rotation ended: " + kept.error().message());
}

core::Notice Succession::notice(const core::RotationEnd& end) const {
  const bool is_in_use = end.outcome == RotationOutcome::in_use || end.outcome == RotationOutcome::verified_later;
  core::Notice notice{.topic = core::Topic::warning,
                      .code = is_in_use ? "secret_changed" : "secret_rotation_failed",
                      .urgency = is_in_use ? core::Urgency::info : core::Urgency::error};
  notice.message = report::sentence(end);
  notice.at = ports_.clock.now();
  return notice;
}

void Succession::log_failure(const std::string& message) {
  ports_.journal.log({ports::EventKind::secret_rotation_failed, ports::Level::error, message});
}

}  // namespace vtmirror::agent
