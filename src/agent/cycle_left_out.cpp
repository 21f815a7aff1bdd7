// What a cycle leaves out, as the journal and the history say it.
#include "agent/cycle.hpp"
#include "vtmirror/report/plan.hpp"
#include "vtmirror/report/sentence.hpp"

namespace vtmirror::agent {

void Cycle::tell_left_out(const std::vector<core::Action>& actions, const core::Plan& plan) {
  for (const auto& action : actions) {
    if (core::is_refused_and_held(action, plan))
      tell_refused(action);
    else if (action.kind == core::ActionKind::refuse || action.kind == core::ActionKind::skip)
      tell_left_out(action);
  }
}

/// The file is in the chain as it is held: nothing is left undone.
void Cycle::tell_refused(const core::Action& action) {
  ++refused_;
  tell(ports::EventKind::entry_refused, ports::Level::warning,
       report::sentence(failure_of(action)) + "; the file is held, and stays in the chain as it is",
       {{"entry", action.name}, {"reason", action.cause.detail}});
}

void Cycle::tell_left_out(const core::Action& action) {
  const auto& name = action.name;
  auto failure = failure_of(action);
  if (action.reason == core::Reason::refused_by_checks) {
    ++refused_;
    tell(ports::EventKind::entry_refused, ports::Level::error, report::sentence(failure),
         {{"entry", name}, {"reason", action.cause.detail}});
  } else if (action.reason == core::Reason::does_not_fit) {
    tell(ports::EventKind::space_low, ports::Level::error, report::sentence(failure),
         {{"file", name}, {"bytes", std::to_string(action.needs)}});
  } else if (action.reason != core::Reason::quarantined) {
    tell(ports::EventKind::fetch_failed, ports::Level::error, report::sentence(failure), {{"file", name}});
  }
  failures_.push_back(std::move(failure));
}

/// The failure that the history records for an action that leaves its file out.
core::Failure Cycle::failure_of(const core::Action& action) {
  core::Failure failure{core::FailureKind::lost, action.cause};
  failure.cause.subject = action.name;
  if (action.reason == core::Reason::refused_by_checks) {
    failure.kind = core::FailureKind::refused_entry;
  } else if (action.reason == core::Reason::does_not_fit) {
    failure.kind = core::FailureKind::no_space;
  } else if (action.reason == core::Reason::quarantined) {
    failure.kind = core::FailureKind::quarantined;
  } else {
    failure.cause.detail = report::detail(action);
  }
  return failure;
}

}  // namespace vtmirror::agent
