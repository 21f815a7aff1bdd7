// A loopback port that the kernel chose, and the thread that accepts connections there. Also the connections that it
// accepted.
#pragma once

#include "vtmirror/base/result.hpp"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

namespace vtmirror::simulator {

class Listener {
 public:
  /// Called on the accepting thread; owns the socket.
  using Accepted = std::function<void(int socket)>;

  /// Errors: io.
  static base::Result<std::unique_ptr<Listener>> open();
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  std::uint16_t port() const noexcept { return port_; }
  void start(Accepted accepted);
  /// No connection is accepted after this returns.
  void stop();

 private:
  Listener(int socket, std::uint16_t port) : socket_(socket), port_(port) {}

  int socket_;
  std::uint16_t port_;
  std::thread thread_;
};

/// The sockets that are open now, so that the program can close them all at its end and wait for their threads.
class Connections {
 public:
  /// False once `end_all` was called: the socket must not be served.
  bool add(int socket);
  /// Closes the socket. Its thread must not use this object afterwards.
  void remove(int socket);
  /// Shuts every socket down, and returns when all are removed.
  void end_all();

 private:
  std::mutex mutex_;
  std::condition_variable removed_;
  std::set<int> sockets_;
  bool ended_ = false;
};

}  // namespace vtmirror::simulator
