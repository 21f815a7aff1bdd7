#include "agent/problems.hpp"

#include <algorithm>

namespace vtmirror::agent {

namespace {

const core::Problem* find(const std::vector<core::Problem>& problems, const std::string& code) {
  const auto found = std::find_if(problems.begin(), problems.end(),
                                  [&](const core::Problem& problem) { return problem.code == code; });
  return found == problems.end() ? nullptr : &*found;
}

ports::Event event(ports::EventKind kind, ports::Level level, std::string message, const core::Problem& problem) {
  return {kind, level, std::move(message), {{"problem", problem.code}, {"reason", problem.message}}};
}

}  // namespace

std::vector<core::Problem> problems_now(const std::optional<core::LastCycle>& last, const std::string& last_error,
                                        const core::NextWake& next, const std::vector<core::Problem>& before,
                                        base::Time now) {
  std::vector<core::Problem> problems;
  const auto add = [&](const std::string& code, const std::string& message) {
    const auto* known = find(before, code);
    problems.push_back({code, known != nullptr ? known->since : now, message});
  };
  if (!last) return problems;
  if (!last->complete) {
    // The plan that does not fit says so first; a disk that fills up on the way says so behind the file's name.
    const bool space = last_error.starts_with("no_space") || last_error.find(": no_space") != std::string::npos;
    add(space ? "low_space" : "cycle_failed", last_error.empty() ? "the last cycle was cut off" : last_error);
  } else if (!last->todays_listed && next.gave_up) {
    add("late_delta", "today's delta was not listed in time; the next try is tomorrow's");
  }
  return problems;
}

std::vector<ports::Event> problem_events(const std::vector<core::Problem>& before,
                                         const std::vector<core::Problem>& now) {
  std::vector<ports::Event> events;
  for (const auto& problem : now)
    if (find(before, problem.code) == nullptr)
      events.push_back(event(ports::EventKind::problem_began, ports::Level::warning,
                             "problem " + problem.code + ": " + problem.message, problem));
  for (const auto& problem : before)
    if (find(now, problem.code) == nullptr)
      events.push_back(
          event(ports::EventKind::problem_over, ports::Level::notice, "problem " + problem.code + " is over", problem));
  return events;
}

}  // namespace vtmirror::agent
