#include "agent/secret_watch.hpp"

#include "vtmirror/agent/rotation.hpp"
#include "vtmirror/base/text.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

/// A key that was not used for this long is reported.
constexpr std::chrono::days key_idle{60};

base::Date day_of(base::Time time) { return base::Date(std::chrono::floor<std::chrono::days>(time)); }

std::string in_days(std::int64_t days) {
  if (days == 0) return "today";
  return "in " + base::counted(days, "day");
}

core::Cause about(std::string subject, core::Cause cause) {
  cause.subject = std::move(subject);
  return cause;
}

void append(std::vector<core::Field>& fields, std::vector<core::Field> more) {
  std::move(more.begin(), more.end(), std::back_inserter(fields));
}

}  // namespace

void SecretWatch::use(const CredentialSettings& settings, std::shared_ptr<const core::Zone> zone) {
  if (settings.secret_fingerprint != settings_.secret_fingerprint) accepted_ = false;
  if (settings.key_fingerprint != settings_.key_fingerprint) key_accepted_ = false;
  settings_ = settings;
  zone_ = std::move(zone);
  looked_on_.reset();
}

awaitable<void> SecretWatch::look() {
  if (settings_.secret_fingerprint.empty()) co_return;
  const auto today = zone_->day_of(ports_.clock.now());
  if (looked_on_ == today) co_return;
  const auto recalled = co_await recall();
  if (!recalled) {
    log_failure(recalled.error());
    co_return;
  }
  looked_on_ = today;
  const auto days_left = base::days_between(today, expiry_->on);
  if (const auto due = core::warning_due(settings_.warn_days, warned(), days_left)) {
    const auto given = co_await warn(*due);
    if (!given) log_failure(given.error());
  }
  status_ = {.expires_on = expiry_->on, .estimated = expiry_->estimated, .days_left = days_left, .warned = warned()};
}

base::Result<SecretWatch::Known> SecretWatch::read(const catalogue::Credentials& credentials,
                                                   const CredentialSettings& settings) {
  auto secret = credentials.credential(settings.secret_fingerprint);
  if (!secret) return secret.error();
  auto key = credentials.credential(settings.key_fingerprint);
  if (!key) return key.error();
  const auto used = credentials.last_key_use();
  if (!used) return used.error();
  return Known{(*secret).value_or(catalogue::CredentialRecord()), (*key).value_or(catalogue::CredentialRecord()),
               *used};
}

awaitable<base::Result<void>> SecretWatch::recall() {
  auto ask = [settings = settings_,
              now = ports_.clock.now()](catalogue::Credentials& credentials) -> base::Result<Known> {
    if (auto kept = credentials.keep_credential(settings.secret_fingerprint, now); !kept) return kept.error();
    if (auto kept = credentials.keep_credential(settings.key_fingerprint, now); !kept) return kept.error();
    return read(credentials, settings);
  };
  auto known = co_await calls_(std::move(ask));
  if (!known) co_return known.error();
  secret_ = std::move(known->secret);
  key_ = std::move(known->key);
  key_used_ = known->key_used;
  expiry_ = core::expiry_of({settings_.secret_expires_on, settings_.issue, secret_.first_seen}, *zone_);
  co_return base::Result<void>();
}

std::vector<int> SecretWatch::warned() const {
  std::vector<int> days;
  for (const auto& warning : secret_.warnings)
    if (warning.expires_on == expiry_->on) days.push_back(warning.days);
  return days;
}

std::string SecretWatch::expiry_words() const {
  return base::iso8601(expiry_->on) + (expiry_->estimated ? " (estimated)" : "");
}

awaitable<base::Result<void>> SecretWatch::warn(int days) {
  const auto now = ports_.clock.now();
  const auto left = base::days_between(zone_->day_of(now), expiry_->on);
  const catalogue::SecretWarning warning{expiry_->on, days};
  core::Notice notice{.topic = core::Topic::warning,
                      .code = std::string(name(core::ProblemCode::secret_expires)),
                      .urgency = core::Urgency::warning};
  notice.message = "the client secret expires " + in_days(left) + ", on " + expiry_words() +
                   ": run `vtmirror secret rotate` before that day";
  notice.at = now;
  notice.fields.push_back({"expires_on", base::iso8601(expiry_->on)});
  notice.fields.push_back({"days_left", left});
  notice.fields.push_back({"estimated", std::string(expiry_->estimated ? "true" : "false")});
  auto keep = [warning, now, notice, fingerprint = settings_.secret_fingerprint](catalogue::Credentials& credentials) {
    return credentials.keep_warning(fingerprint, warning, now, {notice});
  };
  auto kept = co_await calls_(std::move(keep));
  if (!kept) co_return kept;
  secret_.warnings.push_back(warning);
  ports::Event event{.kind = ports::EventKind::secret_warned, .level = ports::Level::warning};
  event.message = notice.message;
  event.fields.push_back({"expires_on", base::iso8601(expiry_->on)});
  event.fields.push_back({"days_left", std::to_string(left)});
  event.fields.push_back({"estimated", expiry_->estimated ? "true" : "false"});
  ports_.journal.log(event);
  co_return kept;
}

