// Runs one task on the loop in the foreground: draws the live lines, or logs how far it is. The first signal asks the
// task to stop, the second one ends the process.
// Promises that the task and everything that it started have ended when `run` returns.
#pragma once

#include "vtmirror/ports/clock.hpp"
#include "vtmirror/ports/journal.hpp"
#include "vtmirror/report/cycle_words.hpp"
#include "vtmirror/report/rate.hpp"
#include "vtmirror/terminal/live_block.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include <functional>

namespace vtmirror::wiring {

/// Returns the progress to draw; null if there is none.
using ProgressSource = std::function<const ports::CycleProgress*()>;

class Foreground {
 public:
  /// All arguments must outlive this. `block` is null if nothing is drawn.
  Foreground(boost::asio::io_context& loop, ports::Stop& stop, const ports::Clock& clock, terminal::LiveBlock* block);

  /// Logs a line a minute to `journal`, which must outlive this, for each file that is being downloaded.
  void log_progress(ports::Journal& journal) { lines_ = &journal; }

  /// Returns when the work and everything that it started have ended. Exceptions of the work are rethrown.
  void run(boost::asio::awaitable<void> work, ProgressSource progress);

  /// The signal that asked the work to stop; 0 if none came.
  int signal() const { return signal_; }

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
  ports::Journal* lines_ = nullptr;
  report::RateBook rates_;
  report::ProgressLines progress_lines_{report::ProgressLines::Every::minute};
  bool ended_ = false;
  int signal_ = 0;
};

}  // namespace vtmirror::wiring
