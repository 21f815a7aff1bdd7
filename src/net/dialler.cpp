#include "net/dialler.hpp"

#include "net/connect.hpp"
#include "net/conversation.hpp"
#include "net/request.hpp"

#include <utility>

namespace vtmirror::net {
namespace {

using base::Errc;
using base::Error;
using base::Result;
using boost::asio::awaitable;
using Opened = Result<std::unique_ptr<Connection>>;

/// Asks `proxy` for a way to the address, on a connection to it.
awaitable<Opened> tunnel(std::unique_ptr<Connection> connection, std::string request, std::string peer,
                         Deadline::Clock::time_point until) {
  Conversation conversation(std::move(connection));
  const auto head = co_await conversation.ask(std::move(request), until);
  if (!head) co_return head.error();
  if (head->status / 100 != 2)
    co_return Error{Errc::unreachable, peer + ": the proxy refused with status " + std::to_string(head->status)};
  auto through = conversation.into_tunnel();
  if (through == nullptr) co_return Error{Errc::protocol, peer + ": the proxy sent more than its answer"};
  co_return through;
}

}  // namespace

awaitable<Opened> Dialler::open(std::string host, std::uint16_t port, std::string peer, Deadline& deadline) {
  const auto endpoints = co_await resolve(host, port, deadline, settings.connect_timeout);
  if (!endpoints) co_return endpoints.error();
  const std::string place = endpoint_text(host, port);
  auto socket = co_await connect(*endpoints, place, deadline, settings.connect_timeout);
  if (!socket) co_return socket.error();
  co_return std::make_unique<Connection>(std::move(*socket), deadline, std::move(peer));
}

awaitable<Opened> Dialler::reach(Url url, Deadline& deadline) {
  const Proxy* proxy = proxies.before(url);
  if (proxy == nullptr) {
    auto direct = co_await open(url.host, url.port, url.endpoint(), deadline);
    co_return direct;
  }
  const std::string peer = url.endpoint() + " through proxy " + proxy->endpoint();
  auto opened = co_await open(proxy->host, proxy->port, peer, deadline);
  if (!opened) {
    auto error = opened.error();
    error.detail = url.endpoint() + " through proxy " + error.detail;
    co_return error;
  }
  std::string request = connect_request_text(url, *proxy, settings.user_agent);
  const auto until = Deadline::Clock::now() + settings.connect_timeout;
  auto through = co_await tunnel(std::move(*opened), std::move(request), peer, until);
  co_return through;
}

awaitable<Opened> Dialler::dial(Url url, Deadline& deadline) {
  auto reached = co_await reach(url, deadline);
  if (!reached || !url.tls) co_return reached;
  auto ssl = tls->client(url.host, url.port);
  if (!ssl) co_return ssl.error();
  const auto until = Deadline::Clock::now() + settings.connect_timeout;
  auto secured = co_await (*reached)->start_tls(std::move(*ssl), until);
  if (!secured) co_return secured.error();
  co_return reached;
}

}  // namespace vtmirror::net
