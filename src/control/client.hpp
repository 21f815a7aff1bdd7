// The conversation with one client: requests and answers one after the other, the plain line, or the events.
// Promises to end within the limits' times whatever the client does. Never holds up the loop.
// Requests are parsed by Beast, but read here and not by Beast's `async_read`: the first bytes may be the plain line,
// and a request that takes too long is answered on the same socket, for which a wait must be cut between two reads.
#pragma once

#include "control/followers.hpp"
#include "control/limits.hpp"
#include "control/request.hpp"
#include "control/routes.hpp"
#include "control/wire.hpp"
#include "vtmirror/control/control.hpp"

#include <functional>
#include <memory>
#include <optional>

namespace vtmirror::control {

/// The user at the other end of a connected socket, where the kernel knows.
using PeerUid = std::function<std::optional<unsigned>(int socket)>;

/// What all clients share.
struct Office {
  Answers& answers;
  const Limits limits;
  const PeerUid peer_uid;
  Followers followers{};
};

class Client : public std::enable_shared_from_this<Client> {
 public:
  Client(Office& office, const boost::asio::any_io_executor& loop, base::Descriptor socket, Asker asker);

  boost::asio::awaitable<void> converse();
  /// Says that there are too many clients, instead.
  boost::asio::awaitable<void> turn_away();

  /// Since when nothing is done for it, if so: it may then be asked to make room. That is since it was admitted, or
  /// since its last answer was made: the client can know of neither before it counts.
  std::optional<Wire::Clock::time_point> waits_since() const noexcept { return waits_since_; }
  /// Ends the conversation in favour of somebody else.
  void make_room();
  void close();

 private:
  boost::asio::awaitable<RequestReader::Step> hear();
  boost::asio::awaitable<base::Result<std::size_t>> listen(Wire::Clock::time_point until);
  boost::asio::awaitable<bool> respond();
  boost::asio::awaitable<void> refuse(Answer refusal);
  boost::asio::awaitable<void> tell_events();
  static boost::asio::awaitable<void> watch(std::shared_ptr<Client> client);
  boost::asio::awaitable<void> part();

  Office& office_;
  Asker asker_;
  Wire wire_;
  RequestReader reader_;
  bool answered_ = false;         // at least once
  Follower* follower_ = nullptr;  // while it follows the events
  std::optional<Wire::Clock::time_point> waits_since_;
};

}  // namespace vtmirror::control
