// From an address to a connection that is ready for HTTP: name, socket, proxy, TLS.
// Promises a verified host. Sends nothing to it; to a proxy, CONNECT and the proxy's own password.
#pragma once

#include "net/connection.hpp"
#include "net/proxy.hpp"
#include "net/tls.hpp"
#include "net/url.hpp"
#include "vtmirror/net/http.hpp"
#include "vtmirror/ports/stop.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <memory>

namespace vtmirror::net {

/// What all connections share. Outlives every one of them.
struct Dialler {
  boost::asio::any_io_executor executor;
  ports::Stop& stop;
  HttpSettings settings;
  std::shared_ptr<Tls> tls;
  ProxyRules proxies;

  /// Errors: unreachable, timed_out, tls, protocol, cancelled.
  boost::asio::awaitable<base::Result<std::unique_ptr<Connection>>> dial(Url url, Deadline& deadline);

 private:
  boost::asio::awaitable<base::Result<std::unique_ptr<Connection>>> reach(Url url, Deadline& deadline);
  boost::asio::awaitable<base::Result<std::unique_ptr<Connection>>> open(std::string host, std::uint16_t port,
                                                                         std::string peer, Deadline& deadline);
};

}  // namespace vtmirror::net
