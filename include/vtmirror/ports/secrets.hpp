// Storage for a client secret that replaced the one from the settings or systemd. Tests kill the process at every step.
// Promises that the new secret is on disk, synced and readable by no other user when `keep_new` returns, and that the
// secret in use is replaced in one step. Every call blocks. Never reveals anything of a secret except its fingerprint.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/base/secret.hpp"
#include "vtmirror/core/expiry.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace vtmirror::ports {

class Secrets {
 public:
  /// The right to change the secret, for one process at a time; released on destruction or when the process dies.
  class Turn {
   public:
    virtual ~Turn() = default;
  };

  virtual ~Secrets() = default;

  /// Errors: locked, if another process is changing the secret; io.
  virtual base::Result<std::unique_ptr<Turn>> acquire_turn() = 0;

  /// Equal secrets have the same fingerprint on this machine, and different ones do not: a digest with a key that is
  /// created at the first use. Errors: io.
  virtual base::Result<std::string> fingerprint(const base::Secret& text) = 0;

  /// Reserves disk space for a new secret. Must precede the request, because the service sends the secret only once.
  /// Errors: io, no_space.
  virtual base::Result<void> make_room() = 0;
  /// Stores a new secret that is not verified yet, in place of an earlier unverified one. Errors: io, no_space.
  virtual base::Result<void> keep_new(const base::Secret& secret) = 0;
  /// Stores the record of a secret, unless there is one already. Errors: io, no_space.
  virtual base::Result<void> keep_issue(const core::SecretIssue& issue) = 0;
  virtual base::Result<std::optional<base::Secret>> unproved() = 0;
  virtual base::Result<void> drop_new() = 0;  ///< removes reserved space and the unproved secret, if any
  /// The unproved secret becomes the one in use. `issue` is its record if none was stored. Errors: io.
  virtual base::Result<void> adopt(const core::SecretIssue& issue) = 0;

  /// Records of the secrets that were stored here, oldest first.
  virtual base::Result<std::vector<core::SecretIssue>> issues() = 0;
  /// Records which given secret that one replaced, if it could not be read at the time.
  virtual base::Result<void> keep_given(const std::string& fingerprint, const std::string& given) = 0;
};

}  // namespace vtmirror::ports
