// When the client secret expires, which of its warnings is due, and which of two secrets is used. Pure.
// Promises that no warning is due twice for one secret and day of expiry, whatever the clock does.
// Never holds a secret: fingerprints are keyed digests.
#pragma once

#include "vtmirror/base/time.hpp"
#include "vtmirror/core/schedule.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace vtmirror::core {

/// The record of a secret that replaced the one from the settings or systemd: it came from /credentials or from a
/// person.
struct SecretIssue {
  std::string fingerprint;  ///< of that secret
  base::Time at{};
  bool by_service = false;  ///< through /credentials; `at` is the time of its creation
  /// Fingerprint of the secret that the settings or systemd provided at that time; "" if they provided none, empty if
  /// it could not be read.
  std::optional<std::string> given;
  std::optional<base::Date> date_then;  ///< credentials.secret_expires_on at that time
  friend bool operator==(const SecretIssue&, const SecretIssue&) = default;
};

/// Where a day of expiry comes from.
enum class ExpirySource {
  settings,    ///< credentials.secret_expires_on
  issue,       ///< two years after the day on which the service issued it, or a person set it
  first_seen,  ///< two years after this secret was first seen
};
std::string_view name(ExpirySource source) noexcept;

struct Expiry {
  base::Date on{};
  ExpirySource source{};
  bool estimated = false;
  friend bool operator==(const Expiry&, const Expiry&) = default;
};

/// What is known about the secret in use.
struct SecretFacts {
  std::optional<base::Date> in_settings;
  std::optional<SecretIssue> issue;  ///< of this secret
  base::Time first_seen{};
};

/// A secret lives two years (vtmirror-service(7) 5). A day in the settings applies to the secret in the settings: a
/// secret that was issued since then expires by its own issue, unless that day was changed after it.
Expiry expiry_of(const SecretFacts& facts, const Zone& zone);

/// The service revokes an API key that was not used for this long (vtmirror-service(7) 5).
inline constexpr std::chrono::days key_life{90};

/// Two years on; 29 February becomes 28 February.
base::Date two_years_after(base::Date day);

/// The one warning to send now, as its number of days: the most urgent one that is reached, unless it or a more urgent
/// one was sent. None after the day of expiry.
std::optional<int> warning_due(std::span<const int> warn_days, std::span<const int> sent, std::int64_t days_left);

/// Whether the last and most urgent warning is due: the secret must be renewed now.
bool last_warning_reached(std::span<const int> warn_days, std::int64_t days_left);

enum class WhichSecret { given, kept };
struct SecretChoice {
  WhichSecret which{};
  std::string why;  ///< for `secret status`: "it is newer than ...", with no secret in it
};
/// Chooses between the secret from the settings or systemd and the one in the state directory, if both exist. The kept
/// one wins if it was issued after the given one, until the given one is replaced. `issue` is the kept one's record.
SecretChoice choose_secret(const std::string& given, const std::string& kept, const std::optional<SecretIssue>& issue);

}  // namespace vtmirror::core
