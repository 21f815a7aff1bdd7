// Where the client secret is kept that came after the one of settings or systemd, as a seam: tests kill at every step.
// Promises that a new secret is on disk, synced and open to nobody else when `keep_new` returns, and that the one in
// use is replaced in one step. Every call blocks. Never tells anything of a secret but its fingerprint.
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
  /// The right to change the secret, one process at a time; given back when it goes, or when its process dies.
  class Turn {
   public:
    virtual ~Turn() = default;
  };

  virtual ~Secrets() = default;

  /// Errors: locked, when another process changes the secret now; io.
  virtual base::Result<std::unique_ptr<Turn>> take_turn() = 0;

  /// The same text gives the same fingerprint on this machine, and no other one does: a digest with a key that is made
  /// at its first use. Errors: io.
  virtual base::Result<std::string> fingerprint(const base::Secret& text) = 0;

  /// Room on disk for a new secret: to be made before one is asked for, since it is given once. Errors: io, no_space.
  virtual base::Result<void> make_room() = 0;
  /// A new secret that is not proved yet. It takes the place of an unproved one. Errors: io, no_space.
  virtual base::Result<void> keep_new(const base::Secret& secret) = 0;
  /// The record of a secret, unless there is one already. Errors: io, no_space.
  virtual base::Result<void> keep_issue(const core::SecretIssue& issue) = 0;
  virtual base::Result<std::optional<base::Secret>> unproved() = 0;
  virtual base::Result<void> drop_new() = 0;  ///< room and unproved secret; ok when there is neither
  /// The unproved secret becomes the one in use. `issue` is its record where none was kept. Errors: io.
  virtual base::Result<void> adopt(const core::SecretIssue& issue) = 0;

  /// Records of the secrets that were kept here, oldest first.
  virtual base::Result<std::vector<core::SecretIssue>> issues() = 0;
  /// Says now which given secret that one replaced, where it could not be read then.
  virtual base::Result<void> keep_given(const std::string& fingerprint, const std::string& given) = 0;
};

}  // namespace vtmirror::ports