awaitable<void> SecretWatch::note(Acceptance secret, Acceptance key) {
  if (settings_.secret_fingerprint.empty()) co_return;
  accepted_ = secret.accepted;
  key_accepted_ = key.accepted;
  const auto kept = co_await keep(settings_.secret_fingerprint, std::move(secret));
  const auto key_kept = co_await keep(settings_.key_fingerprint, std::move(key));
  const auto recalled = co_await recall();
  for (const auto* done : {&kept, &key_kept, &recalled})
    if (!*done) log_failure(done->error());
}

/// Writes only if the state or the service's words change.
awaitable<base::Result<void>> SecretWatch::keep(std::string fingerprint, Acceptance acceptance) {
  const auto& known = fingerprint == settings_.key_fingerprint ? key_ : secret_;
  const bool recovered = acceptance.accepted && known.refused_at;
  if (!acceptance.refused && !recovered) co_return base::Result<void>();
  auto write = [fingerprint, acceptance,
                now = ports_.clock.now()](catalogue::Credentials& credentials) -> base::Result<void> {
    if (acceptance.accepted) return credentials.keep_accepted(fingerprint);
    if (auto known_now = credentials.keep_credential(fingerprint, now); !known_now) return known_now;
    return credentials.keep_refused(fingerprint, now, core::cause_of(*acceptance.refused));
  };
  auto written = co_await calls_(std::move(write));
  co_return written;
}

bool SecretWatch::rotation_due() const {
  if (!settings_.auto_rotate || !expiry_ || secret_.rotation_began || secret_refused()) return false;
  return status_.days_left && core::last_warning_reached(settings_.warn_days, *status_.days_left);
}

std::vector<core::Problem> SecretWatch::problems(base::Time now) const {
  std::vector<core::Problem> found;
  if (!expiry_) return found;
  if (auto problem = secret_problem()) found.push_back(std::move(*problem));
  if (auto problem = key_problem(now)) found.push_back(std::move(*problem));
  return found;
}

std::vector<core::Field> SecretWatch::expiry_fields() const {
  std::vector<core::Field> fields{{"expires_on", base::iso8601(expiry_->on)}};
  if (expiry_->estimated) fields.push_back({"estimated", std::int64_t{1}});
  return fields;
}

core::SecretStatus SecretWatch::status() const {
  auto status = status_;
  if (!secret_refused() || status.days_left.value_or(0) < 0) return status;
  status.days_left.reset();
  if (std::exchange(status.estimated, false)) status.expires_on.reset();
  return status;
}

std::optional<core::Problem> SecretWatch::secret_problem() const {
  // The days are unknown until the first look, which may have failed at the catalogue.
  const auto& days_left = status_.days_left;
  const bool is_over = days_left && *days_left < 0;
  core::Problem problem{.cause = {.subject = "client secret"}};
  if (secret_.refused_at) {
    problem.code = core::ProblemCode::secret_refused;
    problem.since = *secret_.refused_at;
    problem.cause = about(problem.cause.subject, secret_.refusal);
    if (is_over) append(problem.cause.fields, expiry_fields());
    return problem;
  }
  problem.cause.fields = expiry_fields();
  if (is_over) {
    problem.code = core::ProblemCode::secret_expired;
    if (accepted_) problem.cause.fields.push_back({"accepted", std::int64_t{1}});
    return problem;
  }
  const auto& days = settings_.warn_days;
  if (!days_left || days.empty() || *days_left > *std::max_element(days.begin(), days.end())) return std::nullopt;
  problem.code = core::ProblemCode::secret_expires;
  return problem;
}

std::optional<core::Problem> SecretWatch::key_problem(base::Time now) const {
  core::Problem problem{.cause = {.subject = "API key"}};
  // Use of another key does not count for this one, so its time starts when it was first seen.
  const bool used = key_used_ && *key_used_ >= key_.first_seen;
  if (key_.refused_at) {
    problem.code = core::ProblemCode::key_revoked;
    problem.since = *key_.refused_at;
    problem.cause = about(problem.cause.subject, key_.refusal);
    if (used) problem.cause.fields.push_back({"last_used", base::iso8601(day_of(*key_used_))});
    return problem;
  }
  const auto since = used ? *key_used_ : key_.first_seen;
  if (now - since < key_idle) return std::nullopt;
  problem.code = core::ProblemCode::key_idle;
  problem.since = since + key_idle;
  problem.cause.fields = {{used ? "last_used" : "first_seen", base::iso8601(day_of(since))},
                          {"revoked_on", base::iso8601(day_of(since + core::key_life))}};
  return problem;
}

void SecretWatch::log_failure(const base::Error& error) {
  ports_.journal.log({ports::EventKind::secret_warned,
                      ports::Level::error,
                      "cannot record the state of the client secret: " + error.message(),
                      {{"reason", std::string(base::name(error.code))}}});
}

}  // namespace vtmirror::agent
