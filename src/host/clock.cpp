#include "vtmirror/host/host.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>

namespace vtmirror::host {
namespace {

base::Error stopped() { return {.code = base::Errc::cancelled, .detail = "stopped while waiting"}; }

class MachineClock : public ports::Clock {
 public:
  MachineClock(boost::asio::io_context& loop, ports::Stop& stop) : loop_(loop), stop_(stop) {}

  base::Time now() const override { return std::chrono::floor<base::Milliseconds>(std::chrono::system_clock::now()); }

  base::Steady steady() const override {
    const auto since = std::chrono::steady_clock::now().time_since_epoch();
    return {std::chrono::floor<base::Milliseconds>(since)};
  }

  boost::asio::awaitable<base::Result<void>> wait(base::Milliseconds pause) override {
    if (stop_.requested()) co_return stopped();
    boost::asio::steady_timer timer(loop_, pause);
    const ports::Stop::Registration registration(stop_, [&timer] { timer.cancel(); });
    boost::system::error_code error;
    auto token = boost::asio::redirect_error(boost::asio::use_awaitable, error);
    co_await timer.async_wait(token);
    // The stop may come when the timer has already fired and its completion is still queued.
    if (error || stop_.requested()) co_return stopped();
    co_return base::Result<void>();
  }

 private:
  boost::asio::io_context& loop_;
  ports::Stop& stop_;
};

}  // namespace

std::unique_ptr<ports::Clock> make_clock(boost::asio::io_context& loop, ports::Stop& stop) {
  return std::make_unique<MachineClock>(loop, stop);
}

}  // namespace vtmirror::host
