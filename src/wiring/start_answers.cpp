// What a daemon that has not started yet answers, and what it reports while it waits for room on a disk.
#include "vtmirror/host/local_time.hpp"
#include "vtmirror/report/accepted.hpp"
#include "vtmirror/report/event.hpp"
#include "vtmirror/report/history.hpp"
#include "vtmirror/report/sentence.hpp"
#include "wiring/daemon_answers.hpp"
#include "wiring/full_disk.hpp"
#include "wiring/unqueued.hpp"

#include <utility>

namespace vtmirror::wiring {

using boost::asio::awaitable;

void DaemonAnswers::start_refused(const base::Error& error) {
  const bool is_known = room_.problem().has_value();
  const auto now = resources_.clock.now();
  room_.refused(error, now);
  state_changed();
  if (is_known) return;
  const auto& problem = *room_.problem();
  log_of(problem, ports::EventKind::problem_began, ports::Level::error, waiting_line(problem, full_disk_pause));
  resources_.send(waiting_notice(problem, core::Stage::began, now));
}

void DaemonAnswers::room_found() {
  if (daemon_->state().state == core::State::starting) return;
  const auto problem = room_.over();
  if (!problem) return;
  log_of(*problem, ports::EventKind::problem_over, ports::Level::notice, waiting_sentence(*problem, core::Stage::over));
  resources_.send(waiting_notice(*problem, core::Stage::over, resources_.clock.now()));
}

std::optional<base::Error> DaemonAnswers::waits_for_room() const {
  if (!room_.problem() || !room_.next_try()) return std::nullopt;
  auto error = core::error_of(room_.problem()->cause);
  error.detail = waiting_sentence(*room_.problem(), core::Stage::began) + "; next try " +
                 report::clock_time(*room_.next_try(), resources_.clock.now(), &host::utc_offset);
  return error;
}

std::optional<base::Error> DaemonAnswers::not_started() const {
  if (auto why = waits_for_room()) return why;
  return daemon_->not_started();
}

/// A person who has made room need not wait for the next try.
awaitable<base::Result<std::string>> DaemonAnswers::start_cycle() {
  co_await room_.try_now();
  if (auto why = waits_for_room()) co_return std::move(*why);
  co_return report::cycle_accepted(daemon_->ask_for_cycle());
}

}  // namespace vtmirror::wiring
