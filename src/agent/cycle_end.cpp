#include "agent/cycle_end.hpp"

#include "vtmirror/base/text.hpp"
#include "vtmirror/catalogue/chain_now.hpp"
#include "vtmirror/core/chain.hpp"
#include "vtmirror/core/chain_failures.hpp"
#include "vtmirror/report/sentence.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

namespace vtmirror::agent {
namespace {

/// Without why it ended so.
std::string figures_of(const core::CycleReport& report, std::ptrdiff_t failed) {
  const auto how = report.stopped ? "stopped" : std::string(core::name(report.outcome));
  return "cycle " + how + ": " + base::counted(report.files, "file") + " published, " +
         (failed > 0 ? std::to_string(failed) + " failed, " : "") + base::human_size(report.bytes) + " downloaded" +
         (report.stopped ? "; it resumes at the next start" : "");
}

/// What a channel gets, which has no other line of the cycle.
std::string end_of(const core::CycleReport& report) {
  const bool is_said = report.stopped || report.outcome == core::Outcome::complete;
  return figures_of(report, 0) + (is_said ? "" : "; " + report::reason(report));
}

bool is_of_a_file(const core::Failure& failure) { return !failure.cause.subject.empty(); }

/// Whether the journal has the cause in a line of its own. What was quarantined before, and what the chain lacks, has
/// none in this cycle.
bool has_its_line(const core::Failure& failure) {
  const auto& cause = failure.cause;
  return is_of_a_file(failure) && failure.kind != core::FailureKind::quarantined && !core::missing_in(cause) &&
         core::unaccounted_in(cause).empty();
}

std::string last_line_of(const core::CycleReport& report) {
  if (report.stopped || report.outcome == core::Outcome::complete) return figures_of(report, 0);
  const auto words = figures_of(report, std::ranges::count_if(report.failures, is_of_a_file));
  const auto unsaid = std::ranges::find_if_not(report.failures, has_its_line);
  return unsaid == report.failures.end() ? words : words + "; " + report::sentence(*unsaid);
}

}  // namespace

std::vector<core::Notice> notices_of(const core::CycleRecord& record, const core::CycleReport& report) {
  const bool complete = record.outcome == core::Outcome::complete;
  if (report.stopped) return {};
  core::Notice notice{.topic = core::Topic::cycle, .code = "cycle"};
  notice.urgency = complete ? core::Urgency::info : core::Urgency::error;
  notice.message = end_of(report);
  notice.at = *record.finished;
  notice.fields = {{"outcome", std::string(core::name(record.outcome))},
                   {"started", base::iso8601(record.started)},
                   {"files", std::int64_t{record.files}},
                   {"bytes", record.bytes}};
  if (!complete)
    notice.fields.push_back({std::string(core::reason_field), report::reason(report, report::Names::paths)});
  return {std::move(notice)};
}

void log_end(ports::Journal& journal, const core::CycleReport& report) {
  ports::Event event{.kind = ports::EventKind::cycle_finished, .level = ports::Level::info};
  event.message = last_line_of(report);
  if (report.outcome != core::Outcome::complete)
    event.level = report.stopped ? ports::Level::notice : ports::Level::error;
  event.fields.push_back({"outcome", std::string(core::name(report.outcome))});
  event.fields.push_back({"files", std::to_string(report.files)});
  event.fields.push_back({"bytes", std::to_string(report.bytes)});
  journal.log(event);
}

boost::asio::awaitable<base::Result<void>> announce_chain(CatalogueCalls& calls, base::Time at) {
  auto announce = [at](catalogue::Catalogue& c) -> base::Result<void> {
    const auto now = catalogue::chain_now(c);
    if (!now) return now.error();
    return c.announce_chain(now->chain, core::content_of(now->chain, now->lost), at);
  };
  auto announced = co_await calls(std::move(announce));
  co_return announced;
}

}  // namespace vtmirror::agent
