// The conversation with one client: requests and answers one after the other, the plain line, or the events.
// Promises to end within the limits' times whatever the client does. Never holds up the loop.
// Requests are parsed by Beast, but read here and not by Beast's `async_read`: the first bytes may be the plain line,
// and a request that takes too long is answered on the same socket, for which a wait must be cut between two reads.
// Some clients follow the events.
#pragma once

#include "control/request.hpp"
#include "control/routes.hpp"
#include "control/web.hpp"
#include "control/wire.hpp"
#include "vtmirror/control/control.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace vtmirror::control {

/// The clients that follow the events, each with a bounded queue. A follower that is too far behind is disconnected;
/// none delays another.
class Follower;

class Followers {
 public:
  void publish(const std::string& event);
  std::size_t count() const noexcept { return all_.size(); }

 private:
  friend class Follower;
  std::list<Follower*> all_;
};

/// One follower, for as long as this lives. `all` and `wire` must outlive it.
class Follower {
 public:
  Follower(Followers& all, Wire& wire, std::size_t limit);
  ~Follower();
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

  /// Queues; more than the limit closes the wire.
  void add(const std::string& text);
  /// Until something is queued, or the wire is closed by `hang_up`; with nothing queued for so long, a comment is.
  boost::asio::awaitable<void> wait_for_events(Wire::Clock::duration heartbeat);
  /// All that is queued. It counts as queued until `sent`.
  std::string send();
  void sent() noexcept { under_way_ = 0; }
  void hang_up();

 private:
  Followers& all_;
  Wire& wire_;
  std::size_t limit_;
  std::list<Follower*>::iterator at_;
  boost::asio::steady_timer news_;  // cancelled when there are some
  std::string queue_;
  std::size_t under_way_ = 0;
};

/// The user at the other end of a connected socket, if the kernel knows.
using PeerUid = std::function<std::optional<unsigned>(int socket)>;

/// What all clients share.
struct ServerState {
  Answers& answers;
  const Limits limits;
  const PeerUid peer_uid;
  const WebHosts web_hosts{};
  const WebHosts metrics_hosts{};
  Followers followers{};
  std::size_t waiters = 0;  ///< clients that wait for a day
};

/// One of the waiters, for as long as this lives.
class Waiting {
 public:
  explicit Waiting(std::size_t& waiters) : waiters_(waiters) { ++waiters_; }
  ~Waiting() { --waiters_; }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  std::size_t& waiters_;
};

class Client : public std::enable_shared_from_this<Client> {
 public:
  Client(ServerState& shared, const boost::asio::any_io_executor& loop, base::Descriptor socket, Asker asker);

  boost::asio::awaitable<void> converse();
  /// Says that there are too many clients, instead.
  boost::asio::awaitable<void> reject();

  /// When it became idle; empty while it is served. An idle client may be asked to make room. It is idle since it was
  /// admitted, or since its last answer was made: the client can know of neither before it counts.
  std::optional<Wire::Clock::time_point> waits_since() const noexcept { return waits_since_; }
  /// Ends the conversation in favour of somebody else.
  void make_room();
  void close();

 private:
  boost::asio::awaitable<RequestReader::Step> read_request();
  boost::asio::awaitable<base::Result<std::size_t>> listen(Wire::Clock::time_point until);
  boost::asio::awaitable<bool> respond();
  boost::asio::awaitable<Answer> answer(const Request& request);
  Answer dressed(Answer answer, std::string_view host = {}) const;
  boost::asio::awaitable<void> refuse(Answer refusal);
  boost::asio::awaitable<std::optional<Answer>> wait_for(Wait wait);
  boost::asio::awaitable<void> send_events(std::string fields);
  static boost::asio::awaitable<void> watch(std::shared_ptr<Client> client);
  boost::asio::awaitable<void> part();

  ServerState& shared_;
  Asker asker_;
  Wire wire_;
  RequestReader reader_;
  bool answered_ = false;         // at least once
  Follower* follower_ = nullptr;  // while it follows the events
  std::optional<Wire::Clock::time_point> waits_since_;
};

}  // namespace vtmirror::control
