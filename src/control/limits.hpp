// The limits by which no client can hold up another one, or fill the memory. Not for users: tests alone set others.
#pragma once

#include <chrono>
#include <cstddef>

namespace vtmirror::control {

struct Limits {
  using Time = std::chrono::milliseconds;

  std::size_t clients = 32;         ///< at once, on the socket; those who wait for nothing make room for new ones
  std::size_t followers = 8;        ///< of the clients, those who follow the events
  std::size_t metrics_clients = 8;  ///< at once, on the loopback port
  std::size_t header = 8 << 10;     ///< bytes of a request's line and fields
  std::size_t body = 4 << 10;       ///< bytes of a request's body
  std::size_t queue = 256 << 10;    ///< bytes that a follower may be behind
  Time request = std::chrono::seconds(5);     ///< from the first byte of a request to its last
  Time idle = std::chrono::seconds(10);       ///< to the first byte
  Time answer = std::chrono::seconds(10);     ///< to take an answer
  Time heartbeat = std::chrono::seconds(15);  ///< without an event, until a follower gets a comment
  Time farewell = std::chrono::seconds(1);    ///< to read why the connection ends
};

}  // namespace vtmirror::control
