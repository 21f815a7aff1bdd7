// Carries out an answer on a connection, with its faults.
#pragma once

#include "simulator/answer.hpp"
#include "simulator/stop_signal.hpp"
#include "simulator/wire.hpp"

#include <cstdint>
#include <functional>

namespace vtmirror::simulator {

/// How far an answer got. Told once, and before the client can see the end of the body, so that a test that asks the
/// log after an answer finds it there.
using Sent = std::function<void(std::uint64_t bytes, bool complete)>;

struct Exchange {
  Wire& wire;
  StopSignal& stop;
  bool head_only = false;   ///< answer to HEAD
  bool keep_alive = false;  ///< what the client asked for
  std::string date;         ///< of the Date header
};

/// Returns whether another request may follow.
bool send_answer(const Exchange& exchange, const Answer& answer, const Sent& sent);

}  // namespace vtmirror::simulator
