// The server as the room itself sees it: with the limits and the credentials that tests replace.
#pragma once

#include "control/client.hpp"
#include "control/request.hpp"
#include "vtmirror/control/control.hpp"

#include <cstdint>
#include <memory>

namespace vtmirror::control {

/// By SO_PEERCRED.
std::optional<unsigned> kernel_peer_uid(int socket);

/// The limits of a process that may open that number of descriptors. Clients get the rest of what a cycle needs for its
/// files and connections: two of them at least, so that the daemon always answers.
Limits limits_for(std::uint64_t descriptors);

struct Rules {
  Limits limits{};
  PeerUid peer_uid = kernel_peer_uid;
};

class LocalServer : public Server {
 public:
  /// 0 if there is none.
  virtual std::uint16_t metrics_port() const = 0;
  virtual std::uint16_t web_port() const = 0;  ///< likewise
};

base::Result<std::unique_ptr<LocalServer>> serve_by(Rules rules, boost::asio::io_context& loop, ports::Stop& stop,
                                                    const ControlSettings& settings, Answers& answers);

}  // namespace vtmirror::control
