// Runs one piece of work on the loop until it ends, in a terminal: the live lines are drawn, the first signal asks it
// to stop and the second one ends the process.
#pragma once

#include "vtmirror/ports/clock.hpp"
#include "vtmirror/ports/journal.hpp"
#include "vtmirror/ports/stop.hpp"
#include "vtmirror/report/rate.hpp"
#include "vtmirror/terminal/live_block.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include <functional>

namespace vtmirror::wiring {

/// What is there to be drawn now; null when there is nothing.
using ProgressSource = std::function<const ports::CycleProgress*()>;

class Foreground {
 public:
  /// All of it outlives this. `block` is null where nothing is drawn.
  Foreground(boost::asio::io_context& loop, ports::Stop& stop, const ports::Clock& clock, terminal::LiveBlock* block);

  /// Returns when the work and all that it has started are at their end. What the work throws is thrown on.
  void run(boost::asio::awaitable<void> work, ProgressSource progress);

 private:
  boost::asio::awaitable<void> watch_signals();
  boost::asio::awaitable<void> redraw();
  void on_signal(int number);
  void suspend();
  void end();

  boost::asio::io_context& loop_;
  ports::Stop& stop_;
  const ports::Clock& clock_;
  terminal::LiveBlock* block_;
  boost::asio::signal_set signals_;
  boost::asio::steady_timer timer_;
  ProgressSource progress_;
  report::RateBook rates_;
  bool ended_ = false;
};

}  // namespace vtmirror::wiring
