#include "vtmirror/client/control_client.hpp"

#include "client/control_connection.hpp"
#include "vtmirror/base/json.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/settings/load.hpp"

namespace vtmirror::client {
namespace {

constexpr int forbidden_status = 403;

/// The member of the answer's error; empty if there is none.
std::string error_member(std::string_view body, std::string_view key) {
  const auto document = base::parse_json_object(body);
  if (!document) return {};
  return base::printable(base::JsonObject(*document).object("error").text(key), 1'000);
}

}  // namespace

base::Error refusal(int status, std::string_view body) {
  const auto message = error_member(body, "message");
  const auto code = status == forbidden_status ? base::Errc::forbidden : base::Errc::http_status;
  // It tried, and reports what its work met.
  const auto met = code == base::Errc::forbidden ? std::nullopt : base::errc_of(error_member(body, "code"));
  if (met && !message.empty()) return {.code = code, .detail = message, .status = status, .met = met};
  return {
      .code = code,
      .detail = "the daemon refuses" + (message.empty() ? " with status " + std::to_string(status) : ": " + message),
      .status = status};
}

base::Result<std::string> ask(const std::string& socket, const ControlRequest& request,
                              std::chrono::milliseconds timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  ControlConnection connection(socket);
  if (auto sent = connection.send(request, deadline); sent.has_error()) return sent.error();
  if (auto read = connection.read_all(deadline); read.has_error()) return read.error();
  auto body = connection.release_body();
  const auto status = connection.status();
  if (status < 200 || status > 299) return refusal(status, body);
  return body;
}

/// Uses the socket of a settings file that has mistakes elsewhere.
std::string socket_of(const std::optional<std::string>& chosen, const std::string& settings_file,
                      const settings::Environment& environment) {
  if (chosen) return *chosen;
  const auto read = settings::load_config(settings_file, environment);
  return read.has_value() ? read->config.control.socket : settings::Config().control.socket;
}

bool is_absent(const base::Error& error) noexcept {
  return error.code == base::Errc::unreachable || error.code == base::Errc::timed_out;
}

}  // namespace vtmirror::client
