#include "net/deadline.hpp"

#include <boost/asio/steady_timer.hpp>

#include <utility>

namespace vtmirror::net {

struct Deadline::State : std::enable_shared_from_this<Deadline::State> {
  explicit State(const boost::asio::any_io_executor& executor) : timer(executor) {}

  void tick(Clock::time_point at) {
    ticks_at = at;
    timer.expires_at(at);
    timer.async_wait([weak = weak_from_this(), mine = ++generation](const boost::system::error_code&) {
      const auto state = weak.lock();
      if (state && state->generation == mine) state->fired();
    });
  }

  void fired() {
    ticks_at.reset();
    if (!end_wait || cancelled) return;
    if (Clock::now() < until) return tick(until);
    expired = true;
    end();
  }

  void end() {
    if (end_wait) std::exchange(end_wait, nullptr)();
  }

  boost::asio::steady_timer timer;
  std::uint64_t generation = 0;
  std::optional<Clock::time_point> ticks_at;
  Clock::time_point until{};
  std::function<void()> end_wait;  // set during a wait
  bool expired = false;
  bool cancelled = false;
  bool outlasts_stop = false;
};

Deadline::Deadline(const boost::asio::any_io_executor& executor, ports::Stop& stop)
    : state_(std::make_shared<State>(executor)), stop_(stop), registration_(stop, [state = state_.get()] {
        if (!state->outlasts_stop) state->end();
      }) {}

Deadline::~Deadline() = default;

std::optional<base::Errc> Deadline::arm(Clock::time_point until, std::function<void()> end_wait) {
  if (cancelled()) return base::Errc::cancelled;
  state_->expired = false;
  state_->until = until;
  state_->end_wait = std::move(end_wait);
  if (!state_->ticks_at || until < *state_->ticks_at) state_->tick(until);
  return std::nullopt;
}

std::optional<base::Errc> Deadline::disarm(bool failed) {
  state_->end_wait = nullptr;
  if (cancelled()) return base::Errc::cancelled;
  if (!failed) return std::nullopt;
  return state_->expired ? base::Errc::timed_out : base::Errc::cancelled;
}

void Deadline::cancel() {
  state_->cancelled = true;
  state_->end();
}

void Deadline::renew() noexcept { state_->cancelled = false; }

void Deadline::outlast_stop() noexcept { state_->outlasts_stop = true; }

bool Deadline::cancelled() const noexcept { return state_->cancelled || (stop_.requested() && !state_->outlasts_stop); }

void Deadline::rest() {
  ++state_->generation;
  state_->ticks_at.reset();
  state_->timer.cancel();
}

}  // namespace vtmirror::net
