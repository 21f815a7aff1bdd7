// The requests of consumers, whose parameters are names: /v1/next, /v1/ack, /v1/forget, /v1/wait.
// Parameters come behind the path, and those of a POST also as a JSON object. Never decides who may ask.
#pragma once

#include "control/request.hpp"
#include "control/routes.hpp"
#include "vtmirror/control/control.hpp"

namespace vtmirror::control {

boost::asio::awaitable<Answer> next(Answers& answers, const Request& request, Asker asker);
boost::asio::awaitable<Answer> acknowledge(Answers& answers, const Request& request, Asker asker);
boost::asio::awaitable<Answer> forget(Answers& answers, const Request& request, Asker asker);
boost::asio::awaitable<Answer> wait_for_chain(Answers& answers, const Request& request, Asker asker);

}  // namespace vtmirror::control
