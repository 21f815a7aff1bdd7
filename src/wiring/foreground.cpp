#include "vtmirror/wiring/foreground.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <utility>

namespace vtmirror::wiring {
namespace {

namespace asio = boost::asio;

constexpr std::chrono::milliseconds frame{200};

}  // namespace

Foreground::Foreground(asio::io_context& loop, ports::Stop& stop, const ports::Clock& clock, terminal::LiveBlock* block)
    : loop_(loop), stop_(stop), clock_(clock), block_(block), signals_(loop, SIGINT, SIGTERM, SIGHUP), timer_(loop) {
  // A stopped process must not leave the shell without its cursor.
  if (block_ != nullptr) signals_.add(SIGTSTP);
}

void Foreground::run(asio::awaitable<void> work, ProgressSource progress) {
  progress_ = std::move(progress);
  std::exception_ptr thrown;
  asio::co_spawn(loop_, watch_signals(), asio::detached);
  if (block_ != nullptr || lines_ != nullptr) asio::co_spawn(loop_, redraw(), asio::detached);
  asio::co_spawn(loop_, std::move(work), [this, &thrown](std::exception_ptr exception) {
    thrown = std::move(exception);
    end();
  });
  loop_.run();
  if (thrown) std::rethrow_exception(thrown);
}

void Foreground::end() {
  ended_ = true;
  signals_.cancel();
  timer_.cancel();
  if (block_ != nullptr) block_->close();
}

asio::awaitable<void> Foreground::watch_signals() {
  while (!ended_) {
    boost::system::error_code error;
    auto token = asio::redirect_error(asio::use_awaitable, error);
    const int number = co_await signals_.async_wait(std::move(token));
    if (!error && !ended_) on_signal(number);
  }
}

asio::awaitable<void> Foreground::redraw() {
  while (!ended_) {
    if (const auto* progress = progress_(); progress != nullptr) {
      const auto rates = rates_.update(*progress, clock_.steady());
      if (block_ != nullptr) block_->show(*progress, rates, clock_.now());
      if (lines_ != nullptr)
        for (const auto& event : progress_lines_.due(*progress, rates, clock_.steady())) lines_->log(event);
    }
    boost::system::error_code error;
    auto token = asio::redirect_error(asio::use_awaitable, error);
    timer_.expires_after(frame);
    co_await timer_.async_wait(std::move(token));
  }
}

void Foreground::on_signal(int number) {
  if (number == SIGTSTP) return suspend();
  if (stop_.requested()) {
    if (block_ != nullptr) block_->close();
    // Ends as if the signal had never been caught, so that the parent process sees which signal it was.
    std::signal(number, SIG_DFL);
    std::raise(number);
    return;
  }
  if (block_ != nullptr) block_->clear();
  std::fputs("vtmirror: stopping; send the signal again to stop at once\n", stderr);
  if (block_ != nullptr) block_->draw_again();
  signal_ = number;
  stop_.request();
}

void Foreground::suspend() {
  block_->close();
  std::raise(SIGSTOP);
}

}  // namespace vtmirror::wiring
