// A control socket that plays a script: it sends a fixed answer to each request, whether or not the client understands
// it.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace vtmirror::test {

/// An HTTP answer with its Content-Length.
inline std::string answer(int status, const std::string& body) {
  return "HTTP/1.1 " + std::to_string(status) +
         " X\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

inline std::string event(const std::string& name, const std::string& json) {
  return "event: " + name + "\ndata: " + json + "\n\n";
}

inline const std::string events_header = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";

struct Script {
  std::map<std::string, std::string> answers;  ///< by "GET /v1/status"; the connection is closed after it
  std::string events;                          ///< the answer to GET /v1/events; the connection stays open
  std::string after_sync;  ///< unless empty: sent on the open connections after a POST /v1/sync; ends them
  bool silent = false;     ///< accepts connections and sends nothing
  bool once = false;       ///< sends each of the answers once, and 404 from then on
};

class ControlServer {
 public:
  ControlServer(std::string path, Script script) : path_(std::move(path)), script_(std::move(script)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path_.data(), path_.size());
    if (::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(listener_, 8) != 0)
      throw std::runtime_error("control socket");
    thread_ = std::thread([this] { play(); });
  }
  ~ControlServer() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
    for (const int connection : open_) ::close(connection);
  }
  ControlServer(const ControlServer&) = delete;
  ControlServer& operator=(const ControlServer&) = delete;

  const std::string& path() const { return path_; }
  std::vector<std::string> requests() {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  void play() {
    for (int connection = accept(); connection >= 0; connection = accept()) {
      if (script_.silent) {
        open_.push_back(connection);
        continue;
      }
      const auto request = read_request(connection);
      if (request == "GET /v1/events" && !script_.events.empty()) {
        open_.push_back(connection);
        send(connection, script_.events);
        continue;
      }
      const auto found = script_.answers.find(request);
      send(connection, found == script_.answers.end() ? answer(404, "{}") : found->second);
      ::close(connection);
      if (script_.once && found != script_.answers.end()) script_.answers.erase(found);
      if (request == "POST /v1/sync") log_followers();
    }
  }

  void log_followers() {
    if (script_.after_sync.empty()) return;
    for (const int connection : open_) {
      send(connection, script_.after_sync);
      ::shutdown(connection, SHUT_RDWR);
    }
  }

  int accept() const { return ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC); }

  /// The method and the path: "GET /v1/status".
  std::string read_request(int connection) {
    std::string text;
    char byte = 0;
    while (text.find("\r\n\r\n") == std::string::npos && ::read(connection, &byte, 1) == 1) text += byte;
    auto request = text.substr(0, text.find(" HTTP/1.1\r\n"));
    const std::lock_guard lock(mutex_);
    requests_.push_back(request);
    return request;
  }

  static void send(int connection, const std::string& text) {
    static_cast<void>(::send(connection, text.data(), text.size(), MSG_NOSIGNAL));
  }

  std::string path_;
  Script script_;
  int listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  std::vector<int> open_;
  std::mutex mutex_;
  std::vector<std::string> requests_;
  std::thread thread_;
};

}  // namespace vtmirror::test
