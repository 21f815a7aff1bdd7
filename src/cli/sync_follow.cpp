#include "cli/sync_follow.hpp"

#include "cli/live_view.hpp"
#include "cli/say.hpp"
#include "vtmirror/client/control_client.hpp"
#include "vtmirror/client/control_events.hpp"
#include "vtmirror/host/local_time.hpp"
#include "vtmirror/report/cycle_words.hpp"
#include "vtmirror/report/days.hpp"
#include "vtmirror/report/event.hpp"
#include "vtmirror/report/history.hpp"
#include "vtmirror/report/plan.hpp"
#include "vtmirror/terminal/terminal.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <system_error>

namespace vtmirror::cli {
namespace {

/// Long, because the daemon asks the service for the listing first.
constexpr std::chrono::milliseconds plan_timeout = std::chrono::minutes(2);

/// How long the daemon takes to say what it does after a cycle.
constexpr std::chrono::milliseconds state_timeout = std::chrono::seconds(2);

/// Prints the same summary as after a cycle of this process.
ExitStatus say_end(const report::LastCycleStatus& cycle, const std::string& awaited, const Arguments& arguments) {
  const auto status = cycle.outcome == core::Outcome::complete ? done : failed;
  if (!arguments.json && (!arguments.quiet || status != done)) say_lines(report::summary(cycle, awaited));
  return status;
}

/// What the status says of the failure, and when the daemon tries again.
void add_problem(report::LastCycleStatus& cycle, const report::Status& status) {
  const bool is_unrecorded = !cycle.problem && !cycle.code;
  const auto is_it = [&cycle, is_unrecorded](const report::ProblemStatus& problem) {
    const auto code = core::problem_code(problem.code);
    if (is_unrecorded) return code == core::ProblemCode::low_space || code == core::ProblemCode::catalogue_unreadable;
    return code && report::is_said_of(cycle, *code);
  };
  const auto problem = std::ranges::find_if(status.problems, is_it);
  if (problem == status.problems.end()) return;
  cycle.error = problem->message;
  cycle.advice = problem->advice;
  if (problem->next_try)
    cycle.advice += "; next try " + report::clock_time(*problem->next_try, host::machine_now(), &host::utc_offset);
}

/// The problem for which the daemon cannot start yet; nothing while it tries.
const report::ProblemStatus* waits_for(const report::Status& status) {
  if (status.state != core::State::starting) return nullptr;
  const auto waits = std::ranges::find_if(status.problems, [](const auto& each) { return each.next_try.has_value(); });
  return waits == status.problems.end() ? nullptr : &*waits;
}

ExitStatus say_wait(const report::ProblemStatus& problem) {
  say("vtmirror: ", problem.message, "; next try ",
      report::clock_time(*problem.next_try, host::machine_now(), &host::utc_offset), '\n');
  if (!problem.advice.empty()) say("vtmirror: ", problem.advice, '\n');
  return failed;
}

/// Shows the daemon's events until its cycle ends.
class Follower {
 public:
  /// `cycle` is the number of the requested cycle.
  Follower(client::EventStream& stream, std::int64_t cycle, const Arguments& arguments, terminal::LiveBlock* block,
           ports::Journal& journal)
      : stream_(stream), cycle_(cycle), arguments_(arguments), block_(block), journal_(journal) {}

  ExitStatus run() {
    base::Result<ExitStatus> end = base::Error{};
    int signal = 0;
    {
      terminal::Interrupt interrupt(block_ != nullptr);
      end = follow(interrupt, signal);
      if (block_ != nullptr) block_->close();
    }
    if (end.has_value()) return *end;
    if (signal != 0) {
      say("vtmirror: the daemon continues the cycle\n");
      terminal::end_by(signal);
    }
    say("vtmirror: ", end.error().detail, " before the cycle's end\n");
    return failed;
  }

 private:
  base::Result<ExitStatus> follow(terminal::Interrupt& interrupt, int& signal) {
    for (;;) {
      const auto timeout = ended_ ? state_timeout : std::chrono::milliseconds(std::chrono::hours(1));
      const auto event = stream_.next(timeout, interrupt.descriptor());
      if (ended_ && (event.has_error() || !*event)) return say_end(*ended_, {}, arguments_);
      if (event.has_error()) {
        if (was_suspended(event.error(), interrupt, block_, signal)) continue;
        return event.error();
      }
      if (!*event) continue;
      if (const auto end = show(**event)) return *end;
    }
  }

  std::optional<ExitStatus> show(const client::DaemonEvent& event) {
    if (event.is(ports::StreamEvent::status) && ended_) return end_with(event.json);
    if (event.is(ports::StreamEvent::status)) return draw(event.json);
    if (event.is(ports::StreamEvent::journal)) {
      const auto line = client::journal_event(event.json);
      // Without --json, this process counts its own minutes.
      const bool is_daemons = line && line->kind == ports::EventKind::fetch_progress && !arguments_.json;
      if (line && !is_daemons) journal_.log(*line);
    }
    if (!event.is(ports::StreamEvent::cycle) || ended_) return std::nullopt;
    // An earlier cycle may have ended just when the new one was requested.
    if (const auto number = client::cycle_number(event.json); number > 0 && number < cycle_) return std::nullopt;
    if (arguments_.json) std::cout << report::event_line(ports::StreamEvent::cycle, event.json) << std::flush;
    const auto cycle = report::parse_last_cycle(event.json);
    if (block_ != nullptr) block_->close();
    if (cycle.has_error()) {
      say("vtmirror: ", cycle.error().detail, '\n');
      return failed;
    }
    // Only the daemon's next state says whether it waits for today's delta, or when it tries again.
    ended_ = *cycle;
    return std::nullopt;
  }

