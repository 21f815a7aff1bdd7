// The client of the daemon's control socket (vtmirror-api(7)): one question and its answer, within a deadline.
// Blocks. Promises to come back when the time is over, whatever the other side does.
#pragma once

#include "vtmirror/base/result.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace vtmirror::client {

/// How long an idle or busy daemon may take for an answer.
inline constexpr std::chrono::milliseconds control_timeout = std::chrono::seconds(5);

struct ControlRequest {
  std::string method = "GET";
  std::string target;  ///< "/v1/status"
};

/// The body of an answer of 200 to 299. Errors: unreachable and timed_out, naming the path: no daemon answers;
/// protocol, for an answer that is no HTTP; forbidden, for a 403 and where the socket's file may not be used;
/// http_status otherwise, with the answer's message.
base::Result<std::string> ask(const std::string& socket, const ControlRequest& request,
                              std::chrono::milliseconds timeout = control_timeout);

/// `chosen`, or `control.socket` of the settings file where that can be read, or the default.
std::string socket_of(const std::optional<std::string>& chosen, const std::string& settings_file);

/// No daemon answers, as against one that answers with a refusal.
bool is_absent(const base::Error& error) noexcept;

/// The error behind an answer's status and its body `{"error": {"code": "...", "message": "..."}}`.
base::Error refusal(int status, std::string_view body);

}  // namespace vtmirror::client
