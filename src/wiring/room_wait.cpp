#include "wiring/room_wait.hpp"

#include "wiring/full_disk.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <utility>

namespace vtmirror::wiring {

using boost::asio::awaitable;

RoomWait::RoomWait(boost::asio::io_context& loop, ports::Stop& stop)
    : stop_(stop), pause_(loop), tried_(loop), at_stop_(stop, [this] {
        pause_.cancel();
        tried_.cancel();
      }) {}

void RoomWait::refused(const base::Error& error, base::Time now) {
  problem_ = core::Problem{
      .code = core::ProblemCode::low_space, .since = problem_ ? problem_->since : now, .cause = core::cause_of(error)};
  next_try_ = now + full_disk_pause;
  tried_.cancel();
}

std::optional<core::Problem> RoomWait::over() {
  next_try_.reset();
  tried_.cancel();
  return std::exchange(problem_, std::nullopt);
}

awaitable<base::Result<void>> RoomWait::pause() {
  pause_.expires_after(full_disk_pause);
  if (!stop_.requested()) co_await pause_.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
  next_try_.reset();
  if (stop_.requested()) co_return base::Error{base::Errc::cancelled};
  co_return base::Result<void>();
}

awaitable<void> RoomWait::try_now() {
  if (!problem_ || stop_.requested()) co_return;
  if (waiting_++ == 0) tried_.expires_after(longest_try);
  pause_.cancel();
  co_await tried_.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
  --waiting_;
}

}  // namespace vtmirror::wiring
