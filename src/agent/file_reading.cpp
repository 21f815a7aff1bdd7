#include "agent/file_reading.hpp"

#include "agent/consumer_upkeep.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/core/hindrance.hpp"
#include "vtmirror/report/sentence.hpp"
#include "vtmirror/report/verification.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

/// A disk that failed once may give the bytes back the next time.
constexpr int readings_before_unreadable = 2;

struct Judgement {
  std::optional<core::Condition> condition{};  ///< empty: it could not be judged
  core::Cause cause{};                         ///< unless it is whole
};

/// Its size is always compared. Bytes with the published digest were checked when they were published.
ports::CheckRules rules_for(const core::FileRecord& file, ports::CheckRules rules, const Reading& reading) {
  rules.digest = !file.sha256.empty();
  rules.zip = rules.zip || !rules.digest;
  rules.in_background = true;
  rules.bytes_a_second = reading.bytes_a_second;
  return rules;
}

/// Empty if it lies below a directory that cannot be read, so that it is not known. Errors: io, if the mirror's
/// directory itself cannot be read.
base::Result<std::optional<bool>> is_there(ports::Shelf& shelf, const std::string& name) {
  if (const auto in_place = shelf.in_place(); !in_place) return in_place.error();
  std::vector<core::Cause> unread;
  const auto files = shelf.files(unread);
  if (!files) return files.error();
  if (core::is_below(name, unread)) return std::optional<bool>();
  return std::optional(std::ranges::find(*files, name, &core::LocalFile::name) != files->end());
}

core::Cause cause_about(const base::Error& failed, const std::string& name) {
  auto cause = core::cause_of(failed);
  cause.detail = report::reason(failed, name);
  return cause;
}

/// Because of what is in its place, if something is.
core::Cause cause_of_loss(ports::Shelf& shelf, const std::string& name) {
  const auto place = shelf.accepts(name);
  return cause_about(place ? base::Error{base::Errc::io, "it is not on disk"} : place.error(), name);
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
    if (!*there) return Judgement{std::nullopt, cause_about(failed, file.name)};
    if (!**there) return Judgement{core::Condition::lost, cause_of_loss(shelf, file.name)};
    if (failed.code == base::Errc::integrity) break;
  }
  return Judgement{core::Condition::damaged, cause_about(failed, file.name)};
}

/// What the catalogue knows after a reading.
struct Kept {
  std::optional<bool> differs{};  ///< from the condition before; empty if that version is no longer public
  bool listed = false;
};

base::Result<Kept> keep(catalogue::Files& catalogue, const core::FileRecord& file, base::Time at, core::Condition found,
                        const core::Cause& cause) {
  const auto differs = catalogue.keep_reading(file, at, found, cause);
  if (!differs) return differs.error();
  Kept kept{.differs = *differs};
  if (found == core::Condition::whole) return kept;
  const auto calendar = catalogue.calendar();
  if (!calendar) return calendar.error();
  kept.listed = core::is_listed(*calendar, file.name);
  return kept;
}

core::Verdict verdict_of(core::Condition condition, const std::optional<bool>& differs) {
  if (!differs) return core::Verdict::gone;
  if (condition == core::Condition::damaged) return core::Verdict::damaged;
  if (condition == core::Condition::lost) return core::Verdict::lost;
  return *differs ? core::Verdict::mended : core::Verdict::whole;
}

void log(ports::Journal& journal, const core::Finding& finding) {
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
  journal.log(event);
}

void log_unwritten(ports::Journal& journal, const base::Error& error) {
  journal.log({ports::EventKind::recovered, ports::Level::error,
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
    log(resources.ports.journal, finding);
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
  if (!found->condition) {
    finding.verdict = core::Verdict::unread;
    finding.cause = found->cause;
    log(resources.ports.journal, finding);
    co_return finding;
  }
  const auto condition = *found->condition;
  auto record = [file, at = resources.ports.clock.now(), condition, cause = found->cause](catalogue::Files& files) {
    return keep(files, file, at, condition, cause);
  };
  // On a full disk, damage is recorded with the room that is kept; that a file is whole need not be.
  const bool is_known = condition == core::Condition::whole && file.condition == core::Condition::whole;
  auto recording = is_known ? resources.calls(record) : resources.calls.with_room(record);
  const auto kept = co_await std::move(recording);
  const bool is_left_out = !kept && is_known && kept.error().code == base::Errc::no_space;
  if (is_left_out) co_return finding;
  if (!kept) co_return kept.error();
  finding.verdict = verdict_of(condition, kept->differs);
  finding.cause = found->cause;
  finding.listed = kept->listed;
  log(resources.ports.journal, finding);
  if (condition == core::Condition::damaged) {
    // What cannot be removed now is removed after the next cycle.
    const auto ended = co_await withdraw_ended_loans(resources.ports, resources.calls);
    static_cast<void>(ended.has_value());
  }
  if (!kept->differs.value_or(false)) co_return finding;
  const auto refreshed = co_await publisher.refresh();
  // What was found counts nevertheless: the next cycle begins with the manifest.
  if (!refreshed) log_unwritten(resources.ports.journal, refreshed.error());
  co_return finding;
}

core::Finding finding_of(const core::Loss& loss, ports::Shelf& shelf, bool listed) {
  core::Finding finding{.name = loss.name, .size = loss.size, .listed = listed};
  finding.verdict = loss.condition == core::Condition::lost ? core::Verdict::lost : core::Verdict::damaged;
  if (finding.verdict == core::Verdict::lost)
    finding.cause = cause_of_loss(shelf, loss.name);
  else
    finding.cause = {
        .code = base::Errc::integrity,
        .detail = "it has " + base::counted(loss.there, "byte") + ", " + std::to_string(loss.size) + " were published"};
  return finding;
}

}  // namespace vtmirror::agent
