// Which request gets which answer: the table of paths, their methods, parameters and who may ask.
// Never waits for anything but what is asked.
#pragma once

#include "control/answer.hpp"
#include "control/request.hpp"
#include "vtmirror/control/control.hpp"

namespace vtmirror::control {

/// What a listener lets in.
enum class Entrance {
  control,  ///< every path
  metrics,  ///< GET /metrics alone
};

struct Asker {
  Entrance entrance = Entrance::control;
  bool may_change = false;  ///< root, or the daemon's own user
};

/// A HEAD gets what a GET would. The events are an answer with `follow`.
boost::asio::awaitable<Answer> answer_to(const Request& request, Asker asker, Answers& answers);

}  // namespace vtmirror::control
