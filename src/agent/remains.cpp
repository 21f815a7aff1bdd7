#include "agent/remains.hpp"

#include <algorithm>
#include <utility>

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

/// `record`: of a partial or of a public file. A file that cannot be read now is not judged: if it counted as a
/// different file, its record would be removed, although the file may be whole. Errors: cancelled.
template <class Record>
base::Result<void> note(const Record& record, const base::Result<ports::Checked>& now, Compared& all) {
  if (now)
    (now->sha256 == record.sha256 ? all.same : all.other).push_back(record.name);
  else if (now.error().code == base::Errc::cancelled)
    return now.error();
  else if (now.error().code == base::Errc::integrity)
    all.other.push_back(record.name);
  else
    all.unread.push_back(core::cause_of(now.error(), record.name));
  return {};
}

/// Compares the public files with the records: the same digest means the new edition, another one an older edition.
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

/// Compares the files that a replacement withdrew with their records. Errors: cancelled.
base::Result<Compared> look_for(const std::vector<core::FileRecord>& withdrawn, ports::Shelf& shelf,
                                const std::atomic<bool>& stopping) {
  Compared compared;
  for (const auto& file : withdrawn) {
    const auto checked = shelf.check(file.name, file.size, {.zip = false, .digest = true}, until(stopping));
    if (const auto noted = note(file, checked, compared); !noted) return noted.error();
  }
  return compared;
}

void add(std::vector<core::Cause> unread, core::Findings& findings, std::vector<core::Cause>& failed) {
  for (auto& file : unread) {
    findings.unread.push_back(file.subject);
    failed.push_back(std::move(file));
  }
}

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
  auto found = co_await find_leaving(ports, calls);
  if (!found) co_return found.error();
  auto findings = std::move(*found);
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
  auto look_for_withdrawn = [&shelf = ports.shelf, &stopping, withdrawn = core::withdrawn(findings)] {
    return look_for(withdrawn, shelf, stopping);
  };
  auto in_place = co_await off_loop(ports.checks.get_executor(), std::move(look_for_withdrawn));
  if (!in_place) co_return in_place.error();
  findings.in_place = std::move(in_place->same);
  add(std::move(in_place->unread), findings, failed);
  auto list = [&partials = ports.partials] { return partials.quarantined(); };
  auto quarantined = co_await off_loop(ports.pool.get_executor(), std::move(list));
  if (quarantined) findings.quarantined = std::move(*quarantined);
  if (!quarantined) failed.push_back(core::cause_of(quarantined.error()));
  co_return findings;
}

}  // namespace vtmirror::agent
