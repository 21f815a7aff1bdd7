// The only way to run blocking work on other threads: values in, a value out, and back on the loop's thread. Calls
// to the catalogue go through it as well.
#pragma once

#include "vtmirror/agent/agent.hpp"

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <memory>
#include <type_traits>
#include <utility>

namespace vtmirror::agent {

/// Runs `work()` on `where` (a thread pool's executor, or a strand of it) and returns its result. What `work` refers to
/// must live until then, which it does if the awaiting coroutine owns it. An exception is a bug and ends the process.
template <class Executor, class Work>
boost::asio::awaitable<std::invoke_result_t<Work>> off_loop(Executor where, Work work) {
  using Value = std::invoke_result_t<Work>;
  auto start = [where](auto handler, Work job) {
    auto back = boost::asio::make_work_guard(boost::asio::get_associated_executor(handler));
    auto run = [handler = std::move(handler), job = std::move(job), back = std::move(back)]() mutable noexcept {
      auto finish = [handler = std::move(handler), value = std::make_unique<Value>(job())]() mutable {
        std::move(handler)(std::move(*value));
      };
      boost::asio::post(back.get_executor(), std::move(finish));
    };
    boost::asio::post(where, std::move(run));
  };
  return boost::asio::async_initiate<const boost::asio::use_awaitable_t<>, void(Value)>(
      std::move(start), boost::asio::use_awaitable, std::move(work));
}

/// Calls to the catalogue from the agent's coroutines: off the loop, one after another with all other calls.
/// Several may share one strand.
class CatalogueCalls {
 public:
  explicit CatalogueCalls(CatalogueStrand& strand) : strand_(strand) {}

  /// `co_await calls([...](catalogue::Files& files) { return files.files(); })`: the callable takes the catalogue or
  /// one of its roles.
  template <class Call>
  auto operator()(Call call) {
    return off_loop(strand_.turn(), [&strand = strand_, call = std::move(call)] { return call(strand.catalogue()); });
  }

 private:
  CatalogueStrand& strand_;
};

}  // namespace vtmirror::agent
