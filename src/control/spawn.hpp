// A coroutine that nobody waits for. An exception in it is a bug: it leaves the loop's run(), never silently.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>

#include <exception>
#include <utility>

namespace vtmirror::control {

inline void spawn(const boost::asio::any_io_executor& loop, boost::asio::awaitable<void> task) {
  boost::asio::co_spawn(loop, std::move(task), [](std::exception_ptr failure) {
    if (failure) std::rethrow_exception(failure);
  });
}

}  // namespace vtmirror::control
