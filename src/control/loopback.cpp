#include "control/loopback.hpp"

#include "vtmirror/base/text.hpp"
#include "vtmirror/base/url.hpp"

#include <sys/socket.h>

#include <boost/asio/ip/tcp.hpp>

#include <cerrno>
#include <system_error>
#include <utility>

namespace vtmirror::control {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using base::Errc;
using base::Error;
using base::Result;

Result<tcp::endpoint> endpoint_of(const std::string& address) {
  const auto parts = base::parse_host_port(address);
  boost::system::error_code failed;
  const auto ip = asio::ip::make_address(parts ? parts->host : "", failed);
  if (failed || !parts->port)
    return Error{Errc::config, "metrics: \"" + base::printable(address) + "\" is not an address such as 127.0.0.1:9464"};
  if (!ip.is_loopback())
    return Error{Errc::config, "metrics: " + base::printable(address) + " is not a loopback address such as 127.0.0.1"};
  return tcp::endpoint(ip, *parts->port);
}

Error failed(const std::string& address, int error) {
  return {error == EADDRNOTAVAIL ? Errc::config : Errc::io, address + ": " + std::generic_category().message(error)};
}

}  // namespace

Result<LoopbackListener> listen_on_loopback(const std::string& address) {
  auto endpoint = endpoint_of(address);
  if (!endpoint) return endpoint.error();
  base::Descriptor socket(::socket(endpoint->protocol().family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.valid()) return failed(address, errno);
  const int yes = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  auto size = static_cast<socklen_t>(endpoint->size());
  if (::bind(socket.get(), endpoint->data(), size) != 0) return failed(address, errno);
  if (::listen(socket.get(), SOMAXCONN) != 0) return failed(address, errno);
  if (::getsockname(socket.get(), endpoint->data(), &size) != 0) return failed(address, errno);
  return LoopbackListener{std::move(socket), endpoint->port()};
}

}  // namespace vtmirror::control
