#include "agent/recovery.hpp"

#include "agent/file_reading.hpp"
#include "agent/remains.hpp"
#include "vtmirror/core/hindrance.hpp"
#include "vtmirror/report/pruning.hpp"
#include "vtmirror/report/sentence.hpp"
#include "vtmirror/report/verification.hpp"

#include <algorithm>

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

/// Returns the partial's record, or an empty one if the file has none.
core::PartialRecord partial_of(const std::vector<core::PartialRecord>& partials, const std::string& name) {
  const auto found = std::ranges::find(partials, name, &core::PartialRecord::name);
  return found == partials.end() ? core::PartialRecord() : *found;
}

base::Result<std::vector<core::Finding>> keep_losses(catalogue::Files& files, ports::Shelf& shelf,
                                                     const std::vector<core::Loss>& losses) {
  std::vector<core::Finding> findings;
  if (losses.empty()) return findings;
  const auto calendar = files.calendar();
  if (!calendar) return calendar.error();
  for (const auto& loss : losses) {
    if (const auto kept = files.keep_condition(loss.name, loss.condition); !kept) return kept.error();
    findings.push_back(finding_of(loss, shelf, core::is_listed(*calendar, loss.name)));
  }
  return findings;
}

}  // namespace

awaitable<base::Result<void>> Recovery::run(bool shelf_says_more, std::optional<core::Policy> policy) {
  unrepaired_.clear();
  auto found = co_await find_remains(ports_, calls_, stopping_, unrepaired_);
  if (!found) co_return found.error();
  for (const auto& file : unrepaired_) log_unrepaired(file);
  const auto partials = found->inventory.partials;
  auto repairs = core::repairs(*found);
  const auto done = co_await carry_out(std::move(repairs), partials);
  if (!done) co_return done.error();
  found->inventory = core::repaired(*found, *done);

  const auto lost = core::losses(found->inventory);
  lost_ = core::lost_files(found->inventory).size();
  auto keep = [lost, &shelf = ports_.shelf](catalogue::Files& files) { return keep_losses(files, shelf, lost); };
  const auto kept = co_await calls_(std::move(keep));
  if (!kept) co_return kept.error();
  for (const auto& finding : *kept) log(finding.name, report::sentence(finding));
  if (policy && !found->leaving.empty()) {
    auto finished = co_await finish_removals(std::move(*policy));
    co_return finished;
  }
  auto agreed = co_await bring_texts_up_to_date(shelf_says_more && lost.empty());
  co_return agreed;
}

awaitable<base::Result<void>> Recovery::finish_removals(core::Policy policy) {
  const auto late = co_await publisher_.finish_late(std::move(policy));
  if (!late) co_return late.error();
  for (const auto& action : late->done) log(action.name, report::removed_line(action));
  for (const auto& [name, error] : late->stay) {
    if (!is_of_one_file(error)) co_return error;
    unrepaired_.push_back(core::stays(error, name));
    log_unrepaired(unrepaired_.back());
  }
  co_return base::Result<void>();
}

awaitable<base::Result<std::vector<core::Repair>>> Recovery::carry_out(std::vector<core::Repair> repairs,
                                                                       std::vector<core::PartialRecord> partials) {
  std::vector<core::Repair> finished;
  for (const auto& repair : repairs) {
    auto partial = partial_of(partials, repair.name);
    const auto done = co_await carry_out(repair, std::move(partial));
    if (done) {
      finished.push_back(repair);
      continue;
    }
    if (!is_of_one_file(done.error())) co_return done.error();
    unrepaired_.push_back(core::cause_of(done.error(), repair.name));
    log_unrepaired(unrepaired_.back());
  }
  co_return finished;
}

void Recovery::log_unrepaired(const core::Cause& file) {
  if (std::ranges::find(logged_, file) != logged_.end()) return;
  logged_.push_back(file);
  ports::Event event{.kind = ports::EventKind::recovered, .level = ports::Level::error};
  event.message = report::sentence({.code = core::ProblemCode::repair_failed, .cause = file});
  event.fields.push_back({"file", file.subject});
  ports_.journal.log(event);
}

