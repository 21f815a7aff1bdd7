// Secrets and keys by their fingerprints: first seen, refused, warned of, rotated; and when the key was last used.
// Never holds a secret or a key.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/base/time.hpp"
#include "vtmirror/catalogue/role.hpp"
#include "vtmirror/core/notice.hpp"

#include <optional>
#include <string>
#include <vector>

namespace vtmirror::catalogue {

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

class Credentials : Role {
 public:
  explicit Credentials(Connection& connection) : Role(connection) {}

  /// When a listing was last answered with both headers accepted (the API key was in use).
  base::Result<void> keep_key_use(base::Time at);
  base::Result<std::optional<base::Time>> last_key_use() const;

  /// Seen from `at` on, unless it is known already.
  base::Result<void> keep_credential(const std::string& fingerprint, base::Time at);
  base::Result<std::optional<CredentialRecord>> credential(const std::string& fingerprint) const;
  /// Refused since `at`, or since an earlier refusal that no acceptance followed. Errors: catalogue, for one unknown.
  base::Result<void> keep_refused(const std::string& fingerprint, base::Time at, const std::string& words);
  base::Result<void> keep_accepted(const std::string& fingerprint);
  base::Result<void> keep_warning(const std::string& fingerprint, const SecretWarning& warning, base::Time at,
                                  const std::vector<core::Notice>& notices = {});
  /// To be called before the request is sent, so that no crash makes two of it. Errors: catalogue, for one unknown.
  base::Result<void> keep_rotation_begun(const std::string& fingerprint, base::Time at);
  base::Result<void> keep_rotation_ended(const std::string& fingerprint, const std::string& words,
                                         const std::vector<core::Notice>& notices = {});
  /// The request was not sent, so that none was begun. Errors: catalogue, for one unknown.
  base::Result<void> keep_rotation_postponed(const std::string& fingerprint, const std::string& words,
                                             const std::vector<core::Notice>& notices = {});
};

}  // namespace vtmirror::catalogue
