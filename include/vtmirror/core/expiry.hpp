// When the client secret ends, which of its warnings is due, and which of two secrets is the newer one. Pure.
// Promises that no warning is due twice for one secret and one day of expiry, whatever the clock does.
// Never holds a secret: fingerprints are keyed digests.
#pragma once

#include "vtmirror/base/time.hpp"
#include "vtmirror/core/schedule.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace vtmirror::core {

/// The record of a secret that came after the one that settings or systemd give: from /credentials or from a person.
struct SecretIssue {
  std::string fingerprint;  ///< of that secret
  base::Time at{};
  bool by_service = false;  ///< through /credentials: `at` is when it was made
  /// Fingerprint of the secret that settings or systemd gave at that time; "" where they gave none, and empty where it
  /// could not be read.
  std::optional<std::string> given;
  std::optional<base::Date> date_then;  ///< credentials.secret_expires_on at that time
  friend bool operator==(const SecretIssue&, const SecretIssue&) = default;
};

/// Where a day of expiry comes from.
enum class ExpirySource {
  settings,    ///< credentials.secret_expires_on
  issue,       ///< two years after the day on which the service made it, or a person gave it
  first_seen,  ///< two years after this secret was first seen
};
std::string_view name(ExpirySource source) noexcept;

struct Expiry {
  base::Date on{};
  ExpirySource source{};
  bool estimated = false;
  friend bool operator==(const Expiry&, const Expiry&) = default;
};

/// What is known of the secret in use.
struct SecretFacts {
  std::optional<base::Date> in_settings;
  std::optional<SecretIssue> issue;  ///< of this very secret
  base::Time first_seen{};
};

/// A secret lives two years (vtmirror-service(7) 5). A day in the settings is for the secret that they name: for one
/// that was issued since, its own issue counts, unless that day has been changed after it.
Expiry expiry_of(const SecretFacts& facts, const Zone& zone);

/// The service revokes an API key that was not used for so long (vtmirror-service(7) 5).
inline constexpr std::chrono::days key_life{90};

/// Two years on; 29 February becomes 28 February.
base::Date two_years_after(base::Date day);

/// The one warning to send now, by its number of days: the most urgent one that is reached, unless it or a more urgent
/// one was sent. None after the day of expiry.
std::optional<int> warning_due(std::span<const int> warn_days, std::span<const int> sent, std::int64_t days_left);

/// The last and most urgent warning has its time: what must still be done before the expiry is to be done now.
bool last_warning_reached(std::span<const int> warn_days, std::int64_t days_left);

enum class WhichSecret { given, kept };
struct SecretChoice {
  WhichSecret which{};
  std::string why;  ///< for `secret status`: "it is newer than ...", with no secret in it
};
/// Both are there: the one that settings or systemd give, and the one kept in the state directory. The kept one wins
/// when it was issued after the given one, and until that one is replaced. `issue` is the kept one's record.
SecretChoice choose_secret(const std::string& given, const std::string& kept, const std::optional<SecretIssue>& issue);

}  // namespace vtmirror::core
