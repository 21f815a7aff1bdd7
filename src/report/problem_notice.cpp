#include "vtmirror/report/problem_notice.hpp"

#include "vtmirror/report/sentence.hpp"

namespace vtmirror::report {

core::Notice problem_notice(const core::Problem& problem, core::Stage stage, base::Time at) {
  core::Notice notice{.topic = core::Topic::warning, .code = std::string(name(problem.code))};
  notice.stage = stage;
  notice.at = at;
  const auto what = sentence(problem);
  notice.fields = {{"reason", what}, {"since", base::iso8601(problem.since)}};
  if (stage == core::Stage::over) {
    notice.message = "over: " + what;
    return notice;
  }
  notice.urgency =
      core::severity(problem.code) == core::Severity::error ? core::Urgency::error : core::Urgency::warning;
  notice.message = what;
  notice.fields.push_back({"remedy", std::string(remedy(problem.code))});
  return notice;
}

}  // namespace vtmirror::report
