#include "agent/recovery.hpp"

#include "vtmirror/report/sentence.hpp"

#include <algorithm>

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

/// How the files of verified partials compare with their records.
struct Compared {
  std::vector<std::string> same;
  std::vector<std::string> other;
  std::vector<core::Cause> unread;
};

ports::CheckRules rules_for(const core::PartialRecord& verified) {
  return {.zip = verified.sha256.empty(), .digest = !verified.sha256.empty()};
}

/// A file that cannot be read now is not judged: as a different file it would be forgotten, although it may be whole.
/// Errors: cancelled.
base::Result<void> note(const core::PartialRecord& verified, const base::Result<ports::Checked>& now, Compared& all) {
  if (now)
    (now->sha256 == verified.sha256 ? all.same : all.other).push_back(verified.name);
  else if (now.error().code == base::Errc::cancelled)
    return now.error();
  else if (now.error().code == base::Errc::integrity)
    all.other.push_back(verified.name);
  else
    all.unread.push_back(core::cause_of(now.error(), verified.name));
  return {};
}

/// Compares the public files with the records: the same digest means the new version, another one an older version.
/// Errors: cancelled.
base::Result<Compared> compare(const std::vector<core::PartialRecord>& partials,
                               const std::vector<core::LocalFile>& on_disk, ports::Shelf& shelf,
                               const std::atomic<bool>& stopping) {
  Compared compared;
  for (const auto& partial : partials) {
    if (std::ranges::find(on_disk, partial.name, &core::LocalFile::name) == on_disk.end()) continue;
    const auto checked = shelf.check(partial.name, partial.size, rules_for(partial), until(stopping));
    if (const auto noted = note(partial, checked, compared); !noted) return noted.error();
  }
  return compared;
}

/// Checks again the files that had passed and were not published. Errors: cancelled.
base::Result<Compared> check_again(const std::vector<core::PartialRecord>& verified, ports::Partials& partials,
                                   const std::atomic<bool>& stopping) {
  Compared compared;
  for (const auto& partial : verified) {
    const auto check = partials.begin_check(partial.name, partial.size, rules_for(partial));
    const auto checked = check ? (*check)->finish(until(stopping)) : base::Result<ports::Checked>(check.error());
    if (const auto noted = note(partial, checked, compared); !noted) return noted.error();
  }
  return compared;
}

void add(std::vector<core::Cause> unread, core::Findings& findings, std::vector<core::Cause>& failed) {
  for (auto& file : unread) {
    findings.unread.push_back(file.subject);
    failed.push_back(std::move(file));
  }
}

/// Returns the partial's record, or an empty one if the file has none.
core::PartialRecord partial_of(const std::vector<core::PartialRecord>& partials, const std::string& name) {
  const auto found = std::ranges::find(partials, name, &core::PartialRecord::name);
  return found == partials.end() ? core::PartialRecord() : *found;
}

}  // namespace

namespace {

/// The public file of a partial may lie where nobody can look: the partial is left as it is.
std::vector<core::PartialRecord> to_compare(core::Findings& findings) {
  auto partials = core::to_compare(findings.inventory);
  std::erase_if(partials, [&findings](const core::PartialRecord& partial) {
    const bool hidden = core::is_below(partial.name, findings.inventory.unread);
    if (hidden) findings.unread.push_back(partial.name);
    return hidden;
  });
  return partials;
}

}  // namespace

