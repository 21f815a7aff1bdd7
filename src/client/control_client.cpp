#include "vtmirror/client/control_client.hpp"

#include "client/control_connection.hpp"
#include "vtmirror/base/json.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/core/cause_json.hpp"
#include "vtmirror/settings/load.hpp"

#include <cstddef>
#include <optional>

namespace vtmirror::client {
namespace {

constexpr int forbidden_status = 403;
constexpr std::size_t longest_text = 1'000;

/// What an answer says of an error; empty where it says nothing.
struct Said {
  std::string code{};
  std::string message{};
  std::optional<core::Cause> cause{};
};

/// What has several lines has them here too: an answer may list the names that a word could mean.
std::string printable_lines(std::string_view text) {
  text = text.substr(0, longest_text);
  std::string lines;
  for (auto end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    lines += base::printable(text.substr(0, end), longest_text) + '\n';
    text.remove_prefix(end + 1);
  }
  return lines + base::printable(text, longest_text);
}

Said said_in(std::string_view body) {
  const auto document = base::parse_json_object(body);
  if (!document) return {};
  const auto error = base::JsonObject(*document).object("error");
  return {.code = base::printable(error.text("code"), longest_text),
          .message = printable_lines(error.text("message")),
          .cause = core::cause_in(error)};
}

/// It tried, and reports what its work met. An older daemon says no more than the code.
base::Error met_error(const Said& said, base::Errc met, int status) {
  auto error = said.cause ? core::error_of(*said.cause) : base::Error{.status = status};
  error.code = base::Errc::http_status;
  error.detail = said.message;
  error.met = met;
  return error;
}

}  // namespace

base::Error refusal(int status, std::string_view body) {
  const auto said = said_in(body);
  const auto code = status == forbidden_status ? base::Errc::forbidden : base::Errc::http_status;
  const auto met = code == base::Errc::forbidden ? std::nullopt : base::errc_of(said.code);
  if (met && !said.message.empty()) return met_error(said, *met, status);
  const auto why = said.message.empty() ? " with status " + std::to_string(status) : ": " + said.message;
  return {.code = code, .detail = "the daemon refused" + why, .status = status};
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
