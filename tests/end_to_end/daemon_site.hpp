// A daemon with a simulator of its own, and the other ends that a test needs: a client of the socket, a follower of the
// events, and systemd.
// Promises that nothing is waited for by the clock alone, and that no wait is endless.
#pragma once

#include "end_to_end/noon.hpp"
#include "end_to_end/rig.hpp"
#include "vtmirror/base/time.hpp"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <signal.h>

#include <array>
#include <chrono>
#include <cstring>
#include <stdexcept>

namespace vtmirror::test {

namespace fs = std::filesystem;
namespace json = boost::json;

inline constexpr timeval longest_silence{20, 0};
/// Pings and progress never end, so a wait fails after this many messages.
inline constexpr std::size_t most_messages = 1000;

/// Every test begins on the fourth day after a bulk file: five files are listed, and the next day brings one more.
inline std::string script(const Noon& noon, const std::string& rest) {
  const auto weekday = std::chrono::weekday(std::chrono::sys_days(noon.today)).c_encoding();
  return R"({"bulk_bytes": 2000000, "delta_bytes": 100000, "bulk_weekday_offset": )" +
         std::to_string((weekday + 4) % 7) + rest + "}";
}

inline sockaddr_un address_of(const fs::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.string().size() >= sizeof address.sun_path)
    throw std::runtime_error("too long for a socket: " + path.string());
  std::memcpy(address.sun_path, path.c_str(), path.string().size());
  return address;
}

/// A socket whose reads time out.
class Socket {
 public:
  explicit Socket(int type) : number_(::socket(AF_UNIX, type | SOCK_CLOEXEC, 0)) {
    ::setsockopt(number_, SOL_SOCKET, SO_RCVTIMEO, &longest_silence, sizeof longest_silence);
  }
  ~Socket() { ::close(number_); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  bool connect(const fs::path& path) const {
    const auto address = address_of(path);
    return ::connect(number_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  void bind(const fs::path& path) const {
    const auto address = address_of(path);
    REQUIRE(::bind(number_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  }
  void listen() const { REQUIRE(::listen(number_, 1) == 0); }
  void send(const std::string& text) const {
    REQUIRE(::send(number_, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size()));
  }
  /// The next bytes; empty at the end, and after `longest_silence` without a byte.
  std::string receive() const {
    std::array<char, 65536> buffer;
    const auto count = ::recv(number_, buffer.data(), buffer.size(), 0);
    return count > 0 ? std::string(buffer.data(), static_cast<std::size_t>(count)) : std::string();
  }

 private:
  int number_;
};

/// The daemon's events, as a follower receives them. The first one is the status.
class Events {
 public:
  explicit Events(const fs::path& path) : socket_(SOCK_STREAM) {
    REQUIRE(socket_.connect(path));
    socket_.send("GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }

  /// The next status for which `wanted` returns true.
  template <class Wanted>
  json::object status(Wanted wanted) {
    for (std::size_t event = 0; event < most_messages; ++event) {
      const auto text = next();
      if (text.find("event: status\n") == std::string::npos) continue;
      auto status = json::parse(text.substr(text.find("data: ") + 6)).as_object();
      if (wanted(status)) return status;
    }
    throw std::runtime_error("the daemon never logged the status that was waited for");
  }
  json::object state(const std::string& name) {
    return status([&](const json::object& status) { return status.at("state").as_string() == name; });
  }

  /// The next event as it came, or a heartbeat.
  std::string next() {
    // Heartbeats never end, so the wait has a deadline.
    while (std::chrono::steady_clock::now() < deadline_) {
      const auto end = text_.find("\n\n");
      if (end != std::string::npos) {
        auto event = text_.substr(0, end);
        text_.erase(0, end + 2);
        return event;
      }
      const auto more = socket_.receive();
      if (more.empty()) throw std::runtime_error("the daemon stopped notifications: " + text_);
      text_ += more;
    }
    throw std::runtime_error("the daemon logged nothing new for too long");
  }

 private:
  Socket socket_;
  std::string text_;
  std::chrono::steady_clock::time_point deadline_ = std::chrono::steady_clock::now() + std::chrono::seconds(20);
};

/// systemd's end of the socket for notifications.
class Supervisor {
 public:
  explicit Supervisor(const fs::path& path) : socket_(SOCK_DGRAM) { socket_.bind(path); }
  /// The messages up to and including the first one that contains `text`.
  std::vector<std::string> until(const std::string& text) {
    std::vector<std::string> messages;
    while (messages.empty() || messages.back().find(text) == std::string::npos) {
      messages.push_back(socket_.receive());
      if (messages.back().empty() || messages.size() > most_messages)
        throw std::runtime_error("the daemon never notified of " + text);
    }
    return messages;
  }

 private:
  Socket socket_;
};

struct Site {
  /// `rest`: more of the simulator's script.
  explicit Site(const std::string& rest = "") : rig(script(noon, rest), base::iso8601(noon.today)) {}
  /// Starts the daemon, and returns when it has read its settings.
  void start() {
    daemon = std::make_unique<Child>(rig.command_line({"run"}));
    if (!logged("settings read from ")) throw std::runtime_error("the daemon did not start: " + daemon->so_far().err);
  }
  bool logged(const std::string& text) {
    return daemon->read_until([&](const Ended& e) { return e.err.find(text) != std::string::npos; });
  }
  Ended stop(int signal = SIGTERM) {
    daemon->signal(signal);
    return daemon->wait();
  }
  json::object status() { return json::parse(rig.vtmirror({"status", "--json"}).out).as_object(); }
  Ended curl(const std::string& path, std::vector<std::string> more = {}) {
    std::vector<std::string> line{"curl",          "-s",           "-w", "\n%{http_code}", "--max-time", "60",
                                  "--unix-socket", socket.string()};
    line.insert(line.end(), more.begin(), more.end());
    line.push_back("http://localhost" + path);
    return run(line);
  }

  Noon noon;
  Rig rig;
  fs::path socket = rig.directory() / "config/control.sock";
  std::unique_ptr<Child> daemon;
};

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

inline bool has_problem(const json::object& status, const std::string& code) {
  for (const auto& problem : status.at("problems").as_array())
    if (problem.as_object().at("code").as_string() == code) return true;
  return false;
}

}  // namespace vtmirror::test
