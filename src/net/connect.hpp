// Opens a connection that is ready for HTTP: name, socket, proxy, TLS. The host's addresses are tried in turn, the next
// one after 250 ms or a failure; the first that connects wins. Promises a verified host.
#pragma once

#include "net/connection.hpp"
#include "net/destination.hpp"
#include "net/resolver.hpp"
#include "net/tls.hpp"
#include "vtmirror/base/result.hpp"
#include "vtmirror/net/http.hpp"
#include "vtmirror/ports/clock.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <chrono>
#include <memory>
#include <string>

namespace vtmirror::net {

/// `timeout` applies to each address. `peer` is for messages. Errors: unreachable, timed_out, cancelled.
boost::asio::awaitable<base::Result<boost::asio::ip::tcp::socket>> connect(Endpoints endpoints, std::string peer,
                                                                           Deadline& deadline,
                                                                           std::chrono::milliseconds timeout);

/// What all connections share. Must outlive every one of them.
struct Outbound {
  boost::asio::any_io_executor executor;
  ports::Stop& stop;
  HttpSettings settings;
  std::shared_ptr<Tls> tls;
  ProxyRules proxies;
  Resolver resolver{};
};

/// A connection to the URL's host, through a proxy if one applies, with TLS for https. Sends no request to the host; a
/// proxy gets CONNECT and its own password. `outbound` must outlive the connection. Errors: unreachable, timed_out,
/// tls, protocol, cancelled; those of a proxy have a diagnosis.
boost::asio::awaitable<base::Result<std::unique_ptr<Connection>>> open_connection(const Outbound& outbound,
                                                                                  base::Url url, Deadline& deadline);

}  // namespace vtmirror::net