awaitable<base::Result<void>> Recovery::bring_texts_up_to_date(bool shelf_says_more) {
  if (!shelf_says_more) {
    auto refreshed = co_await publisher_.refresh();
    co_return refreshed;
  }
  // If the last process ended between the manifest and its record, notices must not wait for that record.
  auto record = [](catalogue::Files& files) {
    const auto generation = files.generation();
    return generation ? files.keep_written(*generation) : base::Result<void>(generation.error());
  };
  auto recorded = co_await calls_(std::move(record));
  co_return recorded;
}

awaitable<base::Result<void>> Recovery::carry_out(core::Repair repair, core::PartialRecord partial) {
  base::Result<void> done;
  switch (repair.kind) {
    case core::RepairKind::restore:
      done = co_await restore(repair.name);
      break;
    case core::RepairKind::publish:
      done = co_await finish_publication(std::move(partial), false);
      break;
    case core::RepairKind::record:
      done = co_await finish_publication(std::move(partial), true);
      break;
    case core::RepairKind::forget_missing:
      done = co_await forget(repair.name, "its partial file is missing");
      break;
    case core::RepairKind::forget_cut:
      done = co_await forget(repair.name, "its partial file was truncated");
      break;
    case core::RepairKind::forget_altered:
      done = co_await forget(repair.name, "its partial file was altered after it had passed its checks");
      break;
    case core::RepairKind::drop_orphan:
      done = co_await drop_orphan(repair.name);
      break;
    case core::RepairKind::drop_quarantined:
      done = co_await drop_quarantined(repair.name);
      break;
    case core::RepairKind::take_back:
    case core::RepairKind::finish_removal:
      break;  // the publisher's part
  }
  co_return done;
}

awaitable<base::Result<void>> Recovery::finish_publication(core::PartialRecord partial, bool renamed) {
  log(partial.name, core::short_name(partial.name) + " had passed its checks: finishing its publication");
  if (!renamed) {
    auto published = co_await publisher_.publish(std::move(partial));
    co_return published;
  }
  auto file = core::record_of(partial);
  auto adopted = co_await publisher_.adopt(std::move(file));
  co_return adopted;
}

awaitable<base::Result<void>> Recovery::restore(std::string name) {
  log(name, core::short_name(name) + " is still there as it was published: its replacement was interrupted");
  auto find = [name](const catalogue::Files& files) { return files.file(name); };
  const auto file = co_await calls_(std::move(find));
  if (!file) co_return file.error();
  if (!*file) co_return base::Result<void>();
  auto restored = co_await publisher_.adopt(**file);
  co_return restored;
}

awaitable<base::Result<void>> Recovery::forget(std::string name, std::string why) {
  log(name, core::short_name(name) + " must be downloaded from the start: " + why);
  auto drop = [&partials = ports_.partials, name] { return partials.drop(name); };
  const auto dropped = co_await off_loop(ports_.pool.get_executor(), std::move(drop));
  if (!dropped) co_return dropped.error();
  auto forget = [name](catalogue::Downloads& downloads) { return downloads.forget_partial(name); };
  auto forgotten = co_await calls_(std::move(forget));
  co_return forgotten;
}

awaitable<base::Result<void>> Recovery::drop_orphan(std::string name) {
  log(name, "removing an unfinished file that is not in the catalogue: " + core::short_name(name));
  auto drop = [&partials = ports_.partials, name] { return partials.drop(name); };
  auto dropped = co_await off_loop(ports_.pool.get_executor(), std::move(drop));
  co_return dropped;
}

/// Left by a process that ended between the disk and the catalogue, or by a catalogue that was lost.
awaitable<base::Result<void>> Recovery::drop_quarantined(std::string name) {
  log(name, "removing " + core::short_name(name) + " from the quarantine: it is not in the catalogue");
  auto clear = [&partials = ports_.partials, name] { return partials.clear(name); };
  auto cleared = co_await off_loop(ports_.pool.get_executor(), std::move(clear));
  co_return cleared;
}

void Recovery::log(std::string_view name, std::string message) {
  ports::Event event{.kind = ports::EventKind::recovered, .level = ports::Level::notice};
  event.message = std::move(message);
  event.fields.push_back({"file", std::string(name)});
  ports_.journal.log(event);
}

}  // namespace vtmirror::agent
