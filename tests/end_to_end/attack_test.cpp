// What programs that may open the socket can do to it: idle clients, clients that never read, slow ones and floods, all
// at once, while files are downloaded. `status` must be answered meanwhile, and the daemon must not grow.
#include "end_to_end/daemon_site.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <thread>
#include <vector>

using namespace vtmirror::test;
namespace base = vtmirror::base;

namespace {

using Clock = std::chrono::steady_clock;

constexpr char slow_bulk[] = R"(, "faults": [{"at": "store", "match": "bulk", "rate": 100000, "times": 0}])";
constexpr char status_request[] = "GET /v1/status HTTP/1.1\r\nHost: localhost\r\n\r\n";

/// KiB of memory that a process has.
std::int64_t resident(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmRSS:")) return std::stoll(line.substr(6));
  throw std::runtime_error("no VmRSS");
}

/// Connections that come again whenever the daemon ends them.
class Crowd {
 public:
  enum class Manner { idle, never_reading, slow };

  Crowd(fs::path path, std::size_t idle, std::size_t never_reading, std::size_t slow) : path_(std::move(path)) {
    manners_.insert(manners_.end(), idle, Manner::idle);
    manners_.insert(manners_.end(), never_reading, Manner::never_reading);
    manners_.insert(manners_.end(), slow, Manner::slow);
    numbers_.assign(manners_.size(), -1);
    thread_ = std::jthread([this](const std::stop_token& stop) {
      while (!stop.stop_requested()) go_round();
    });
  }
  ~Crowd() {
    thread_.request_stop();
    thread_.join();
    for (const int number : numbers_) ::close(number);
  }
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;

  int rounds() const { return rounds_; }
  int connections() const { return connections_; }

 private:
  void go_round() {
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      char byte = 0;
      const bool ended = numbers_[i] >= 0 && ::recv(numbers_[i], &byte, 1, MSG_DONTWAIT | MSG_PEEK) == 0;
      if (ended) ::close(std::exchange(numbers_[i], -1));
      if (numbers_[i] < 0) open(i);
      if (manners_[i] == Manner::slow) ::send(numbers_[i], "G", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    ++rounds_;
  }
  void open(std::size_t i) {
    numbers_[i] = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const auto address = address_of(path_);
    if (::connect(numbers_[i], reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return;
    ++connections_;
    if (manners_[i] != Manner::never_reading) return;
    for (int request = 0; request < 50; ++request)
      ::send(numbers_[i], status_request, sizeof status_request - 1, MSG_NOSIGNAL | MSG_DONTWAIT);
  }

  fs::path path_;
  std::vector<Manner> manners_;
  std::vector<int> numbers_;
  std::atomic<int> rounds_ = 0;
  std::atomic<int> connections_ = 0;
  std::jthread thread_;
};

/// As fast as it can, on one connection after the other.
void flood(const fs::path& path, const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const Socket socket(SOCK_STREAM);
    if (!socket.connect(path)) continue;
    socket.send(status_request);
    socket.receive();
  }
}

/// How long one answer took; nothing if there was none.
std::optional<Clock::duration> ask(const fs::path& path) {
  const auto begin = Clock::now();
  const Socket socket(SOCK_STREAM);
  if (!socket.connect(path)) return std::nullopt;
  socket.send(status_request);
  const auto answer = socket.receive();
  if (!answer.starts_with("HTTP/1.1 200 ")) return std::nullopt;
  return Clock::now() - begin;
}

}  // namespace

TEST_CASE("420 hostile clients and a flood at the socket neither silence the status nor fill the memory") {
  Site site(slow_bulk);
  site.start();
  Events(site.socket).state("syncing");
  for (int i = 0; i < 50; ++i) REQUIRE(ask(site.socket));
  const auto before = resident(site.daemon->pid());
  std::vector<Clock::duration> times;
  int unanswered = 0, rounds = 0;
  std::int64_t most = 0;
  {
    const Crowd crowd(site.socket, 300, 100, 20);
    const std::jthread flooding([&site](const std::stop_token& stop) { flood(site.socket, stop); });
    while (crowd.rounds() < 3) std::this_thread::yield();
    for (int i = 0; i < 300; ++i) {
      if (const auto took = ask(site.socket)) {
        times.push_back(*took);
      } else {
        ++unanswered;
      }
      most = std::max(most, resident(site.daemon->pid()));
    }
    rounds = crowd.rounds();
    CHECK(crowd.connections() >= 420);
  }
  std::ranges::sort(times);
  REQUIRE(times.size() > 100);
  const auto p99 = times[times.size() * 99 / 100];
  MESSAGE("p99 " << std::chrono::duration_cast<std::chrono::microseconds>(p99).count() << " us, " << unanswered
                 << " of 300 not answered, " << most - before << " KiB more, " << rounds << " rounds");
  CHECK(unanswered == 0);
  // The aim is 50 ms; a machine that does other things too may take longer.
  CHECK(p99 < std::chrono::seconds(1));
  CHECK(most - before <= 8 * 1024);
  CHECK(site.stop().status == 0);
}
