// Looks up the addresses of hosts. getaddrinfo cannot be cancelled, and silent name servers delay it for half a minute:
// so each call has a thread of its own for which nothing waits, not even the end of the process. Promises that a
// look-up that hangs holds up neither the look-up of another name nor the end of the loop. Never calls the loop from
// such a thread: the loop may be gone by then.
#pragma once

#include "net/connection.hpp"
#include "vtmirror/base/result.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace vtmirror::net {

using Endpoints = std::vector<boost::asio::ip::tcp::endpoint>;

struct Found {
  Endpoints endpoints{};  ///< with any port
  std::string failure{};  ///< why there are none; otherwise empty
};
/// Blocks. It may run until the end of the process, so it must own what it uses, and no static object that has a
/// destructor.
using LookUp = std::function<Found(const std::string& host)>;

/// getaddrinfo.
Found look_up(const std::string& host);

class Resolver {
 public:
  /// The number of look-ups at once; further ones wait until one ends.
  static constexpr int most_threads = 8;

  explicit Resolver(LookUp how = look_up);

  /// The host's addresses, IPv4 and IPv6 alternating, so that a broken family costs one attempt. Requests for one name
  /// at the same time share a look-up. Errors: unreachable, timed_out, cancelled.
  boost::asio::awaitable<base::Result<Endpoints>> resolve(std::string host, std::uint16_t port, Deadline& deadline,
                                                          std::chrono::milliseconds timeout) const;

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;  // with copies, and with the threads, which may outlive them
};

/// The endpoints with IPv4 and IPv6 alternating, starting with the family of the first one.
Endpoints interleaved(const Endpoints& endpoints);

}  // namespace vtmirror::net
