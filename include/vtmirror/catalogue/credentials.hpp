// Secrets and keys, identified by fingerprint: first seen, refused, warned about, rotated; and when the key was last
// used.
// Never holds a secret or a key.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/base/time.hpp"
#include "vtmirror/catalogue/role.hpp"
#include "vtmirror/core/cause.hpp"
#include "vtmirror/core/notice.hpp"
#include "vtmirror/core/rotation_end.hpp"

#include <optional>
#include <string>
#include <vector>

namespace vtmirror::catalogue {

/// A warning that was sent for a secret, with the day of expiry that it named.
struct SecretWarning {
  base::Date expires_on{};
  int days = 0;
  friend bool operator==(const SecretWarning&, const SecretWarning&) = default;
};

/// What is remembered of a secret or a key, except its value. Identified by its fingerprint, a keyed digest.
struct CredentialRecord {
  base::Time first_seen{};
  std::optional<base::Time> refused_at;      ///< since when the service refuses it; empty while it is accepted
  core::Cause refusal{};                     ///< why, without a subject; of an older version code and text alone
  std::optional<base::Time> rotation_began;  ///< by the daemon itself
  core::RotationEnd rotation_end{};          ///< how that ended, or why none began
  std::vector<SecretWarning> warnings;
};

class Credentials : Role {
 public:
  explicit Credentials(Connection& connection) : Role(connection) {}

  /// Records when the service last accepted both headers of a listing request (the API key was used).
  base::Result<void> keep_key_use(base::Time at);
  base::Result<std::optional<base::Time>> last_key_use() const;

  /// Records the credential as first seen at `at`, unless it is already known.
  base::Result<void> keep_credential(const std::string& fingerprint, base::Time at);
  base::Result<std::optional<CredentialRecord>> credential(const std::string& fingerprint) const;
  /// Records that it is refused since `at`, or since an earlier refusal without an acceptance in between; the
  /// last cause counts, and its subject is not stored. Errors: catalogue, if unknown.
  base::Result<void> keep_refused(const std::string& fingerprint, base::Time at, const core::Cause& why);
  base::Result<void> keep_accepted(const std::string& fingerprint);
  base::Result<void> keep_warning(const std::string& fingerprint, const SecretWarning& warning, base::Time at,
                                  const std::vector<core::Notice>& notices = {});
  /// Must be called before the request is sent, so that a crash cannot lead to a second request. Errors: catalogue, if
  /// unknown.
  base::Result<void> keep_rotation_begun(const std::string& fingerprint, base::Time at);
  /// `none` and `postponed` say that the request was not sent, so that no rotation began. Errors: catalogue, if
  /// unknown.
  base::Result<void> keep_rotation_end(const std::string& fingerprint, const core::RotationEnd& end,
                                       const std::vector<core::Notice>& notices = {});
};

}  // namespace vtmirror::catalogue
