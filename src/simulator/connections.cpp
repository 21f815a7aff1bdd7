#include "simulator/connections.hpp"

#include <sys/socket.h>
#include <unistd.h>

namespace vtmirror::simulator {

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
