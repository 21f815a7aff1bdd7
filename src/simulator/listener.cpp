#include "simulator/listener.hpp"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace vtmirror::simulator {
namespace {

bool bind_to_loopback(int socket, sockaddr_in& address) {
  socklen_t size = sizeof address;
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* any = reinterpret_cast<sockaddr*>(&address);
  return bind(socket, any, size) == 0 && listen(socket, SOMAXCONN) == 0 && getsockname(socket, any, &size) == 0;
}

}  // namespace

base::Result<std::unique_ptr<Listener>> Listener::open() {
  sockaddr_in address{};
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return base::Error{base::Errc::io, "no socket"};
  if (!bind_to_loopback(socket, address)) {
    ::close(socket);
    return base::Error{base::Errc::io, "cannot listen on loopback"};
  }
  return std::unique_ptr<Listener>(new Listener(socket, ntohs(address.sin_port)));
}

Listener::~Listener() {
  stop();
  ::close(socket_);
}

void Listener::start(Accepted accepted) {
  thread_ = std::thread([this, accepted = std::move(accepted)] {
    while (true) {
      const int socket = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
      if (socket >= 0) {
        accepted(socket);
      } else if (errno == EINVAL || errno == EBADF) {
        return;  // stop() shut the socket down
      }
    }
  });
}

void Listener::stop() {
  shutdown(socket_, SHUT_RDWR);
  if (thread_.joinable()) thread_.join();
}

bool Connections::add(int socket) {
  const std::lock_guard lock(mutex_);
  if (!ended_) sockets_.insert(socket);
  return !ended_;
}

void Connections::remove(int socket) {
  const std::lock_guard lock(mutex_);
  sockets_.erase(socket);
  ::close(socket);  // under the lock: end_all must not shut down another connection that reuses the descriptor
  removed_.notify_all();
}

void Connections::end_all() {
  std::unique_lock lock(mutex_);
  ended_ = true;
  for (const int socket : sockets_) shutdown(socket, SHUT_RDWR);
  removed_.wait(lock, [this] { return sockets_.empty(); });
}

}  // namespace vtmirror::simulator
