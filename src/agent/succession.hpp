// The daemon's own part in changing its client secret: verifies a secret that was left unverified, at start, at each
// reload and each day; and requests a new one at the last warning.
// Promises that one request is sent for each secret, even over restarts and kills, and that its result is reported. A
// failure before the request is sent is retried the next day.
#pragma once

#include "agent/off_loop.hpp"
#include "agent/secret_watch.hpp"
#include "vtmirror/agent/daemon.hpp"
#include "vtmirror/agent/rotation.hpp"

#include <optional>
#include <string>

namespace vtmirror::agent {

class Succession {
 public:
  Succession(Ports ports, const SecretWatch& watch) : ports_(ports), calls_(ports.catalogue), watch_(watch) {}

  void use(const DaemonSettings& settings);

  /// Must be called at each turn of the daemon's loop, after the watch has looked. True if another secret is in use
  /// from now on: the settings must be read again.
  boost::asio::awaitable<bool> run();

 private:
  enum class Left { nothing, unproved, in_use };
  /// Finishes a rotation that an earlier process or a command left unfinished.
  boost::asio::awaitable<Left> finish();
  boost::asio::awaitable<bool> rotate();
  boost::asio::awaitable<bool> ask(Rotation& rotation);
  boost::asio::awaitable<void> postpone(base::Error error);
  boost::asio::awaitable<void> close_cut_rotation();
  /// Logs it too.
  boost::asio::awaitable<void> keep_failure(core::RotationEnd end);
  /// Records it, with its notice.
  boost::asio::awaitable<void> keep_end(core::RotationEnd end);
  boost::asio::awaitable<void> keep_end(core::RotationEnd end, std::vector<core::Notice> notices);
  core::Notice notice(const core::RotationEnd& end) const;
  Rotation rotation();
  void log_failure(const std::string& message);

  Ports ports_;
  CatalogueCalls calls_;
  const SecretWatch& watch_;
  RotationSettings settings_;
  std::shared_ptr<ports::Secrets> secrets_;
  std::shared_ptr<const core::Zone> zone_;
  std::optional<base::Date> looked_on_;  ///< for an unproved secret
  std::optional<base::Date> tried_on_;   ///< to rotate
};

}  // namespace vtmirror::agent
