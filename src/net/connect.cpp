#include "net/connect.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <list>
#include <memory>
#include <optional>
#include <utility>

namespace vtmirror::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using base::Errc;
using base::Error;
using Clock = Deadline::Clock;

constexpr std::chrono::milliseconds head_start{250};

/// Sockets that try to connect at the same time. Shared with their handlers, which run once more when the losers are
/// closed.
struct Race {
  explicit Race(const asio::any_io_executor& executor) : wake(executor, asio::steady_timer::time_point::max()) {}

  void enter(const std::shared_ptr<Race>& self, const tcp::endpoint& endpoint) {
    tcp::socket& socket = runners.emplace_back(wake.get_executor());
    ++running;
    socket.async_connect(endpoint,
                         [self, &socket](const boost::system::error_code& error) { self->arrived(socket, error); });
  }

  void arrived(tcp::socket& socket, const boost::system::error_code& error) {
    if (over) return;
    --running;
    news = true;
    if (error) {
      failed = error;
    } else if (!winner) {
      winner = std::move(socket);
    }
    wake.cancel();
  }

  asio::steady_timer wake;
  std::list<tcp::socket> runners;
  std::optional<tcp::socket> winner;
  boost::system::error_code failed;
  int running = 0;
  bool news = false;
  bool over = false;
};

/// Until somebody arrives or fails, or `until`.
asio::awaitable<std::optional<Errc>> watch(Race& race, Deadline& deadline, Clock::time_point until) {
  race.news = false;
  const auto refused = deadline.arm(until, [&race] { race.wake.cancel(); });
  if (refused) co_return refused;
  boost::system::error_code woken;
  co_await race.wake.async_wait(asio::redirect_error(asio::use_awaitable, woken));
  co_return deadline.disarm(!race.news);
}

asio::awaitable<std::optional<Errc>> run(const std::shared_ptr<Race>& race, const Endpoints& endpoints,
                                         Deadline& deadline, std::chrono::milliseconds timeout) {
  for (const auto& endpoint : endpoints) {
    if (deadline.cancelled()) co_return Errc::cancelled;
    race->enter(race, endpoint);
    const bool last = &endpoint == &endpoints.back();
    const auto until = Clock::now() + (last ? timeout : std::min(timeout, head_start));
    std::optional<Errc> why;
    do {
      why = co_await watch(*race, deadline, until);
      if (race->winner || why == Errc::cancelled) co_return why;
    } while (last && !why && race->running > 0);
    if (last) co_return why;
  }
  co_return Errc::unreachable;
}

}  // namespace

asio::awaitable<base::Result<tcp::socket>> connect(Endpoints endpoints, std::string peer, Deadline& deadline,
                                                   std::chrono::milliseconds timeout) {
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  const auto race = std::make_shared<Race>(executor);
  const auto why = co_await run(race, endpoints, deadline, timeout);
  race->over = true;
  for (auto& runner : race->runners) {
    boost::system::error_code ignored;
    if (runner.is_open()) runner.close(ignored);
  }
  if (why == Errc::cancelled) co_return Error{Errc::cancelled, peer + ": stopped"};
  if (why == Errc::timed_out) co_return Error{Errc::timed_out, peer + ": no connection in time"};
  if (!race->winner) co_return Error{Errc::unreachable, peer + ": " + race->failed.message()};
  boost::system::error_code ignored;
  race->winner->set_option(tcp::no_delay(true), ignored);
  co_return std::move(*race->winner);
}

}  // namespace vtmirror::net
