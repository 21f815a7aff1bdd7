#include "net/connect.hpp"
#include "net/destination.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <memory>

namespace vtmirror::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using base::Errc;
using base::Error;

/// The state of a resolver's thread, which may be busy long after the wait ended; so the handler shares ownership.
struct Lookup {
  explicit Lookup(const asio::any_io_executor& executor)
      : resolver(executor), wake(executor, asio::steady_timer::time_point::max()) {}

  void start(const std::shared_ptr<Lookup>& self, const std::string& host, std::uint16_t port) {
    resolver.async_resolve(host, std::to_string(port), tcp::resolver::numeric_service,
                           [self](const boost::system::error_code& error, const tcp::resolver::results_type& results) {
                             self->failed = error;
                             for (const auto& result : results) self->found.push_back(result.endpoint());
                             self->done = true;
                             self->wake.cancel();
                           });
  }

  tcp::resolver resolver;
  asio::steady_timer wake;
  bool done = false;
  boost::system::error_code failed;
  Endpoints found;
};

}  // namespace

Endpoints interleaved(const Endpoints& endpoints) {
  Endpoints kinds[2];
  for (const auto& endpoint : endpoints)
    kinds[endpoint.protocol() == endpoints.front().protocol() ? 0 : 1].push_back(endpoint);
  Endpoints out;
  for (std::size_t i = 0; i < kinds[0].size() || i < kinds[1].size(); ++i) {
    for (const auto& kind : kinds) {
      if (i < kind.size()) out.push_back(kind[i]);
    }
  }
  return out;
}

asio::awaitable<base::Result<Endpoints>> resolve(std::string host, std::uint16_t port, Deadline& deadline,
                                                 std::chrono::milliseconds timeout) {
  boost::system::error_code no_literal;
  const auto literal = asio::ip::make_address(host, no_literal);
  if (!no_literal) co_return Endpoints(1, tcp::endpoint(literal, port));

  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  const auto lookup = std::make_shared<Lookup>(executor);
  const auto refused = deadline.arm(Deadline::Clock::now() + timeout, [lookup] { lookup->wake.cancel(); });
  if (refused) co_return Error{*refused, base::endpoint_text(host, port) + ": stopped"};
  lookup->start(lookup, host, port);
  boost::system::error_code woken;
  co_await lookup->wake.async_wait(asio::redirect_error(asio::use_awaitable, woken));
  const auto why = deadline.disarm(!lookup->done);
  const std::string peer = base::endpoint_text(host, port);
  if (why == Errc::timed_out) co_return Error{*why, peer + ": resolving the name timed out"};
  if (why) co_return Error{*why, peer + ": stopped"};
  if (lookup->failed) co_return Error{Errc::unreachable, peer + ": " + lookup->failed.message()};
  co_return interleaved(lookup->found);
}

}  // namespace vtmirror::net
