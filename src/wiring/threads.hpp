// The threads of one pool, begun all or none: Asio's own constructor waits for ever if the system allows only some of
// them. Promises that a refused thread is an exception (std::system_error), and that the others have ended then.
#pragma once

#include <boost/asio/thread_pool.hpp>

#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

namespace vtmirror::wiring {

class Threads {
 public:
  /// `first` is called on each thread before its work.
  explicit Threads(std::size_t count, const std::function<void()>& first = {});
  /// Waits for the work that was given to the pool.
  ~Threads() { join(); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  boost::asio::thread_pool& pool() { return pool_; }
  /// Waits for the work that was given to the pool, and ends the threads.
  void join();

 private:
  boost::asio::thread_pool pool_{0};
  std::vector<std::thread> threads_;
};

}  // namespace vtmirror::wiring
