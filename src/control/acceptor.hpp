// Accepts clients at one listening socket, up to a limit. When all places are taken, the client that has waited longest
// is closed; if all are being served, the new one is refused. Never stops accepting before `end`.
#pragma once

#include "control/client.hpp"
#include "vtmirror/base/descriptor.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <memory>
#include <set>

namespace vtmirror::control {

class Acceptor {
 public:
  Acceptor(boost::asio::io_context& loop, base::Descriptor listener, std::shared_ptr<ServerState> shared,
           Entrance entrance, std::size_t places);

  /// Begins to admit. The acceptor lives until `end` was called and its last client has gone.
  static void open(const std::shared_ptr<Acceptor>& acceptor);
  /// All conversations and all admission, at once.
  void end();

 private:
  using Clients = std::set<std::shared_ptr<Client>>;

  static boost::asio::awaitable<void> admit_all(std::shared_ptr<Acceptor> acceptor);
  static boost::asio::awaitable<void> attend(std::shared_ptr<Acceptor> acceptor, std::shared_ptr<Client> client);
  static boost::asio::awaitable<void> dismiss(std::shared_ptr<Acceptor> acceptor, std::shared_ptr<Client> client);
  boost::asio::awaitable<void> wait_for_descriptors();
  static void admit(const std::shared_ptr<Acceptor>& acceptor, base::Descriptor socket);
  bool make_room();
  Asker asker(int socket) const;

  boost::asio::any_io_executor loop_;
  boost::asio::posix::stream_descriptor listener_;
  boost::asio::steady_timer timer_;
  std::shared_ptr<ServerState> shared_;
  Entrance entrance_;
  std::size_t places_;
  bool ended_ = false;
  Clients clients_;
  Clients leaving_;  // refused: they need no place, and at most `places_` of them get a response
};

}  // namespace vtmirror::control
