// A loopback port that the kernel chose, and the thread that accepts connections there.
#pragma once

#include "vtmirror/base/result.hpp"

#include <cstdint>
#include <functional>
#include <memory>
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

}  // namespace vtmirror::simulator
