// Coroutines that run side by side and are awaited together. An exception in one is a bug: it leaves the loop's run().
#pragma once

#include "agent/wake.hpp"

#include <boost/asio/co_spawn.hpp>

#include <exception>
#include <utility>

namespace vtmirror::agent {

class TaskGroup {
 public:
  explicit TaskGroup(const boost::asio::any_io_executor& loop) : loop_(loop), ended_(loop) {}
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;

  /// The group must outlive the task: call `join` before destroying it.
  void spawn(boost::asio::awaitable<void> task) {
    ++running_;
    boost::asio::co_spawn(loop_, counted(std::move(task)), [](std::exception_ptr failure) {
      if (failure) std::rethrow_exception(failure);
    });
  }

  boost::asio::awaitable<void> join() {
    while (running_ > 0) co_await ended_.wait();
  }

  int running() const { return running_; }

 private:
  boost::asio::awaitable<void> counted(boost::asio::awaitable<void> task) {
    co_await std::move(task);
    --running_;
    ended_.notify();
  }

  boost::asio::any_io_executor loop_;
  Wake ended_;
  int running_ = 0;
};

}  // namespace vtmirror::agent
