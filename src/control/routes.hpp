// Routes requests to answers: the table of paths with their methods, parameters and permissions.
// Never waits for anything but the answer itself.
#pragma once

#include "control/request.hpp"
#include "vtmirror/control/control.hpp"

namespace vtmirror::control {

/// Which paths a listener serves.
enum class Entrance {
  control,  ///< every path
  metrics,  ///< only GET /metrics
  web,      ///< the status page, and what it reads
};

struct Asker {
  Entrance entrance = Entrance::control;
  bool may_change = false;  ///< root or the daemon's user
};

/// HEAD is answered like GET. The answer to a request for the events has `follow` set.
boost::asio::awaitable<Answer> answer_to(const Request& request, Asker asker, Answers& answers);

}  // namespace vtmirror::control
