// The sockets that are open now, so that the program can close them all at its end and wait for their threads.
#pragma once

#include <condition_variable>
#include <mutex>
#include <set>

namespace vtmirror::simulator {

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
