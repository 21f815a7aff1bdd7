// The only way to run blocking work on other threads: values in, a value out, and back on the loop's thread. Calls
// to the catalogue go through it as well.
#pragma once

#include "vtmirror/agent/agent.hpp"
#include "vtmirror/core/retry.hpp"

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
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

/// Ends long work on a pool's thread when the program stops.
inline ports::Watch until(const std::atomic<bool>& stopping) {
  return [&stopping](std::int64_t) { return !stopping.load(); };
}

/// Calls to the catalogue from the agent's coroutines: off the loop, one after another with all other calls.
/// Several may share one strand.
class CatalogueCalls {
  template <class Call>
  using Value = std::invoke_result_t<Call&, catalogue::Catalogue&>;

 public:
  /// With what a busy catalogue is waited for.
  struct Patience {
    ports::Clock& clock;
    ports::Dice& dice;
    ports::Journal& journal;
  };

  /// A call that finds the catalogue busy fails.
  explicit CatalogueCalls(CatalogueStrand& strand) : strand_(strand) {}
  /// A call that finds the catalogue busy (another process holds its lock) is made again, as `core::next_attempt`
  /// decides: some minutes in all, with an event before each further try. It must outlive its calls. Errors: as the
  /// call, and cancelled.
  CatalogueCalls(CatalogueStrand& strand, Patience patience) : strand_(strand), patience_(patience) {}

  /// `co_await calls([...](catalogue::Files& files) { return files.files(); })`: the callable takes the catalogue or
  /// one of its roles. It may be called more than once.
  template <class Call>
  auto operator()(Call call) -> boost::asio::awaitable<Value<Call>> {
    if (patience_) return patiently(std::move(call));
    return off_loop(strand_.turn(), [&strand = strand_, call = std::move(call)] { return call(strand.catalogue()); });
  }

  /// The same for a write that must not wait until a full disk has room, because it is what a person is notified by, or
  /// what comes before files are removed: it is made again with the space that was kept for the catalogue, as long as
  /// there is some.
  template <class Call>
  auto with_room(Call call) -> boost::asio::awaitable<Value<Call>> {
    return (*this)([&strand = strand_, call = std::move(call)](catalogue::Catalogue& catalogue) {
      auto value = call(catalogue);
      while (value.has_error() && value.error().code == base::Errc::no_space && strand.make_room())
        value = call(catalogue);
      return value;
    });
  }

 private:
  template <class Call>
  auto patiently(Call call) -> boost::asio::awaitable<Value<Call>> {
    core::Attempts attempts;
    for (;;) {
      auto try_once = [this, &call] { return call(strand_.catalogue()); };
      auto value = co_await off_loop(strand_.turn(), std::move(try_once));
      if constexpr (requires { value.error().code; }) {
        const auto pause = pause_after(value, attempts);
        if (!pause) co_return value;
        const auto waited = co_await patience_->clock.wait(*pause);
        if (!waited) co_return waited.error();
      } else {
        co_return value;
      }
    }
  }

  /// Empty if there is no further try.
  template <class T>
  std::optional<base::Milliseconds> pause_after(const base::Result<T>& value, core::Attempts& attempts) {
    if (value || value.error().code != base::Errc::catalogue_busy) return std::nullopt;
    ++attempts.failed;
    const auto decision = core::next_attempt(value.error(), attempts, patience_->dice.roll());
    if (decision.next != core::Next::wait) return std::nullopt;
    log_busy(value.error(), decision.pause);
    return decision.pause;
  }

  void log_busy(const base::Error& error, base::Milliseconds pause);

  CatalogueStrand& strand_;
  std::optional<Patience> patience_;
};

}  // namespace vtmirror::agent
