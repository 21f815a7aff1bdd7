// One response of the socket, and its bytes. Errors are JSON of the form {"error": {"code", "message"}}.
// Promises that the JSON of an error is valid, whatever its message contains.
#pragma once

#include "vtmirror/base/result.hpp"

#include <string>
#include <string_view>

namespace vtmirror::control {

struct Answer {
  int status = 200;
  std::string body{};
  std::string type = "application/json";
  std::string allow{};  ///< methods, for 405
  bool follow = false;  ///< no body: the events follow until either side closes the connection
};

Answer failure(int status, std::string_view code, std::string_view message);
/// The response to a valid request that failed: 422 for wrong settings, 409 locked, 503 stopping, else 500.
Answer failure(const base::Error& error);

enum class Body { sent, left_out };

/// Head and body. For HEAD, `left_out` omits the body; the head still gives its length.
std::string text(const Answer& answer, bool keep_alive, Body body);
/// The head of the event stream, which has no length.
std::string events_head();

/// One server-sent event. Each line of the JSON becomes one `data:` line.
std::string event_text(std::string_view event, std::string_view json);

}  // namespace vtmirror::control
