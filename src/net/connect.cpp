#include "net/connect.hpp"

#include "net/conversation.hpp"
#include "net/destination.hpp"
#include "vtmirror/core/shortage.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <utility>

namespace vtmirror::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using base::Diagnosis;
using base::Errc;
using base::Error;
using Clock = Deadline::Clock;

constexpr std::chrono::milliseconds head_start{250};

/// Sockets that try to connect at the same time. The handlers share ownership, because they run once more when the
/// losing sockets are closed.
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

/// Waits until a socket connects or fails, or until `until`.
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
  if (why == Errc::timed_out) co_return Error{Errc::timed_out, peer + ": the connection timed out"};
  if (!race->winner)
    co_return Error{.code = Errc::unreachable,
                    .detail = peer + ": " + race->failed.message(),
                    .diagnosis = core::lack_of_files(race->failed.value())};
  boost::system::error_code ignored;
  race->winner->set_option(tcp::no_delay(true), ignored);
  co_return std::move(*race->winner);
}

namespace {

using Opened = base::Result<std::unique_ptr<Connection>>;

constexpr int proxy_login_status = 407;

/// The host behind the proxy has not answered, whatever the proxy said. A lack of open files is this machine's.
Error of_proxy(Error error) {
  if (error.code == Errc::cancelled || error.diagnosis != Diagnosis::none) return error;
  if (error.code != Errc::timed_out) error.code = Errc::unreachable;
  error.diagnosis = Diagnosis::proxy_failed;
  return error;
}

/// `proxy`: "store.example:443: the proxy at proxy.example:3128".
Error refusal(int status, const std::string& proxy) {
  const bool wants_login = status == proxy_login_status;
  auto error = of_proxy({.detail = proxy + (wants_login ? " wants a login" : " refused the connection") + " (HTTP " +
                                   std::to_string(status) + ')'});
  if (wants_login) error.diagnosis = Diagnosis::proxy_login;
  return error;
}

bool is_text(const Head& head) { return head.content_type.starts_with("text/"); }

/// A length alone does not make it a page: a client has to ignore it in the answer to CONNECT (RFC 9110, 9.3.6).
bool is_page(const Head& head) {
  const bool has_body = head.body == BodyKind::chunked || (head.body == BodyKind::sized && head.length > 0);
  return has_body && is_text(head);
}

/// `proxy`: as above.
Error page_of(const std::string& proxy) {
  return of_proxy({.detail = proxy + " answered with a page of its own in place of a connection"});
}

/// A connection over which the host can be reached.
struct Way {
  std::unique_ptr<Connection> connection{};
  std::string proxy{};          ///< as above; empty without one
  bool announces_page = false;  ///< the proxy's answer to CONNECT has the type of a text
};

/// Whether a page of the proxy came in place of the host's TLS, after the head of its answer to CONNECT. The words of a
/// host that does not speak TLS are none.
bool is_page(const Way& way) {
  if (way.proxy.empty()) return false;
  const auto first = way.connection->first_byte();
  if (!first) return way.announces_page;
  const auto byte = std::to_integer<unsigned char>(*first);
  constexpr unsigned char first_record = 20;
  constexpr unsigned char last_record = 23;
  const bool is_tls = byte >= first_record && byte <= last_record;
  return !is_tls && (way.announces_page || byte == '<' || byte == '\r' || byte == '\n' || byte == ' ');
}

/// Opens a tunnel to the address with CONNECT, on a connection to the proxy, which `proxy` names.
asio::awaitable<base::Result<Way>> tunnel(std::unique_ptr<Connection> connection, std::string request,
                                          std::string proxy, Deadline::Clock::time_point until) {
  Conversation conversation(std::move(connection));
  const auto head = co_await conversation.ask(std::move(request), until);
  if (!head) co_return of_proxy(head.error());
  if (head->status / 100 != 2) co_return refusal(head->status, proxy);
  Way way{.connection = conversation.into_tunnel(), .announces_page = is_text(*head)};
  if (way.connection == nullptr || is_page(*head)) co_return page_of(proxy);
  way.proxy = std::move(proxy);
  co_return way;
}

asio::awaitable<Opened> open(const Outbound& outbound, std::string host, std::uint16_t port, std::string peer,
                             Deadline& deadline) {
  const auto endpoints = co_await outbound.resolver.resolve(host, port, deadline, outbound.settings.connect_timeout);
  if (!endpoints) co_return endpoints.error();
  const std::string place = base::endpoint_text(host, port);
  auto socket = co_await connect(*endpoints, place, deadline, outbound.settings.connect_timeout);
  if (!socket) co_return socket.error();
  co_return std::make_unique<Connection>(std::move(*socket), deadline, std::move(peer));
}

asio::awaitable<base::Result<Way>> reach(const Outbound& outbound, base::Url url, Deadline& deadline) {
  const Proxy* proxy = outbound.proxies.before(url);
  if (proxy == nullptr) {
    auto direct = co_await open(outbound, url.host, url.port, url.endpoint(), deadline);
    if (!direct) co_return direct.error();
    Way way{.connection = std::move(*direct)};
    co_return way;
  }
  const std::string peer = url.endpoint() + ": through the proxy at " + proxy->endpoint();
  auto opened = co_await open(outbound, proxy->host, proxy->port, peer, deadline);
  if (!opened) {
    auto error = of_proxy(opened.error());
    error.detail = url.endpoint() + ": the proxy at " + error.detail;
    co_return error;
  }
  std::string request = connect_request_text(url, *proxy, outbound.settings.user_agent);
  const auto until = Deadline::Clock::now() + outbound.settings.connect_timeout;
  std::string name = url.endpoint() + ": the proxy at " + proxy->endpoint();
  auto through = co_await tunnel(std::move(*opened), std::move(request), std::move(name), until);
  co_return through;
}

}  // namespace

asio::awaitable<Opened> open_connection(const Outbound& outbound, base::Url url, Deadline& deadline) {
  auto way = co_await reach(outbound, url, deadline);
  if (!way) co_return way.error();
  if (!url.tls) co_return std::move(way->connection);
  auto ssl = outbound.tls->client(url.host, url.port);
  if (!ssl) co_return ssl.error();
  const auto until = Deadline::Clock::now() + outbound.settings.connect_timeout;
  auto secured = co_await way->connection->start_tls(std::move(*ssl), until);
  if (secured) co_return std::move(way->connection);
  const auto code = secured.error().code;
  if (code != Errc::cancelled && code != Errc::timed_out && is_page(*way)) co_return page_of(way->proxy);
  co_return secured.error();
}

}  // namespace vtmirror::net
