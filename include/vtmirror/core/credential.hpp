// What is remembered of a secret or a key, except its value. Only values.
#pragma once

#include "vtmirror/base/time.hpp"

#include <optional>
#include <string>
#include <vector>

namespace vtmirror::core {

/// A warning that was sent for a secret, with the day of expiry that it named.
struct SecretWarning {
  base::Date expires_on{};
  int days = 0;
  friend bool operator==(const SecretWarning&, const SecretWarning&) = default;
};

/// Identified by the fingerprint of the secret or key, which is a keyed digest.
struct CredentialRecord {
  base::Time first_seen{};
  std::optional<base::Time> refused_at;      ///< since when the service refuses it; empty while it is accepted
  std::string refusal;                       ///< the service's words
  std::optional<base::Time> rotation_began;  ///< by the daemon itself
  std::string rotation_end;                  ///< how that ended, or why none began; empty if cut off
  std::vector<SecretWarning> warnings;
};

}  // namespace vtmirror::core
