// The sockets that are open right now, so that the end of the program can end them all and wait for their threads.
#pragma once

#include <condition_variable>
#include <mutex>
#include <set>

namespace vtmirror::simulator {

class Connections {
 public:
  /// False once `end_all` was called: the socket is not to be served.
  bool add(int socket);
  /// Closes the socket. The last thing that its thread does here.
  void remove(int socket);
  /// Shuts every socket down and returns when all are removed.
  void end_all();

 private:
  std::mutex mutex_;
  std::condition_variable removed_;
  std::set<int> sockets_;
  bool ended_ = false;
};

}  // namespace vtmirror::simulator
