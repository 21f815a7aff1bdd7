#include "control/server.hpp"

#include "control/door.hpp"
#include "control/loopback.hpp"
#include "control/socket_file.hpp"

#include <sys/socket.h>

#include <utility>
#include <vector>

namespace vtmirror::control {
namespace {

using base::Result;

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
  /// The file first: who comes now finds no daemon, instead of one that hangs up.
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
  const auto office = std::shared_ptr<Office>(new Office{answers, limits, std::move(rules.peer_uid)});
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
  auto server = serve_by({}, loop, stop, settings, answers);
  if (!server) return server.error();
  return std::unique_ptr<Server>(std::move(*server));
}

}  // namespace vtmirror::control
