// Waiting for something that happens on the same event loop: a condition variable without a clock.
// A waiter checks its own condition in a loop, because a wake may be meant for another one. Belongs to the loop's
// thread. Also tasks that are waited for together.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <exception>
#include <utility>

namespace vtmirror::agent {

class Wake {
 public:
  explicit Wake(const boost::asio::any_io_executor& loop)
      : timer_(loop, boost::asio::steady_timer::time_point::max()) {}

  boost::asio::awaitable<void> wait() { co_await timer_.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable)); }

  /// Wakes all current waiters.
  void notify() { timer_.cancel(); }
  /// Wakes the one that has waited longest. It must notify the next one itself if there is something left for it.
  void notify_one() { timer_.cancel_one(); }

 private:
  boost::asio::steady_timer timer_;
};

/// A semaphore: `acquire` waits for a free place. With one place it is a lock that a coroutine may hold across waits.
class Slots {
 public:
  Slots(const boost::asio::any_io_executor& loop, int places) : free_(places), freed_(loop) {}

  boost::asio::awaitable<void> acquire() {
    while (free_ == 0) co_await freed_.wait();
    --free_;
  }

  void release() {
    ++free_;
    freed_.notify();
  }

 private:
  int free_;
  Wake freed_;
};

/// Releases a place when it goes out of scope. Created after `acquire` has ended.
class Taken {
 public:
  explicit Taken(Slots& slots) : slots_(slots) {}
  ~Taken() { slots_.release(); }
  Taken(const Taken&) = delete;
  Taken& operator=(const Taken&) = delete;

 private:
  Slots& slots_;
};

/// Coroutines that run side by side and are awaited together. An exception in one is a bug: it leaves the loop's run().
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
