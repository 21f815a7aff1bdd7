#include "net/connect.hpp"

#include "net/client.hpp"
#include "net/loopback.hpp"
#include "support/no_descriptors.hpp"

#include <doctest/doctest.h>

#include <cerrno>
#include <chrono>
#include <optional>
#include <utility>

using namespace vtmirror;
using namespace vtmirror::test;
using namespace std::chrono_literals;
using base::Errc;
using boost::asio::ip::make_address;
using boost::asio::ip::tcp;
using net::Endpoints;

namespace {

struct Place {
  boost::asio::io_context loop;
  ports::Stop stop;
  net::Deadline deadline{loop.get_executor(), stop};

  base::Result<tcp::socket> connect(Endpoints endpoints, std::chrono::milliseconds timeout = 5s) {
    // A socket cannot be made of nothing, as co_spawn would have it: the result travels beside it.
    std::optional<base::Result<tcp::socket>> out;
    run(loop, keep(net::connect(std::move(endpoints), "store.example:443", deadline, timeout), out));
    return std::move(*out);
  }

  static boost::asio::awaitable<int> keep(boost::asio::awaitable<base::Result<tcp::socket>> task,
                                          std::optional<base::Result<tcp::socket>>& out) {
    auto result = co_await std::move(task);
    out.emplace(std::move(result));
    co_return 0;
  }
};

tcp::endpoint of(const LoopbackServer& server) { return {make_address("127.0.0.1"), server.port()}; }

/// A port of the loopback at which nobody listens: its owner has just gone.
tcp::endpoint dead() {
  const LoopbackServer gone([](Peer&) {});
  return of(gone);
}

/// Takes no connection and refuses none: its queue is full.
class Deaf {
 public:
  Deaf() {
    auto address = loopback_address(0);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    REQUIRE(::bind(listener_, generic, size) == 0);
    REQUIRE(::listen(listener_, 0) == 0);
    REQUIRE(::getsockname(listener_, generic, &size) == 0);
    port_ = ntohs(address.sin_port);
    for (const int caller : callers_) {
      const bool asks = ::connect(caller, generic, size) == 0 || errno == EINPROGRESS;
      REQUIRE(asks);
    }
  }
  ~Deaf() {
    for (const int caller : callers_) ::close(caller);
    ::close(listener_);
  }
  Deaf(const Deaf&) = delete;
  Deaf& operator=(const Deaf&) = delete;
  tcp::endpoint endpoint() const { return {make_address("127.0.0.1"), port_}; }

 private:
  static int made() { return ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }
  int listener_ = made();
  int callers_[3] = {made(), made(), made()};
  std::uint16_t port_ = 0;
};

}  // namespace

TEST_CASE("the first address that connects wins, whatever is dead before it") {
  LoopbackServer server([](Peer& peer) { peer.hang(); });
  const Endpoints rows[] = {{of(server)}, {dead(), of(server)}, {dead(), dead(), of(server)}, {of(server), dead()}};
  for (const auto& endpoints : rows) {
    Place place;
    const auto socket = place.connect(endpoints);
    REQUIRE(socket);
    CHECK(socket->remote_endpoint().port() == server.port());
  }
}

TEST_CASE("an address that does not answer holds the next one up for a quarter of a second at most") {
  LoopbackServer server([](Peer& peer) { peer.hang(); });
  const Deaf deaf;
  Place place;
  const auto socket = place.connect({deaf.endpoint(), of(server)}, 60s);
  REQUIRE(socket);
  CHECK(socket->remote_endpoint().port() == server.port());
}

TEST_CASE("addresses that all refuse are unreachable, one that never answers is timed out") {
  Place place;
  const auto refused = place.connect({dead(), dead()});
  REQUIRE(!refused);
  CHECK(refused.error().code == Errc::unreachable);
  CHECK(refused.error().detail.find("store.example:443: Connection refused") != std::string::npos);
  const Deaf deaf;
  const auto late = place.connect({deaf.endpoint()}, 60ms);
  REQUIRE(!late);
  CHECK(late.error().code == Errc::timed_out);
}

TEST_CASE("a socket for which no descriptor is left is a lack of open files, and says nothing about the network") {
  Place place;
  const Endpoints endpoints{dead()};
  std::optional<NoDescriptors> no_descriptors(std::in_place);
  const auto refused = place.connect(endpoints);
  no_descriptors.reset();
  REQUIRE(!refused);
  CHECK(refused.error().code == Errc::unreachable);
  CHECK(refused.error().diagnosis == base::Diagnosis::open_files);
  CHECK(refused.error().service_code.empty());
}

TEST_CASE("a stop ends a connect with cancelled") {
  const Deaf deaf;
  Place place;
  boost::asio::post(place.loop, [&place] { place.stop.request(); });
  const auto socket = place.connect({deaf.endpoint()}, 60s);
  REQUIRE(!socket);
  CHECK(socket.error().code == Errc::cancelled);
}

TEST_CASE("addresses of both kinds are tried by turns") {
  const auto v4 = [](unsigned short port) { return tcp::endpoint(make_address("127.0.0.1"), port); };
  const auto v6 = [](unsigned short port) { return tcp::endpoint(make_address("::1"), port); };
  CHECK(net::interleaved({v6(1), v6(2), v6(3), v4(4), v4(5)}) == Endpoints{v6(1), v4(4), v6(2), v4(5), v6(3)});
  CHECK(net::interleaved({v4(1), v6(2)}) == Endpoints{v4(1), v6(2)});
  CHECK(net::interleaved({}).empty());
}
