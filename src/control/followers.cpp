#include "control/followers.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <utility>

namespace vtmirror::control {

namespace asio = boost::asio;

void Followers::publish(const std::string& event) {
  for (auto* follower : all_) follower->add(event);
}

Follower::Follower(Followers& all, Wire& wire, std::size_t limit)
    : all_(all), wire_(wire), limit_(limit), at_(all.all_.insert(all.all_.end(), this)), news_(wire.executor()) {}

Follower::~Follower() { all_.all_.erase(at_); }

void Follower::add(const std::string& text) {
  if (wire_.closed()) return;
  if (queue_.size() + under_way_ + text.size() > limit_) {
    hang_up();
    return;
  }
  queue_ += text;
  news_.cancel();
}

void Follower::hang_up() {
  wire_.close();
  news_.cancel();
}

asio::awaitable<void> Follower::wait_for_events(Wire::Clock::duration heartbeat) {
  if (wire_.closed() || !queue_.empty()) co_return;
  boost::system::error_code woken;
  news_.expires_after(heartbeat);
  co_await news_.async_wait(asio::redirect_error(asio::use_awaitable, woken));
  if (queue_.empty()) add(":\n\n");
}

std::string Follower::take() {
  under_way_ = queue_.size();
  return std::exchange(queue_, {});
}

}  // namespace vtmirror::control
