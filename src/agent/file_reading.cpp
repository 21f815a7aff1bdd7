#include "agent/file_reading.hpp"

#include "agent/consumer_upkeep.hpp"
#include "vtmirror/report/sentence.hpp"
#include "vtmirror/report/verification.hpp"

#include <algorithm>
#include <utility>

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

/// A disk that failed once may give the bytes back the next time.
constexpr int readings_before_unreadable = 2;

struct Judgement {
  core::Condition condition{};
  core::Cause cause{};  ///< unless it is whole
};

/// Its size is always compared. Bytes with the published digest were checked when they were published.
ports::CheckRules rules_for(const core::FileRecord& file, ports::CheckRules rules, const Reading& reading) {
  rules.digest = !file.sha256.empty();
  rules.zip = rules.zip || !rules.digest;
  rules.in_background = true;
  rules.bytes_a_second = reading.bytes_a_second;
  return rules;
}

/// Errors: cancelled; io, if the mirror's directory itself cannot be read.
base::Result<bool> is_there(ports::Shelf& shelf, const std::string& name) {
  if (const auto in_place = shelf.in_place(); !in_place) return in_place.error();
  const auto files = shelf.files();
  if (!files) return files.error();
  return std::ranges::find(*files, name, &core::LocalFile::name) != files->end();
}

/// On a thread of a pool. Errors: as `is_there`.
base::Result<Judgement> judge(ports::Shelf& shelf, const core::FileRecord& file, ports::CheckRules rules,
                              const ports::Watch& watch) {
  base::Error failed;
  for (int reading = 0; reading < readings_before_unreadable; ++reading) {
    const auto checked = shelf.check(file.name, file.size, rules, watch);
    if (checked && (file.sha256.empty() || checked->sha256 == file.sha256)) return Judgement{core::Condition::whole};
    if (checked) {
      failed = {base::Errc::integrity, "its digest is not the one that was published"};
      break;
    }
    failed = checked.error();
    if (failed.code == base::Errc::cancelled) return failed;
    const auto there = is_there(shelf, file.name);
    if (!there) return there.error();
    if (!*there) return Judgement{core::Condition::lost, {.code = base::Errc::io, .detail = "it is not on disk"}};
    if (failed.code == base::Errc::integrity) break;
  }
  auto cause = core::cause_of(failed);
  cause.detail = report::reason(failed, file.name);
  return Judgement{core::Condition::damaged, std::move(cause)};
}

/// What the catalogue knows after a reading.
struct Kept {
  std::optional<bool> differs{};  ///< from the condition before; empty if that version is no longer public
  bool listed = false;
};

base::Result<Kept> keep(catalogue::Files& catalogue, const core::FileRecord& file, base::Time at,
                        const Judgement& found) {
  const auto differs = catalogue.keep_reading(file, at, found.condition, found.cause);
  if (!differs) return differs.error();
  Kept kept{.differs = *differs};
  if (found.condition == core::Condition::whole) return kept;
  const auto calendar = catalogue.calendar();
  if (!calendar) return calendar.error();
  const auto listed = core::listed_files(*calendar);
  kept.listed = std::ranges::find(listed, file.name, &core::Listed::name) != listed.end();
  return kept;
}

core::Verdict verdict_of(core::Condition condition, const std::optional<bool>& differs) {
  if (!differs) return core::Verdict::gone;
  if (condition == core::Condition::damaged) return core::Verdict::damaged;
  if (condition == core::Condition::lost) return core::Verdict::lost;
  return *differs ? core::Verdict::mended : core::Verdict::whole;
}

void tell(ports::Journal& journal, const core::Finding& finding) {
  if (finding.verdict == core::Verdict::gone) return;
  const bool mended = finding.verdict == core::Verdict::mended;
  const bool whole = finding.verdict == core::Verdict::whole;
  ports::Event event{.kind = ports::EventKind::damage_found, .level = ports::Level::error};
  if (mended) event = {.kind = ports::EventKind::recovered, .level = ports::Level::notice};
  if (whole) event = {.kind = ports::EventKind::checked, .level = ports::Level::debug};
  event.message = report::sentence(finding);
  event.fields.push_back({"file", finding.name});
  event.fields.push_back({"bytes", std::to_string(finding.size)});
  if (!whole && !mended) event.fields.push_back({"reason", report::reason(finding.cause)});
  journal.tell(event);
}

void tell_unwritten(ports::Journal& journal, const base::Error& error) {
  journal.tell({ports::EventKind::recovered, ports::Level::error,
                "the manifest could not be written after a reading, and the next cycle writes it: " + error.message()});
}

}  // namespace

awaitable<base::Result<core::Finding>> read_again(CheckResources resources, Publisher& publisher,
                                                  ports::CheckRules rules, core::FileRecord file, Reading& reading) {
  auto& shelf = resources.ports.shelf;
  core::Finding finding{.name = file.name, .size = file.size};
  const auto deadly = co_await begin_check(resources, file.name, file.size);
  if (deadly) {
    finding.verdict = core::Verdict::unread;
    finding.cause = *deadly;
    tell(resources.ports.journal, finding);
    co_return finding;
  }
  auto watch = [&stopping = resources.stopping, &reading](std::int64_t read) {
    reading.bytes = read;
    return !stopping && !reading.interrupted;
  };
  auto job = [&shelf, file, rules = rules_for(file, rules, reading), watch] {
    return judge(shelf, file, rules, watch);
  };
  const auto found = co_await off_loop(resources.ports.reading.get_executor(), std::move(job));
  co_await end_check(resources, file.name);
  if (!found) co_return found.error();
  auto record = [file, at = resources.ports.clock.now(), judged = *found](catalogue::Files& files) {
    return keep(files, file, at, judged);
  };
  const auto kept = co_await resources.calls(std::move(record));
  if (!kept) co_return kept.error();
  finding.verdict = verdict_of(found->condition, kept->differs);
  finding.cause = found->cause;
  finding.listed = kept->listed;
  tell(resources.ports.journal, finding);
  if (found->condition == core::Condition::damaged) {
    // What cannot be removed now is removed after the next cycle.
    const auto ended = co_await take_back_damaged_loans(resources.ports, resources.calls);
    static_cast<void>(ended.has_value());
  }
  if (!kept->differs.value_or(false)) co_return finding;
  const auto refreshed = co_await publisher.refresh();
  // What was found counts all the same: the next cycle begins with the manifest.
  if (!refreshed) tell_unwritten(resources.ports.journal, refreshed.error());
  co_return finding;
}

}  // namespace vtmirror::agent
