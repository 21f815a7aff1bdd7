// Sends an answer on a connection, with its faults.
#pragma once

#include "simulator/request.hpp"
#include "simulator/wire.hpp"

#include <cstdint>
#include <functional>

namespace vtmirror::simulator {

/// How much of an answer was sent. Reported once, before the client can see the end of the body, so that a test that
/// reads the log after an answer finds the entry.
using Sent = std::function<void(std::uint64_t bytes, bool complete)>;

struct Exchange {
  Wire& wire;
  StopSignal& stop;
  bool head_only = false;   ///< answer to HEAD
  bool keep_alive = false;  ///< as the client requested
  std::string date;         ///< the value of the Date header
};

/// Returns whether another request may follow.
bool send_answer(const Exchange& exchange, const Answer& answer, const Sent& sent);

}  // namespace vtmirror::simulator
