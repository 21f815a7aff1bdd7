// One answer of the socket, and its bytes. Errors are JSON of the form {"error": {"code", "message"}}.
// Promises that the JSON of an error is valid, whatever its message holds.
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
  bool follow = false;  ///< no body: the events, for as long as both sides stay
};

Answer failure(int status, std::string_view code, std::string_view message);
/// What was asked was understood and did not work: 422 for a wrong configuration, 409 locked, 503 stopping, else 500.
Answer failure(const base::Error& error);

enum class Body { sent, left_out };

/// Head and body. `left_out` is for HEAD: the head says how long the body would have been.
std::string text(const Answer& answer, bool keep_alive, Body body);
/// The head of an answer without an end.
std::string events_head();

/// One server-sent event. Line ends in the JSON are lines of data.
std::string event_text(std::string_view event, std::string_view json);

}  // namespace vtmirror::control
