// Watches the client secret and the API key: when the secret expires, which warnings were sent, and what was refused.
// Promises each warning once, even over restarts, and that `look` costs nothing until the local day or the settings
// change.
// Never uses the network.
#pragma once

#include "agent/off_loop.hpp"
#include "vtmirror/agent/health.hpp"
#include "vtmirror/core/daemon_state.hpp"

#include <optional>
#include <vector>

namespace vtmirror::agent {

class SecretWatch {
 public:
  SecretWatch(Ports ports, CatalogueCalls& calls) : ports_(ports), calls_(calls) {}

  /// Applies new settings, maybe with another secret. The zone determines the day.
  void use(const CredentialSettings& settings, std::shared_ptr<const core::Zone> zone);

  /// Sends the warning that is due today.
  boost::asio::awaitable<void> look();
  /// After a cycle: which credentials were accepted.
  boost::asio::awaitable<void> note(Acceptance secret, Acceptance key);

  /// Whether the issuer or the service accepted the secret since the settings were applied.
  bool secret_accepted() const { return accepted_; }
  bool key_accepted() const { return key_accepted_; }
  bool secret_refused() const { return secret_.refused_at.has_value(); }
  /// The secret or the key is refused: retrying does not help.
  bool refused() const { return secret_refused() || key_.refused_at.has_value(); }
  /// The last warning is due, and no rotation was begun for this secret.
  bool rotation_due() const;
  /// A process began a rotation and ended before the result.
  bool rotation_cut() const {
    return secret_.rotation_began && secret_.rotation_end.outcome == core::RotationOutcome::none;
  }
  /// A report was already sent on why no rotation could begin.
  bool rotation_postponed() const {
    return !secret_.rotation_began && secret_.rotation_end.outcome != core::RotationOutcome::none;
  }
  const std::string& fingerprint() const { return settings_.secret_fingerprint; }

  /// Of a secret that the issuer refuses, no days that are left, and no estimated day.
  core::SecretStatus status() const;
  std::vector<core::Problem> problems(base::Time now) const;

 private:
  struct Known {
    catalogue::CredentialRecord secret;
    catalogue::CredentialRecord key;
    std::optional<base::Time> key_used;
  };
  static base::Result<Known> read(const catalogue::Credentials& credentials, const CredentialSettings& settings);
  boost::asio::awaitable<base::Result<void>> recall();
  boost::asio::awaitable<base::Result<void>> warn(int days);
  boost::asio::awaitable<base::Result<void>> keep(std::string fingerprint, Acceptance acceptance);
  std::vector<int> warned() const;
  std::string expiry_words() const;
  std::vector<core::Field> expiry_fields() const;
  std::optional<core::Problem> secret_problem() const;
  std::optional<core::Problem> key_problem(base::Time now) const;
  void log_failure(const base::Error& error);

  Ports ports_;
  CatalogueCalls& calls_;
  CredentialSettings settings_;
  std::shared_ptr<const core::Zone> zone_;
  std::optional<base::Date> looked_on_;
  catalogue::CredentialRecord secret_;
  catalogue::CredentialRecord key_;
  std::optional<base::Time> key_used_;
  std::optional<core::Expiry> expiry_;
  bool accepted_ = false;
  bool key_accepted_ = false;
  core::SecretStatus status_;
};

}  // namespace vtmirror::agent
