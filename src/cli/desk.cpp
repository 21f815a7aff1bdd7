#include "cli/desk.hpp"

#include "vtmirror/host/host.hpp"
#include "vtmirror/net/http.hpp"
#include "vtmirror/wiring/agent_settings.hpp"
#include "vtmirror/wiring/foreground.hpp"
#include "vtmirror/wiring/machine.hpp"

#include <utility>

namespace vtmirror::cli {

base::Result<std::unique_ptr<Desk>> Desk::open(const Arguments& arguments, const settings::Config& config,
                                               const settings::Environment& environment) {
  auto desk = std::make_unique<Desk>(arguments, environment);
  auto http = net::make_http(desk->loop_, desk->stop_, wiring::http_settings(config));
  if (!http) return http.error();
  desk->http_ = std::move(*http);
  return desk;
}

Desk::Desk(const Arguments& arguments, const settings::Environment& environment)
    : pool_(1),
      clock_(host::make_clock(loop_, stop_)),
      dice_(host::make_dice()),
      journal_(
          wiring::stderr_journal(arguments.log_level.value_or(ports::Level::notice), arguments.colour, environment)) {}

Desk::~Desk() { pool_.join(); }

void Desk::run(boost::asio::awaitable<void> work) {
  wiring::Foreground foreground(loop_, stop_, *clock_, nullptr);
  foreground.run(std::move(work), [] { return nullptr; });
  signal_ = foreground.signal();
}

}  // namespace vtmirror::cli
