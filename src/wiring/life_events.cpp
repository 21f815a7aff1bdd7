#include "wiring/life_events.hpp"

#include "version.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/base/url.hpp"

#include <csignal>
#include <string>

namespace vtmirror::wiring {

ports::Event daemon_started(const report::Status& status) {
  const auto& mirror = status.mirror;
  // Without a generation nothing was published yet, or a lost catalogue is being rebuilt.
  const auto held = mirror.generation ? base::counted(mirror.files, "file") : std::string("the mirror is");
  return {.kind = ports::EventKind::daemon_started,
          .level = ports::Level::info,
          .message = "vtmirror " + status.version + " started: " + held + " in " + mirror.directory,
          .fields = {{"version", status.version}}};
}

ports::Event page_served(const std::string& address) {
  const auto parts = base::parse_host_port(address);
  const bool is_open = !parts || !base::is_loopback(parts->host);
  return {.kind = ports::EventKind::settings_read,
          .level = is_open ? ports::Level::warning : ports::Level::info,
          .message = "the status page is at http://" + address + '/' +
                     (is_open ? ": every machine that reaches this address can read it (control.web)" : "")};
}

ports::Event daemon_stopped(int signal) {
  const std::string name = signal == SIGINT ? "SIGINT" : "SIGTERM";
  return {.kind = ports::EventKind::daemon_stopped,
          .level = ports::Level::info,
          .message = std::string("vtmirror ") + version + " stopped by " + name,
          .fields = {{"signal", name}}};
}

}  // namespace vtmirror::wiring
