// The client of the daemon's control socket (vtmirror-api(7)): one request and its response, within a deadline.
// Blocks. Promises to return at the deadline, whatever the daemon does.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/settings/load.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace vtmirror::client {

/// The default time limit for a response.
inline constexpr std::chrono::milliseconds control_timeout = std::chrono::seconds(5);

struct ControlRequest {
  std::string method = "GET";
  std::string target;  ///< "/v1/status"
};

/// The body of a response with a status of 200 to 299. Errors: unreachable and timed_out if no daemon answers, naming
/// the path; protocol if the response is not HTTP; forbidden for a 403, or if this user may not use the socket;
/// http_status otherwise, with the message from the response.
base::Result<std::string> ask(const std::string& socket, const ControlRequest& request,
                              std::chrono::milliseconds timeout = control_timeout);

/// `chosen` if given, else `control.socket` if the settings file can be read, else the default.
std::string socket_of(const std::optional<std::string>& chosen, const std::string& settings_file,
                      const settings::Environment& environment);

/// Whether the error means that no daemon answers. False if a daemon refused the request.
bool is_absent(const base::Error& error) noexcept;

/// The error in a response with this status and the body `{"error": {"code": "...", "message": "...", "cause":
/// {...}}}`. If the daemon's work failed, everything but the code is of the error that it met, whose code is `met`.
base::Error refusal(int status, std::string_view body);

}  // namespace vtmirror::client
