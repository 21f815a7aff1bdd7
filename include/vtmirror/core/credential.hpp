// What is remembered of a secret or a key, which is never its text. Values alone.
#pragma once

#include "vtmirror/base/time.hpp"

#include <optional>
#include <string>
#include <vector>

namespace vtmirror::core {

/// A warning that was given for a secret said to expire on that day.
struct SecretWarning {
  base::Date expires_on{};
  int days = 0;
  friend bool operator==(const SecretWarning&, const SecretWarning&) = default;
};

/// By the fingerprint of the secret or key: a keyed digest.
struct CredentialRecord {
  base::Time first_seen{};
  std::optional<base::Time> refused_at;      ///< since when the other side refuses it; empty while it does not
  std::string refusal;                       ///< in its words
  std::optional<base::Time> rotation_began;  ///< by the daemon itself
  std::string rotation_end;                  ///< how that ended, or why none began; empty where it was cut off
  std::vector<SecretWarning> warnings;
};

}  // namespace vtmirror::core
