#include "vtmirror/host/host.hpp"

#include "host/variable.hpp"
#include "support/jumping_clock.hpp"
#include "support/temporary_directory.hpp"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include <array>
#include <cstring>
#include <string>
#include <vector>

namespace vtmirror::host {
namespace {

using base::Milliseconds;

/// The supervisor's end: a datagram socket that NOTIFY_SOCKET names, and what has come.
class NotifySocket {
 public:
  NotifySocket() : descriptor_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const auto path = (directory_ / "notify").string();
    REQUIRE(path.size() < sizeof(address.sun_path));
    std::memcpy(address.sun_path, path.data(), path.size());
    REQUIRE(::bind(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0);
  }
  ~NotifySocket() { ::close(descriptor_); }
  NotifySocket(const NotifySocket&) = delete;
  NotifySocket& operator=(const NotifySocket&) = delete;

  std::vector<std::string> logged() {
    std::vector<std::string> all;
    std::array<char, 4096> bytes{};
    for (auto count = receive(bytes); count >= 0; count = receive(bytes)) {
      all.emplace_back(bytes.data(), static_cast<std::size_t>(count));
    }
    return all;
  }

 private:
  ssize_t receive(std::array<char, 4096>& bytes) const { return ::recv(descriptor_, bytes.data(), bytes.size(), 0); }

  test::TemporaryDirectory directory_;
  int descriptor_;
  Variable variable_{"NOTIFY_SOCKET", (directory_ / "notify").string()};
};

using Logged = std::vector<std::string>;

TEST_CASE("the daemon's states reach systemd in its words") {
  NotifySocket systemd;
  const auto supervisor = make_supervisor();
  supervisor->ready();
  supervisor->status("idle; next cycle at 08:03");
  supervisor->alive();
  supervisor->stopping();
  supervisor->extend_stop(std::chrono::seconds(90));
  CHECK(systemd.logged() == Logged{"READY=1", "STATUS=idle; next cycle at 08:03", "WATCHDOG=1", "STOPPING=1",
                                   "EXTEND_TIMEOUT_USEC=90000000"});
}

TEST_CASE("a reload sends the time of its start, on the clock that systemd compares with") {
  NotifySocket systemd;
  const auto supervisor = make_supervisor();
  supervisor->reloading();
  supervisor->reloading();
  const auto logged = systemd.logged();
  REQUIRE(logged.size() == 2);
  const std::string head = "RELOADING=1\nMONOTONIC_USEC=";
  std::vector<long long> begun;
  for (const auto& each : logged) {
    REQUIRE(each.starts_with(head));
    begun.push_back(std::stoll(each.substr(head.size())));
  }
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  CHECK(begun[0] > 0);
  CHECK(begun[0] <= begun[1]);
  CHECK(begun[1] <= (now.tv_sec + 1) * 1'000'000LL);
}

TEST_CASE("a status cannot say anything else than a status") {
  NotifySocket systemd;
  make_supervisor()->status("syncing a.zip\nMAINPID=1");
  const auto logged = systemd.logged();
  REQUIRE(logged.size() == 1);
  CHECK(logged[0].starts_with("STATUS=syncing a.zip"));
  CHECK(logged[0].find('\n') == std::string::npos);
}

TEST_CASE("without a supervisor nothing happens") {
  const Variable none("NOTIFY_SOCKET", std::nullopt);
  const Variable unwatched("WATCHDOG_USEC", std::nullopt);
  const auto supervisor = make_supervisor();
  supervisor->ready();
  supervisor->alive();
  CHECK_FALSE(supervisor->watchdog());
}

TEST_CASE("a supervisor that is gone does no harm") {
  const test::TemporaryDirectory directory;
  const Variable gone("NOTIFY_SOCKET", (directory / "nobody").string());
  make_supervisor()->ready();
  CHECK_FALSE(std::filesystem::exists(directory / "nobody"));
}

TEST_CASE("the watchdog's time is the one that systemd gave to this process") {
  const Variable time("WATCHDOG_USEC", "60000000");
  const auto supervisor = make_supervisor();
  {
    const Variable us("WATCHDOG_PID", std::to_string(::getpid()));
    CHECK(supervisor->watchdog() == Milliseconds{60'000});
  }
  const Variable parent("WATCHDOG_PID", std::to_string(::getppid()));
  CHECK_FALSE(supervisor->watchdog());
}

/// Counts the signs of life.
class Watching : public ports::Supervisor {
 public:
  explicit Watching(std::optional<Milliseconds> patience) : patience_(patience) {}
  void ready() override {}
  void status(const std::string&) override {}
  void reloading() override {}
  void stopping() override {}
  void extend_stop(Milliseconds) override {}
  std::optional<Milliseconds> watchdog() const override { return patience_; }
  void alive() override { ++signs; }
  int signs = 0;

 private:
  std::optional<Milliseconds> patience_;
};

/// Jumps over its waits until `last` of them were made; the next one is ended by the stop.
class StoppingClock : public test::JumpingClock {
 public:
  explicit StoppingClock(std::size_t last) : last_(last) {}
  boost::asio::awaitable<base::Result<void>> wait(Milliseconds pause) override {
    if (waits.size() == last_) co_return base::Error{.code = base::Errc::cancelled, .detail = "stopped"};
    waits.push_back(pause);
    co_return base::Result<void>();
  }

 private:
  std::size_t last_;
};

void live(Watching& supervisor, StoppingClock& clock) {
  boost::asio::io_context loop;
  boost::asio::co_spawn(loop, keep_alive(supervisor, clock), boost::asio::detached);
  loop.run();
}

TEST_CASE("a sign of life is given at once and at each half of the watchdog's time, until the stop") {
  Watching supervisor(Milliseconds{60'000});
  StoppingClock clock(3);
  live(supervisor, clock);
  CHECK(supervisor.signs == 4);
  CHECK(clock.waits == std::vector(3, Milliseconds{30'000}));
}

TEST_CASE("however short the watchdog's time, the signs of life leave the loop room for other work") {
  Watching supervisor(Milliseconds{1});
  StoppingClock clock(2);
  live(supervisor, clock);
  CHECK(clock.waits == std::vector(2, Milliseconds{1}));
}

TEST_CASE("without a watchdog, no keep-alive is sent and nothing waits") {
  Watching supervisor(std::nullopt);
  StoppingClock clock(2);
  live(supervisor, clock);
  CHECK(supervisor.signs == 0);
  CHECK(clock.waits.empty());
}

}  // namespace
}  // namespace vtmirror::host
