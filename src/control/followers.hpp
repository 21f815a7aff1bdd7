// Those who follow the events, each with a bounded queue. Who is too far behind is let go; nobody waits for anybody.
#pragma once

#include "control/wire.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstddef>
#include <list>
#include <string>

namespace vtmirror::control {

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
  /// All that is queued. It counts as queued until `taken`.
  std::string take();
  void taken() noexcept { under_way_ = 0; }
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

}  // namespace vtmirror::control
