// From a host's name to a connected socket: resolves, and tries the addresses in turn, the next one after 250 ms or a
// failure. The first that connects wins. Never speaks on the socket.
#pragma once

#include "net/deadline.hpp"
#include "vtmirror/base/result.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace vtmirror::net {

using Endpoints = std::vector<boost::asio::ip::tcp::endpoint>;

/// Both kinds of address by turns, so that a broken kind costs one step. Errors: unreachable, timed_out, cancelled.
boost::asio::awaitable<base::Result<Endpoints>> resolve(std::string host, std::uint16_t port, Deadline& deadline,
                                                        std::chrono::milliseconds timeout);

/// `timeout` is for each address. `peer` is for messages. Errors: unreachable, timed_out, cancelled.
boost::asio::awaitable<base::Result<boost::asio::ip::tcp::socket>> connect(Endpoints endpoints, std::string peer,
                                                                           Deadline& deadline,
                                                                           std::chrono::milliseconds timeout);

/// The families by turns, beginning with the first one's.
Endpoints interleaved(const Endpoints& endpoints);

}  // namespace vtmirror::net
