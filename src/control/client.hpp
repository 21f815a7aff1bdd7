// The conversation with one client: requests and answers one after the other, the plain line, or the events.
// Promises to end within the limits' times whatever the client does. Never holds up the loop.
#pragma once

#include "control/followers.hpp"
#include "control/limits.hpp"
#include "control/request.hpp"
#include "control/routes.hpp"
#include "control/wire.hpp"
#include "vtmirror/control/control.hpp"

#include <functional>
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

class Client {
 public:
  Client(Office& office, const boost::asio::any_io_executor& loop, base::Descriptor socket, Asker asker);

  boost::asio::awaitable<void> converse();
  /// Says that there are too many clients, instead.
  boost::asio::awaitable<void> turn_away();

  /// Since when nothing is done for it, if so: it may then be asked to make room.
  std::optional<Wire::Clock::time_point> waits_since() const noexcept { return waits_since_; }
  /// Ends the conversation in favour of somebody else.
  void make_room();
  void close() { wire_.close(); }

 private:
  boost::asio::awaitable<RequestReader::Step> hear();
  boost::asio::awaitable<bool> listen(Wire::Clock::time_point until);
  boost::asio::awaitable<bool> respond();
  boost::asio::awaitable<void> refuse(Answer refusal);
  boost::asio::awaitable<void> tell_events();
  boost::asio::awaitable<void> part();

  Office& office_;
  Asker asker_;
  Wire wire_;
  RequestReader reader_;
  bool answered_ = false;  // at least once
  bool too_late_ = false;
  std::optional<Wire::Clock::time_point> waits_since_;
};

}  // namespace vtmirror::control
