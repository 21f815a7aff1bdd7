// The agent's HTTP/1.1 client over TLS (plain HTTP for loopback tests): one factory.
// Promises TLS 1.2 or newer, verified host names, limits on header and body, and a deadline on every wait. Never sends
// a request of its own, and never sends a credential to the target of a redirect.
#pragma once

#include "vtmirror/ports/clock.hpp"
#include "vtmirror/ports/http.hpp"

#include <boost/asio/io_context.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace vtmirror::net {

struct HttpSettings {
  std::string ca_file;  ///< further trusted certificates, PEM; the system's are trusted too
  /// "http://proxy.example:3128"; empty: HTTPS_PROXY and NO_PROXY (also in lower case) from the environment.
  std::string proxy;
  std::vector<std::string> no_proxy{};  ///< hosts reached without it, each as in NO_PROXY; loopback always is
  bool allow_http = false;              ///< allows plain http; otherwise an http address is an error (config)
  /// For each address of a host; the next one is tried after 250 ms without a connection.
  std::chrono::milliseconds connect_timeout{10'000};
  /// From the request to the end of the answer's header, and of a small body.
  std::chrono::milliseconds answer_timeout{60'000};
  /// Maximum time without a byte of the body (`download.stall_timeout`).
  std::chrono::milliseconds stall_timeout{30'000};
  std::string user_agent = "vtmirror";
  friend bool operator==(const HttpSettings&, const HttpSettings&) = default;
};

/// `loop` must be run by one thread; all work happens there. Errors: config (ca_file cannot be read, proxy is not an
/// address), tls.
base::Result<std::unique_ptr<ports::Http>> make_http(boost::asio::io_context& loop, ports::Stop& stop,
                                                     HttpSettings settings);

/// What `make_http` asks of its settings, each by itself and without a network.
/// Whether the file has certificates. Errors: config, io (it could not be read now); their detail begins with the file.
base::Result<void> check_certificates(const std::string& ca_file);
/// Whether the proxy that the setting or else the environment names is one. Errors: config.
base::Result<void> check_proxy(const std::string& proxy);

}  // namespace vtmirror::net
