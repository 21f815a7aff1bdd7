// Secrets and keys, identified by fingerprint: first seen, refused, warned about, rotated; and when the key was last
// used.
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

  /// When the service last accepted both headers of a listing request (the API key was used).
  base::Result<void> keep_key_use(base::Time at);
  base::Result<std::optional<base::Time>> last_key_use() const;

  /// First seen at `at`, unless it is known already.
  base::Result<void> keep_credential(const std::string& fingerprint, base::Time at);
  base::Result<std::optional<core::CredentialRecord>> credential(const std::string& fingerprint) const;
  /// Refused since `at`, or since an earlier refusal without an acceptance in between. Errors: catalogue, if unknown.
  base::Result<void> keep_refused(const std::string& fingerprint, base::Time at, const std::string& words);
  base::Result<void> keep_accepted(const std::string& fingerprint);
  base::Result<void> keep_warning(const std::string& fingerprint, const core::SecretWarning& warning, base::Time at,
                                  const std::vector<core::Notice>& notices = {});
  /// Must be called before the request is sent, so that a crash cannot lead to a second request. Errors: catalogue, if
  /// unknown.
  base::Result<void> keep_rotation_begun(const std::string& fingerprint, base::Time at);
  base::Result<void> keep_rotation_ended(const std::string& fingerprint, const std::string& words,
                                         const std::vector<core::Notice>& notices = {});
  /// The request was not sent, so no rotation began. Errors: catalogue, if unknown.
  base::Result<void> keep_rotation_postponed(const std::string& fingerprint, const std::string& words,
                                             const std::vector<core::Notice>& notices = {});
};

}  // namespace vtmirror::catalogue
