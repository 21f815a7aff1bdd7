#include "wiring/full_disk.hpp"

#include "vtmirror/core/problem.hpp"
#include "vtmirror/host/local_time.hpp"
#include "vtmirror/report/event.hpp"
#include "vtmirror/report/sentence.hpp"
#include "wiring/unqueued.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <ctime>
#include <string>
#include <utility>

namespace vtmirror::wiring {

using boost::asio::awaitable;

namespace {

/// Signals that are waited for here and not delivered, for as long as this lives.
class Awaited {
 public:
  Awaited() {
    sigemptyset(&signals_);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals_, number);
    ::pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  }
  ~Awaited() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  Awaited(const Awaited&) = delete;
  Awaited& operator=(const Awaited&) = delete;

  /// The one that came, or -1.
  int wait(base::Milliseconds longest) const {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(longest);
    const timespec time{.tv_sec = seconds.count(),
                        .tv_nsec = std::chrono::duration_cast<std::chrono::nanoseconds>(longest - seconds).count()};
    return ::sigtimedwait(&signals_, nullptr, &time);
  }

 private:
  sigset_t signals_{};
  sigset_t before_{};
};

std::string problem_code() { return std::string(core::name(core::ProblemCode::low_space)); }

}  // namespace

int StartPause::wait(const base::Error& refused, base::Milliseconds pause) {
  // Before the first report, at which somebody may send a signal.
  const Awaited signals;
  const bool is_first = !problem_;
  const auto now = host::machine_now();
  const core::Problem problem{.code = core::ProblemCode::low_space,
                              .since = is_first ? now : problem_->since,
                              .cause = core::cause_of(refused)};
  problem_ = problem;
  if (is_first) {
    journal_.log({ports::EventKind::problem_began,
                  ports::Level::error,
                  waiting_line(problem, pause, report::Names::paths),
                  {{report::problem_member, problem_code()}}});
    send_(waiting_notice(problem, core::Stage::began, now));
  }
  supervisor_.ready();
  supervisor_.status(waiting_sentence(problem, core::Stage::began, report::Names::paths));
  const auto watchdog = supervisor_.watchdog();
  const auto step = watchdog ? std::min<base::Milliseconds>(*watchdog / 2, pause) : pause;
  for (auto left = pause; left > base::Milliseconds::zero(); left -= step) {
    supervisor_.alive();
    const int number = signals.wait(std::min(step, left));
    if (number == SIGINT || number == SIGTERM) {
      supervisor_.stopping();
      return number;
    }
    if (number == SIGHUP) break;
  }
  return 0;
}

awaitable<base::Result<void>> repeat_while_full(std::function<awaitable<base::Result<void>>()> step,
                                                std::function<void(const base::Error&)> refused,
                                                std::function<awaitable<base::Result<void>>()> pause) {
  for (;;) {
    auto ended = co_await step();
    if (ended || ended.error().code != base::Errc::no_space) co_return ended;
    refused(ended.error());
    auto waited = co_await pause();
    if (!waited) co_return waited;
  }
}

}  // namespace vtmirror::wiring
