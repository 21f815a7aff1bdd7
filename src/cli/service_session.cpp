#include "cli/service_session.hpp"

#include "vtmirror/host/host.hpp"
#include "vtmirror/net/http.hpp"
#include "vtmirror/wiring/agent_settings.hpp"
#include "vtmirror/wiring/foreground.hpp"
#include "vtmirror/wiring/machine.hpp"

#include <utility>

namespace vtmirror::cli {

base::Result<std::unique_ptr<ServiceSession>> ServiceSession::open(const Arguments& arguments,
                                                                   const settings::Config& config,
                                                                   const settings::Environment& environment) {
  auto session = std::make_unique<ServiceSession>(arguments, environment);
  auto http = net::make_http(session->loop_, session->stop_, wiring::http_settings(config));
  if (!http) return http.error();
  session->http_ = std::move(*http);
  return session;
}

ServiceSession::ServiceSession(const Arguments& arguments, const settings::Environment& environment)
    : pool_(1),
      clock_(host::make_clock(loop_, stop_)),
      dice_(host::make_dice()),
      journal_(
          wiring::stderr_journal(arguments.log_level.value_or(ports::Level::notice), arguments.colour, environment)) {}

ServiceSession::~ServiceSession() { pool_.join(); }

void ServiceSession::run(boost::asio::awaitable<void> work) {
  wiring::Foreground foreground(loop_, stop_, *clock_, nullptr);
  foreground.run(std::move(work), [] { return nullptr; });
  signal_ = foreground.signal();
}

}  // namespace vtmirror::cli
