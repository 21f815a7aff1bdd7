// Opens a connection that is ready for HTTP: name, socket, proxy, TLS. The host's addresses are tried in turn, the next
// one after 250 ms or a failure; the first that connects wins. Promises a verified host.
#pragma once

#include "net/connection.hpp"
#include "net/destination.hpp"
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
#include <vector>

namespace vtmirror::net {

using Endpoints = std::vector<boost::asio::ip::tcp::endpoint>;

/// The host's addresses, IPv4 and IPv6 alternating, so that a broken family costs one attempt. Errors: unreachable,
/// timed_out, cancelled.
boost::asio::awaitable<base::Result<Endpoints>> resolve(std::string host, std::uint16_t port, Deadline& deadline,
                                                        std::chrono::milliseconds timeout);

/// `timeout` applies to each address. `peer` is for messages. Errors: unreachable, timed_out, cancelled.
boost::asio::awaitable<base::Result<boost::asio::ip::tcp::socket>> connect(Endpoints endpoints, std::string peer,
                                                                           Deadline& deadline,
                                                                           std::chrono::milliseconds timeout);

/// The endpoints with IPv4 and IPv6 alternating, starting with the family of the first one.
Endpoints interleaved(const Endpoints& endpoints);

/// What all connections share. Must outlive every one of them.
struct Outbound {
  boost::asio::any_io_executor executor;
  ports::Stop& stop;
  HttpSettings settings;
  std::shared_ptr<Tls> tls;
  ProxyRules proxies;
};

/// A connection to the URL's host, through a proxy if one applies, with TLS for https. Sends no request to the host; a
/// proxy gets CONNECT and its own password. `outbound` must outlive the connection. Errors: unreachable, timed_out,
/// tls, protocol, cancelled.
boost::asio::awaitable<base::Result<std::unique_ptr<Connection>>> open_connection(const Outbound& outbound,
                                                                                  base::Url url, Deadline& deadline);

}  // namespace vtmirror::net
