// Limits that keep a client from delaying another one or from filling the memory. Not settings: only tests set others.
#pragma once

#include <chrono>
#include <cstddef>

namespace vtmirror::control {

struct Limits {
  using Time = std::chrono::milliseconds;

  std::size_t clients = 32;                   ///< at once, on the socket; idle ones make room for new ones
  std::size_t followers = 8;                  ///< of the clients, how many may follow the events
  std::size_t metrics_clients = 8;            ///< at once, on the loopback port
  std::size_t header = 8 << 10;               ///< bytes of a request's line and fields
  std::size_t body = 4 << 10;                 ///< bytes of a request's body
  std::size_t queue = 256 << 10;              ///< bytes queued for a follower
  Time request = std::chrono::seconds(5);     ///< from a request's first byte to its last
  Time idle = std::chrono::seconds(10);       ///< until a request's first byte
  Time answer = std::chrono::seconds(10);     ///< for the client to read a response
  Time heartbeat = std::chrono::seconds(15);  ///< after which a follower gets a comment if there was no event
  Time farewell = std::chrono::seconds(1);    ///< for the client to read why the connection is closed
};

}  // namespace vtmirror::control
