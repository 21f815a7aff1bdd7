#include "agent/cycle_end.hpp"

#include "vtmirror/base/text.hpp"
#include "vtmirror/catalogue/chain_now.hpp"
#include "vtmirror/core/chain.hpp"
#include "vtmirror/report/sentence.hpp"

namespace vtmirror::agent {
namespace {

std::string end_of(const core::CycleReport& report) {
  const auto how = report.stopped ? "stopped" : std::string(core::name(report.outcome));
  auto words = "cycle " + how + ": " + base::counted(report.files, "file") + " published, " +
               base::human_size(report.bytes) + " downloaded";
  if (report.stopped) return words + "; it resumes at the next start";
  if (report.outcome != core::Outcome::complete) words += "; " + report::reason(report);
  return words;
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
  if (!complete) notice.fields.push_back({"reason", report::reason(report, report::Names::paths)});
  return {std::move(notice)};
}

void log_end(ports::Journal& journal, const core::CycleReport& report) {
  ports::Event event{.kind = ports::EventKind::cycle_finished, .level = ports::Level::info};
  event.message = end_of(report);
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
