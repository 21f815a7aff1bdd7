#include "vtmirror/host/host.hpp"

#include "host/libsystemd.hpp"
#include "vtmirror/base/text.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>

namespace vtmirror::host {
namespace {

constexpr std::size_t longest_status = 300;

/// If systemd has not started the process, nobody listens, and libsystemd is not loaded.
void notify(const std::string& state) {
  if (std::getenv("NOTIFY_SOCKET") != nullptr) libsystemd::notify(state.c_str());
}

/// CLOCK_MONOTONIC, with which systemd compares.
std::int64_t monotonic_microseconds() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::floor<std::chrono::microseconds>(since).count();
}

class Systemd : public ports::Supervisor {
 public:
  void ready() override { notify("READY=1"); }
  // A line break in the text would begin another assignment.
  void status(const std::string& text) override { notify("STATUS=" + base::printable(text, longest_status)); }
  void reloading() override { notify("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(monotonic_microseconds())); }
  void stopping() override { notify("STOPPING=1"); }
  void extend_stop(base::Milliseconds by) override {
    notify("EXTEND_TIMEOUT_USEC=" + std::to_string(std::chrono::microseconds(by).count()));
  }
  void alive() override { notify("WATCHDOG=1"); }

  std::optional<base::Milliseconds> watchdog() const override {
    std::uint64_t microseconds = 0;
    if (std::getenv("WATCHDOG_USEC") == nullptr || libsystemd::watchdog_enabled(&microseconds) <= 0)
      return std::nullopt;
    return std::chrono::floor<base::Milliseconds>(std::chrono::microseconds(microseconds));
  }
};

}  // namespace

std::unique_ptr<ports::Supervisor> make_supervisor() { return std::make_unique<Systemd>(); }

boost::asio::awaitable<void> keep_alive(ports::Supervisor& supervisor, ports::Clock& clock) {
  const auto patience = supervisor.watchdog();
  if (!patience) co_return;
  const auto pause = std::max(*patience / 2, base::Milliseconds(1));
  for (bool going = true; going;) {
    supervisor.alive();
    const auto waited = co_await clock.wait(pause);
    going = waited.has_value();
  }
}

}  // namespace vtmirror::host
