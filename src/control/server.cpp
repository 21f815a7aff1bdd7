#include "control/server.hpp"

#include "control/acceptor.hpp"
#include "control/socket_file.hpp"
#include "vtmirror/base/descriptor.hpp"
#include "vtmirror/base/result.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/base/url.hpp"
#include "vtmirror/core/shortage.hpp"

#include <sys/resource.h>
#include <sys/socket.h>
#include <boost/asio/ip/tcp.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace vtmirror::control {
namespace {

using base::Result;

namespace asio = boost::asio;
using asio::ip::tcp;
using base::Errc;
using base::Error;

/// A listening TCP socket.
struct Listener {
  base::Descriptor socket{};
  std::uint16_t port = 0;  ///< the port that the kernel chose if 0 was requested
  bool is_loopback = true;
};

/// Which addresses a setting may name.
enum class Reach { this_machine, any };

Result<tcp::endpoint> endpoint_of(const std::string& address, const std::string& setting, Reach reach) {
  const auto parts = base::parse_host_port(address);
  boost::system::error_code failed;
  const auto ip = asio::ip::make_address(parts ? parts->host : "", failed);
  if (failed || !parts->port)
    return Error{Errc::config,
                 setting + ": \"" + base::printable(address) + "\" is not an address such as 127.0.0.1:9464"};
  if (reach == Reach::this_machine && !ip.is_loopback())
    return Error{Errc::config,
                 setting + ": " + base::printable(address) + " is not a loopback address such as 127.0.0.1"};
  return tcp::endpoint(ip, *parts->port);
}

/// What may pass has the address as its subject.
Error failed(const std::string& address, const std::string& setting, int error) {
  const auto what = address + ": " + std::generic_category().message(error);
  // EINVAL: a link-local address, which only an interface makes whole.
  if (error == EADDRNOTAVAIL || error == EAFNOSUPPORT || error == EPROTONOSUPPORT || error == EINVAL)
    return Error{Errc::config, setting + " cannot be used: " + what + "\nset " + setting +
                                   " to an address of this machine: `ip address` lists them"};
  Error failure{.code = Errc::io, .detail = what, .diagnosis = core::lack_of_files(error)};
  if (error != EADDRINUSE && error != EACCES) failure.subject = address;
  return failure;
}

/// Listens at an address such as "127.0.0.1:9464" or "[::1]:9464"; names are refused. Nothing for an empty one. Errors:
/// config (no such address, or none that `reach` allows), io.
Result<Listener> listen_at(const std::string& address, const std::string& setting, Reach reach) {
  if (address.empty()) return Listener{};
  auto endpoint = endpoint_of(address, setting, reach);
  if (!endpoint) return endpoint.error();
  base::Descriptor socket(::socket(endpoint->protocol().family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.valid()) return failed(address, setting, errno);
  const int yes = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  auto size = static_cast<socklen_t>(endpoint->size());
  if (::bind(socket.get(), endpoint->data(), size) != 0) return failed(address, setting, errno);
  if (::listen(socket.get(), SOMAXCONN) != 0) return failed(address, setting, errno);
  if (::getsockname(socket.get(), endpoint->data(), &size) != 0) return failed(address, setting, errno);
  return Listener{std::move(socket), endpoint->port(), endpoint->address().is_loopback()};
}

/// The status page has a state of its own, so that its followers take no place from those of the socket.
using States = std::vector<std::shared_ptr<ServerState>>;

struct TcpPorts {
  std::uint16_t metrics = 0;
  std::uint16_t web = 0;
};

/// Acceptors and states outlive this if a conversation still has to notice its end.
class Listening final : public LocalServer {
 public:
  Listening(ports::Stop& stop, States states, std::unique_ptr<SocketFile> file,
            std::vector<std::shared_ptr<Acceptor>> acceptors, TcpPorts tcp)
      : states_(std::move(states)),
        file_(std::move(file)),
        acceptors_(std::move(acceptors)),
        tcp_(tcp),
        registration_(stop, [this] { end(); }) {
    for (const auto& acceptor : acceptors_) Acceptor::open(acceptor);
    if (stop.requested()) end();
  }
  ~Listening() override { end(); }

  void publish(const std::string& event, const std::string& json) override {
    if (followers() == 0) return;
    const auto text = event_text(event, json);
    for (const auto& state : states_) state->followers.publish(text);
  }
  int followers() const override {
    std::size_t count = 0;
    for (const auto& state : states_) count += state->followers.count();
    return static_cast<int>(count);
  }
  std::uint16_t metrics_port() const override { return tcp_.metrics; }
  std::uint16_t web_port() const override { return tcp_.web; }

 private:
  /// Removes the file first: a client that connects now finds no daemon, instead of one that hangs up.
  void end() {
    file_->remove();
    for (const auto& acceptor : acceptors_) acceptor->end();
  }

  States states_;
  std::unique_ptr<SocketFile> file_;
  std::vector<std::shared_ptr<Acceptor>> acceptors_;
  TcpPorts tcp_;
  ports::Stop::Registration registration_;
};

}  // namespace

std::optional<unsigned> kernel_peer_uid(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return std::nullopt;
  return peer.uid;
}

Limits limits_for(std::uint64_t descriptors) {
  constexpr std::uint64_t of_a_cycle = 64;
  constexpr std::uint64_t share = 8;  // a client that is refused has one for a moment too, and so has a hook
  const auto rest = descriptors > of_a_cycle ? (descriptors - of_a_cycle) / share : 0;
  Limits limits;
  for (auto* places : {&limits.clients, &limits.metrics_clients, &limits.web_clients})
    *places = std::clamp<std::size_t>(static_cast<std::size_t>(std::min<std::uint64_t>(rest, *places)), 2, *places);
  limits.waiters = limits.clients / 2;
  return limits;
}

int listening_error(const std::string& address) {
  if (address.empty()) return 0;
  const auto endpoint = endpoint_of(address, {}, Reach::any);
  if (!endpoint) return EINVAL;
  const base::Descriptor socket(::socket(endpoint->protocol().family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket.valid()) return errno;
  // A process that wants to listen there meanwhile can: this socket only has the address.
  const int yes = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  const int error = base::error_of(::bind(socket.get(), endpoint->data(), static_cast<socklen_t>(endpoint->size())));
  return error == EADDRINUSE ? 0 : error;
}

Result<std::unique_ptr<LocalServer>> serve_by(Rules rules, boost::asio::io_context& loop, ports::Stop& stop,
                                              const ControlSettings& settings, Answers& answers) {
  auto metrics = listen_at(settings.metrics, "control.metrics", Reach::this_machine);
  if (!metrics) return metrics.error();
  auto web = listen_at(settings.web, "control.web", Reach::any);
  if (!web) return web.error();
  auto file = SocketFile::make(settings.socket, settings.group);
  if (!file) return file.error();

  const Limits limits = rules.limits;
  States states{
      std::make_shared<ServerState>(ServerState{answers, limits, std::move(rules.peer_uid), {}, known_hosts(true)})};
  std::vector<std::shared_ptr<Acceptor>> acceptors;
  const auto add = [&](base::Descriptor listener, Entrance entrance, std::size_t places) {
    acceptors.push_back(std::make_shared<Acceptor>(loop, std::move(listener), states.back(), entrance, places));
  };
  add((*file)->release_listener(), Entrance::control, limits.clients);
  if (metrics->socket.valid()) add(std::move(metrics->socket), Entrance::metrics, limits.metrics_clients);
  if (web->socket.valid()) {
    states.push_back(
        std::make_shared<ServerState>(ServerState{answers, limits, nullptr, known_hosts(web->is_loopback)}));
    add(std::move(web->socket), Entrance::web, limits.web_clients);
  }
  const TcpPorts tcp{metrics->port, web->port};
  return std::unique_ptr<LocalServer>(
      std::make_unique<Listening>(stop, std::move(states), std::move(*file), std::move(acceptors), tcp));
}

Result<std::unique_ptr<Server>> serve(boost::asio::io_context& loop, ports::Stop& stop, ControlSettings settings,
                                      Answers& answers) {
  rlimit files{};
  Rules rules;
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0) rules.limits = limits_for(files.rlim_cur);
  auto server = serve_by(std::move(rules), loop, stop, settings, answers);
  if (!server) return server.error();
  return std::unique_ptr<Server>(std::move(*server));
}

}  // namespace vtmirror::control
