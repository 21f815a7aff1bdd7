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

// The requests of consumers, whose parameters are names: /v1/next, /v1/ack, /v1/forget, /v1/wait. The parameters come
// behind the path, and those of a POST also as a JSON object. Who may ask is decided by `answer_to`.

boost::asio::awaitable<Answer> next(Answers& answers, const Request& request, Asker asker);
boost::asio::awaitable<Answer> acknowledge(Answers& answers, const Request& request, Asker asker);
boost::asio::awaitable<Answer> forget(Answers& answers, const Request& request, Asker asker);
boost::asio::awaitable<Answer> wait_for_chain(Answers& answers, const Request& request, Asker asker);

}  // namespace vtmirror::control
