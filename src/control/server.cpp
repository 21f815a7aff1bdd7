#include "control/server.hpp"

#include "control/door.hpp"
#include "control/socket_file.hpp"
#include "vtmirror/base/descriptor.hpp"
#include "vtmirror/base/result.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/base/url.hpp"

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

/// A listening TCP socket on a loopback address. Never listens on an address that another machine could reach.
struct LoopbackListener {
  base::Descriptor socket{};
  std::uint16_t port = 0;  ///< the port that the kernel chose if 0 was requested
};

Result<tcp::endpoint> endpoint_of(const std::string& address) {
  const auto parts = base::parse_host_port(address);
  boost::system::error_code failed;
  const auto ip = asio::ip::make_address(parts ? parts->host : "", failed);
  if (failed || !parts->port)
    return Error{Errc::config,
                 "metrics: \"" + base::printable(address) + "\" is not an address such as 127.0.0.1:9464"};
  if (!ip.is_loopback())
    return Error{Errc::config, "metrics: " + base::printable(address) + " is not a loopback address such as 127.0.0.1"};
  return tcp::endpoint(ip, *parts->port);
}

/// What may pass has the address as its subject.
Error failed(const std::string& address, int error) {
  const bool lasts = error == EADDRNOTAVAIL || error == EAFNOSUPPORT || error == EPROTONOSUPPORT;
  Error failure{lasts ? Errc::config : Errc::io, address + ": " + std::generic_category().message(error)};
  if (error != EADDRINUSE && error != EACCES && failure.code == Errc::io) failure.subject = address;
  return failure;
}

/// Listens at an address such as "127.0.0.1:9464" or "[::1]:9464"; names are refused. Errors: config (no such address,
/// or not a loopback one), io.
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

/// Doors and office outlive this where a conversation still has to notice its end.
class Listening final : public LocalServer {
 public:
  Listening(ports::Stop& stop, std::shared_ptr<Office> office, std::unique_ptr<SocketFile> file,
            std::vector<std::shared_ptr<Door>> doors, std::uint16_t metrics_port)
      : office_(std::move(office)),
        file_(std::move(file)),
        doors_(std::move(doors)),
        metrics_port_(metrics_port),
        registration_(stop, [this] { end(); }) {
    for (const auto& door : doors_) Door::open(door);
    if (stop.requested()) end();
  }
  ~Listening() override { end(); }

  void publish(const std::string& event, const std::string& json) override {
    if (office_->followers.count() > 0) office_->followers.publish(event_text(event, json));
  }
  int followers() const override { return static_cast<int>(office_->followers.count()); }
  std::uint16_t metrics_port() const override { return metrics_port_; }

 private:
  /// Removes the file first: a client that connects now finds no daemon, instead of one that hangs up.
  void end() {
    file_->remove();
    for (const auto& door : doors_) door->end();
  }

  std::shared_ptr<Office> office_;
  std::unique_ptr<SocketFile> file_;
  std::vector<std::shared_ptr<Door>> doors_;
  std::uint16_t metrics_port_;
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
  for (auto* places : {&limits.clients, &limits.metrics_clients})
    *places = std::clamp<std::size_t>(static_cast<std::size_t>(std::min<std::uint64_t>(rest, *places)), 2, *places);
  return limits;
}

Result<std::unique_ptr<LocalServer>> serve_by(Rules rules, boost::asio::io_context& loop, ports::Stop& stop,
                                              const ControlSettings& settings, Answers& answers) {
  LoopbackListener metrics;
  if (!settings.metrics.empty()) {
    auto listener = listen_on_loopback(settings.metrics);
    if (!listener) return listener.error();
    metrics = std::move(*listener);
  }
  auto file = SocketFile::make(settings.socket, settings.group);
  if (!file) return file.error();

  const Limits limits = rules.limits;
  const auto office = std::make_shared<Office>(Office{answers, limits, std::move(rules.peer_uid)});
  std::vector<std::shared_ptr<Door>> doors;
  doors.push_back(std::make_shared<Door>(loop, (*file)->take_listener(), office, Entrance::control, limits.clients));
  if (metrics.socket.valid()) {
    doors.push_back(
        std::make_shared<Door>(loop, std::move(metrics.socket), office, Entrance::metrics, limits.metrics_clients));
  }
  return std::unique_ptr<LocalServer>(
      std::make_unique<Listening>(stop, office, std::move(*file), std::move(doors), metrics.port));
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
