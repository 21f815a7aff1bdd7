#include "control/door.hpp"

#include "control/spawn.hpp"

#include <sys/socket.h>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cerrno>
#include <utility>

namespace vtmirror::control {
namespace {

namespace asio = boost::asio;
using asio::awaitable;

/// While no descriptor is free, the listener stays readable: without a pause the loop would spin.
constexpr std::chrono::milliseconds pause_without_descriptors{100};

bool is_shortage(int error) { return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM; }

}  // namespace

Door::Door(asio::io_context& loop, base::Descriptor listener, std::shared_ptr<Office> office, Entrance entrance,
           std::size_t places)
    : loop_(loop.get_executor()),
      listener_(loop, listener.release()),
      timer_(loop),
      office_(std::move(office)),
      entrance_(entrance),
      places_(places) {}

void Door::open(const std::shared_ptr<Door>& door) { spawn(door->loop_, admit_all(door)); }

void Door::end() {
  if (std::exchange(ended_, true)) return;
  boost::system::error_code ignored;
  listener_.close(ignored);
  timer_.cancel();
  for (const auto& client : clients_) client->close();
  for (const auto& client : leaving_) client->close();
}

awaitable<void> Door::admit_all(std::shared_ptr<Door> door) {
  while (!door->ended_) {
    boost::system::error_code failed;
    auto& listener = door->listener_;
    co_await listener.async_wait(asio::posix::stream_descriptor::wait_read,
                                 asio::redirect_error(asio::use_awaitable, failed));
    if (failed || door->ended_) co_return;
    // Not Asio's accept: a hook that is started meanwhile would inherit the connection.
    base::Descriptor socket(::accept4(listener.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket.valid()) {
      admit(door, std::move(socket));
    } else if (is_shortage(errno)) {
      co_await door->wait_for_descriptors();
    }
  }
}

awaitable<void> Door::wait_for_descriptors() {
  boost::system::error_code ignored;
  timer_.expires_after(pause_without_descriptors);
  co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
}

void Door::admit(const std::shared_ptr<Door>& door, base::Descriptor socket) {
  const Asker asker = door->asker(socket.get());
  const bool has_place = door->clients_.size() < door->places_ || door->make_room();
  if (!has_place && door->leaving_.size() >= door->places_) return;
  const auto client = std::make_shared<Client>(*door->office_, door->loop_, std::move(socket), asker);
  (has_place ? door->clients_ : door->leaving_).insert(client);
  spawn(door->loop_, has_place ? attend(door, client) : dismiss(door, client));
}

bool Door::make_room() {
  auto longest = clients_.end();
  for (auto at = clients_.begin(); at != clients_.end(); ++at) {
    const auto since = (*at)->waits_since();
    if (since && (longest == clients_.end() || *since < *(*longest)->waits_since())) longest = at;
  }
  if (longest == clients_.end()) return false;
  (*longest)->make_room();
  clients_.erase(longest);
  return true;
}

Asker Door::asker(int socket) const {
  if (entrance_ != Entrance::control) return {entrance_, false};
  const auto uid = office_->peer_uid(socket);
  return {entrance_, uid && (*uid == 0 || *uid == ::geteuid())};
}

awaitable<void> Door::attend(std::shared_ptr<Door> door, std::shared_ptr<Client> client) {
  co_await client->converse();
  client->close();
  door->clients_.erase(client);
}

awaitable<void> Door::dismiss(std::shared_ptr<Door> door, std::shared_ptr<Client> client) {
  co_await client->turn_away();
  client->close();
  door->leaving_.erase(client);
}

}  // namespace vtmirror::control
