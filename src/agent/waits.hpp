// Waits for a time that other coroutines on the same loop can end early, whatever clock they use.
// Promises that a wait that was ended early is not an error: it is never taken for the program's stop. Belongs to the
// loop's thread.
#pragma once

#include "vtmirror/base/result.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <exception>
#include <map>
#include <utility>

namespace vtmirror::agent {

class Waits {
 public:
  enum class End { passed, woken };

  explicit Waits(const boost::asio::any_io_executor& loop) : loop_(loop) {}

  /// Runs `wait`, which a clock has returned, to its end or until `wake(number)`. There is one wait of each number at a
  /// time. Errors: those of `wait`, unless it was woken.
  boost::asio::awaitable<base::Result<End>> wait(int number, boost::asio::awaitable<base::Result<void>> wait) {
    Place place(running_, number);
    auto token = boost::asio::bind_cancellation_slot(place.running.signal.slot(),
                                                     boost::asio::as_tuple(boost::asio::use_awaitable));
    auto [thrown, waited] = co_await boost::asio::co_spawn(loop_, std::move(wait), token);
    // A cancelled coroutine throws at its next co_await, and a clock may mistake the end of its timer for the stop.
    if (place.running.woken) co_return End::woken;
    if (thrown) std::rethrow_exception(thrown);
    if (!waited) co_return waited.error();
    co_return End::passed;
  }

  /// Does nothing if no wait has this number.
  void wake(int number) {
    const auto found = running_.find(number);
    if (found == running_.end() || std::exchange(found->second.woken, true)) return;
    found->second.signal.emit(boost::asio::cancellation_type::terminal);
  }

 private:
  struct Running {
    boost::asio::cancellation_signal signal{};
    bool woken = false;
  };
  struct Place {
    Place(std::map<int, Running>& all, int number) : set(all), at(all.try_emplace(number).first), running(at->second) {}
    ~Place() { set.erase(at); }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    std::map<int, Running>& set;
    std::map<int, Running>::iterator at;
    Running& running;
  };

  boost::asio::any_io_executor loop_;
  std::map<int, Running> running_;
};

}  // namespace vtmirror::agent
