// Secrets and keys by their fingerprints: first seen, refused, warned of, rotated; and when the key was last used.
// Never holds a secret or a key.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/catalogue/role.hpp"
#include "vtmirror/core/credential.hpp"
#include "vtmirror/core/notice.hpp"

#include <optional>
#include <string>
#include <vector>

namespace vtmirror::catalogue {

class Credentials : Role {
 public:
  explicit Credentials(Connection& connection) : Role(connection) {}

  /// When a listing was last answered with both headers accepted (the API key was in use).
  base::Result<void> keep_key_use(base::Time at);
  base::Result<std::optional<base::Time>> last_key_use() const;

  /// Seen from `at` on, unless it is known already.
  base::Result<void> keep_credential(const std::string& fingerprint, base::Time at);
  base::Result<std::optional<core::CredentialRecord>> credential(const std::string& fingerprint) const;
  /// Refused since `at`, or since an earlier refusal that no acceptance followed. Errors: catalogue, for one unknown.
  base::Result<void> keep_refused(const std::string& fingerprint, base::Time at, const std::string& words);
  base::Result<void> keep_accepted(const std::string& fingerprint);
  base::Result<void> keep_warning(const std::string& fingerprint, const core::SecretWarning& warning, base::Time at,
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