  /// Nothing while the daemon has not decided what it does next; that may be another cycle.
  std::optional<ExitStatus> end_with(const std::string& json) {
    const auto status = report::parse_status(json);
    if (status.has_value() && status->state == core::State::syncing && !status->cycle) return std::nullopt;
    const bool complete = ended_->outcome == core::Outcome::complete;
    if (status.has_value() && !complete) add_problem(*ended_, *status);
    const bool waits = complete && status.has_value() && lacks_todays_delta(*status);
    return say_end(*ended_, waits ? report::not_listed_yet() : std::string(), arguments_);
  }

  /// The daemon asks for it, or has given up for today.
  static bool lacks_todays_delta(const report::Status& status) {
    const auto late = core::name(core::ProblemCode::late_delta);
    return status.state == core::State::waiting ||
           std::ranges::find(status.problems, late, &report::ProblemStatus::code) != status.problems.end();
  }

  /// Returns the end of a cycle that cannot begin.
  std::optional<ExitStatus> draw(const std::string& json) {
    const auto status = report::parse_status(json);
    if (status.has_error()) return std::nullopt;
    if (const auto* problem = waits_for(*status)) {
      if (block_ != nullptr) block_->close();
      return say_wait(*problem);
    }
    if (!status->cycle || (block_ == nullptr && arguments_.json)) return std::nullopt;
    const auto progress = client::progress_of(*status->cycle);
    const auto rates = client::rates_of(*status->cycle);
    if (block_ != nullptr) {
      block_->show(progress, rates, host::machine_now());
    } else {
      for (const auto& line : lines_.due(progress, rates, steady_now())) journal_.log(line);
    }
    return std::nullopt;
  }

  client::EventStream& stream_;
  std::int64_t cycle_;
  const Arguments& arguments_;
  terminal::LiveBlock* block_;
  ports::Journal& journal_;
  report::ProgressLines lines_{report::ProgressLines::Every::minute};
  std::optional<report::LastCycleStatus> ended_;  ///< what the daemon does next is not known yet
};

ExitStatus say_refusal(const base::Error& error) {
  const auto refused = fail_refused(error);
  say_who_may(error, "start a cycle", "sync");
  return refused;
}

std::filesystem::path place(const std::string& directory) {
  std::error_code error;
  auto path = std::filesystem::weakly_canonical(directory, error);
  return error ? std::filesystem::path(directory) : path;
}

base::Result<report::Status> status_of(const std::string& socket) {
  const auto json = client::ask(socket, {"GET", "/v1/status"});
  if (!json) return json.error();
  return report::parse_status(*json);
}

/// A daemon is there, and does not answer this client.
bool is_refusal(const base::Error& error) {
  return error.code == base::Errc::forbidden || error.code == base::Errc::http_status;
}

bool keeps(const report::Status& status, const std::string& directory) {
  return place(status.mirror.directory) == place(directory);
}

/// Events that arrived before the request do not belong to the requested cycle.
base::Result<void> skip_logged(client::EventStream& stream) {
  for (;;) {
    const auto event = stream.next(std::chrono::milliseconds(0));
    if (event.has_error()) return event.error();
    if (!*event) return {};
  }
}

}  // namespace

std::optional<report::Status> status_of_daemon(const std::string& socket, const std::string& directory) {
  auto status = status_of(socket);
  if (!status || !keeps(*status, directory)) return std::nullopt;
  return std::move(*status);
}

std::optional<base::Result<core::Plan>> plan_of_daemon(const settings::Config& config) {
  const auto status = status_of_daemon(config.control.socket, config.mirror.directory);
  if (!status) return std::nullopt;
  if (status->cycle)
    say("vtmirror: a cycle has been running since ",
        report::clock_time(status->cycle->started, host::machine_now(), &host::utc_offset), "; this is its plan\n");
  const auto json = client::ask(config.control.socket, {"GET", "/v1/plan"}, plan_timeout);
  if (json.has_error()) return json.error();
  return report::parse_plan(*json);
}

std::optional<ExitStatus> follow_daemon(const Arguments& arguments, const settings::Config& config,
                                        const settings::Environment& environment) {
  const auto& socket = config.control.socket;
  const auto status = status_of(socket);
  if (!status && is_refusal(status.error())) return say_refusal(status.error());
  // The daemon of another mirror must not be asked for a cycle.
  if (!status || !keeps(*status, config.mirror.directory)) return std::nullopt;
  auto stream = client::EventStream::open(socket);
  if (stream.has_error()) return say_refusal(stream.error());
  // The events are opened before the cycle is requested, so that none of the cycle's is missed.
  if (auto skipped = skip_logged(*stream); skipped.has_error()) return say_refusal(skipped.error());
  const auto asked = client::ask(socket, {"POST", "/v1/sync"});
  if (asked.has_error()) return say_refusal(asked.error());
  if (!arguments.quiet && !arguments.json) say("vtmirror: a daemon holds the mirror: following its cycle\n");

  LiveView view(arguments, environment);
  return Follower(*stream, client::cycle_number(*asked), arguments, view.block(), view.journal()).run();
}

}  // namespace vtmirror::cli