awaitable<base::Result<core::Findings>> find_remains(Ports ports, CatalogueCalls& calls,
                                                     const std::atomic<bool>& stopping,
                                                     std::vector<core::Cause>& failed) {
  auto inventory = co_await read_inventory(ports, calls);
  if (!inventory) co_return inventory.error();
  core::Findings findings;
  findings.inventory = std::move(*inventory);
  auto ask = [](const catalogue::Files& known) { return known.leaving(); };
  auto leaving = co_await calls(std::move(ask));
  if (!leaving) co_return leaving.error();
  findings.leaving = std::move(*leaving);
  const auto& unread = findings.inventory.unread;
  failed.insert(failed.end(), unread.begin(), unread.end());
  auto look = [&shelf = ports.shelf, &stopping, partials = to_compare(findings), on_disk = findings.inventory.on_disk] {
    return compare(partials, on_disk, shelf, stopping);
  };
  auto compared = co_await off_loop(ports.checks.get_executor(), std::move(look));
  if (!compared) co_return compared.error();
  findings.renamed = std::move(compared->same);
  add(std::move(compared->unread), findings, failed);
  auto look_again = [&partials = ports.partials, &stopping, verified = core::to_check_again(findings.inventory)] {
    return check_again(verified, partials, stopping);
  };
  auto checked = co_await off_loop(ports.checks.get_executor(), std::move(look_again));
  if (!checked) co_return checked.error();
  findings.altered = std::move(checked->other);
  add(std::move(checked->unread), findings, failed);
  auto list = [&partials = ports.partials] { return partials.quarantined(); };
  auto quarantined = co_await off_loop(ports.pool.get_executor(), std::move(list));
  if (quarantined) findings.quarantined = std::move(*quarantined);
  if (!quarantined) failed.push_back(core::cause_of(quarantined.error()));
  co_return findings;
}

awaitable<base::Result<void>> Recovery::run(bool shelf_says_more, core::Policy policy) {
  unrepaired_.clear();
  auto found = co_await find_remains(ports_, calls_, stopping_, unrepaired_);
  if (!found) co_return found.error();
  for (const auto& file : unrepaired_) log_unrepaired(file);
  const auto partials = found->inventory.partials;
  auto repairs = core::repairs(*found);
  const auto done = co_await carry_out(std::move(repairs), partials);
  if (!done) co_return done.error();
  found->inventory = core::repaired(*found, *done);

  const auto removals = core::removal_repairs(*found, policy);
  const auto ends = std::ranges::find(removals, core::RepairKind::finish_removal, &core::Repair::kind);
  std::vector<core::Repair> first(removals.begin(), ends);
  const auto taken_back = co_await carry_out(std::move(first), partials);
  if (!taken_back) co_return taken_back.error();
  const auto inventory = core::repaired(std::move(*found), removals);
  const auto lost = core::losses(inventory);
  lost_ = core::lost_files(inventory).size();
  auto keep = [lost](catalogue::Files& files) {
    for (const auto& file : lost)
      if (const auto kept = files.keep_condition(file.name, file.condition); !kept)
        return base::Result<void>(kept.error());
    return base::Result<void>();
  };
  const auto kept = co_await calls_(std::move(keep));
  if (!kept) co_return kept;
  for (const auto& file : lost)
    log(file.name,
        core::short_name(file.name) + " is missing from the mirror or was truncated: the next cycle repairs it");
  const auto agreed = co_await bring_texts_up_to_date(shelf_says_more && lost.empty() && taken_back->empty());
  if (!agreed) co_return agreed;
  // Last, so that no manifest names a file that is missing.
  std::vector<core::Repair> last(ends, removals.end());
  const auto removed = co_await carry_out(std::move(last), partials);
  if (!removed) co_return removed.error();
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
      log(repair.name, core::short_name(repair.name) +
                           " is kept: its removal was interrupted, and the mirror would not remove it now");
      done = co_await publisher_.take_back(repair.name);
      break;
    case core::RepairKind::finish_removal:
      log(repair.name, core::short_name(repair.name) + ": finishing its interrupted removal");
      done = co_await finish_removal(repair.name);
      break;
  }
  co_return done;
}

awaitable<base::Result<void>> Recovery::finish_removal(std::string name) {
  const std::vector<std::string> names(1, name);
  const auto stay = co_await publisher_.finish_removals(names);
  co_return stay.empty() ? base::Result<void>() : base::Result<void>(stay.at(name));
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
