#include "control/acceptor.hpp"

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

Acceptor::Acceptor(asio::io_context& loop, base::Descriptor listener, std::shared_ptr<ServerState> shared,
                   Entrance entrance, std::size_t places)
    : loop_(loop.get_executor()),
      listener_(loop, listener.release()),
      timer_(loop),
      shared_(std::move(shared)),
      entrance_(entrance),
      places_(places) {}

void Acceptor::open(const std::shared_ptr<Acceptor>& acceptor) { spawn(acceptor->loop_, admit_all(acceptor)); }

void Acceptor::end() {
  if (std::exchange(ended_, true)) return;
  boost::system::error_code ignored;
  listener_.close(ignored);
  timer_.cancel();
  for (const auto& client : clients_) client->close();
  for (const auto& client : leaving_) client->close();
}

awaitable<void> Acceptor::admit_all(std::shared_ptr<Acceptor> acceptor) {
  while (!acceptor->ended_) {
    boost::system::error_code failed;
    auto& listener = acceptor->listener_;
    co_await listener.async_wait(asio::posix::stream_descriptor::wait_read,
                                 asio::redirect_error(asio::use_awaitable, failed));
    if (failed || acceptor->ended_) co_return;
    // Not Asio's accept: a hook that is started meanwhile would inherit the connection.
    base::Descriptor socket(::accept4(listener.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (socket.valid()) {
      admit(acceptor, std::move(socket));
    } else if (is_shortage(errno)) {
      co_await acceptor->wait_for_descriptors();
    }
  }
}

awaitable<void> Acceptor::wait_for_descriptors() {
  boost::system::error_code ignored;
  timer_.expires_after(pause_without_descriptors);
  co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
}

void Acceptor::admit(const std::shared_ptr<Acceptor>& acceptor, base::Descriptor socket) {
  const Asker asker = acceptor->asker(socket.get());
  const bool has_place = acceptor->clients_.size() < acceptor->places_ || acceptor->make_room();
  if (!has_place && acceptor->leaving_.size() >= acceptor->places_) return;
  const auto client = std::make_shared<Client>(*acceptor->shared_, acceptor->loop_, std::move(socket), asker);
  (has_place ? acceptor->clients_ : acceptor->leaving_).insert(client);
  spawn(acceptor->loop_, has_place ? attend(acceptor, client) : dismiss(acceptor, client));
}

bool Acceptor::make_room() {
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

Asker Acceptor::asker(int socket) const {
  if (entrance_ != Entrance::control) return {entrance_, false};
  const auto uid = shared_->peer_uid(socket);
  return {entrance_, uid && (*uid == 0 || *uid == ::geteuid())};
}

awaitable<void> Acceptor::attend(std::shared_ptr<Acceptor> acceptor, std::shared_ptr<Client> client) {
  co_await client->converse();
  client->close();
  acceptor->clients_.erase(client);
}

awaitable<void> Acceptor::dismiss(std::shared_ptr<Acceptor> acceptor, std::shared_ptr<Client> client) {
  co_await client->reject();
  client->close();
  acceptor->leaving_.erase(client);
}

}  // namespace vtmirror::control
