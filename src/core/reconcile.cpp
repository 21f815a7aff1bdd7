#include "vtmirror/core/reconcile.hpp"

#include "vtmirror/core/retention.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace vtmirror::core {
namespace {

template <class T>
class ByName {
 public:
  explicit ByName(std::span<const T> items) {
    for (const T& item : items) items_.emplace(item.name, &item);
  }
  const T* find(std::string_view name) const {
    const auto found = items_.find(name);
    return found == items_.end() ? nullptr : found->second;
  }
  bool contains(std::string_view name) const { return items_.contains(name); }

 private:
  std::map<std::string_view, const T*> items_;
};

/// All inputs, with a way to look each of them up.
struct Facts {
  ByName<Entry> listed;
  ByName<RefusedEntry> refused;
  ByName<FileRecord> records;
  ByName<PartialRecord> partials;
  ByName<LocalFile> on_disk;
};

template <class File>
Action action(ActionKind kind, Reason reason, const File& file) {
  return {
      .kind = kind, .reason = reason, .file_kind = file.kind, .name = file.name, .date = file.date, .size = file.size};
}

/// What is wrong with the copy of a held file; empty when nothing is.
std::optional<Reason> loss(const FileRecord& record, const LocalFile* copy) {
  if (copy == nullptr) return Reason::gone_from_disk;
  if (copy->size != record.size) return Reason::damaged_on_disk;
  return std::nullopt;
}

/// Why a listed file that is held has to come again; empty when it has not.
std::optional<Reason> change(const Entry& entry, const FileRecord& record, const LocalFile* copy) {
  if (record.size != entry.size) return Reason::size_changed;
  if (record.date != entry.date) return Reason::date_changed;
  return loss(record, copy);
}

bool can_resume(const Entry& entry, const PartialRecord* partial) {
  return partial != nullptr && partial->size == entry.size && partial->date == entry.date &&
         !partial->durable.empty() && partial->durable.size() <= partial->size;
}

Action for_listed(const Entry& entry, const Facts& facts) {
  const FileRecord* record = facts.records.find(entry.name);
  const LocalFile* copy = facts.on_disk.find(entry.name);
  const auto changed = record != nullptr ? change(entry, *record, copy) : Reason::not_held;
  if (!changed) return action(ActionKind::keep, Reason::held_and_unchanged, entry);
  // A copy of the listed size that the catalogue's record is not about: put there by hand, or by a publication that was
  // cut between rename and record.
  const bool unknown = record == nullptr || record->size != entry.size;
  if (unknown && copy != nullptr && copy->size == entry.size) {
    return action(ActionKind::adopt, Reason::not_in_catalogue, entry);
  }
  if (const PartialRecord* partial = facts.partials.find(entry.name); can_resume(entry, partial)) {
    Action resume = action(ActionKind::resume, Reason::partly_fetched, entry);
    resume.durable = partial->durable.size();
    return resume;
  }
  return action(record == nullptr ? ActionKind::fetch : ActionKind::fetch_again, *changed, entry);
}

Action for_unlisted(const FileRecord& record, const Facts& facts) {
  const std::optional<Reason> lost = loss(record, facts.on_disk.find(record.name));
  if (!lost) return action(ActionKind::keep, Reason::held_and_unchanged, record);
  Action refuse = action(ActionKind::refuse, *lost, record);
  refuse.detail = std::string(sentence(*lost)) + "; the service lists it no longer, so it cannot be fetched again";
  return refuse;
}

Action for_refused(const RefusedEntry& entry) {
  return {.kind = ActionKind::refuse, .reason = Reason::refused_by_checks, .name = entry.name, .detail = entry.why};
}

std::vector<Listed> listed_files(const Listing& listing) {
  std::vector<Listed> files;
  for (const Entry& entry : listing.entries) files.push_back({entry.kind, entry.name, entry.date, entry.size});
  return files;
}

/// Held in truth: in the catalogue, and whole on disk.
std::vector<Held> intact(std::span<const FileRecord> records, const Facts& facts) {
  std::vector<Held> held;
  for (const FileRecord& record : records) {
    if (loss(record, facts.on_disk.find(record.name))) continue;
    held.push_back({record.kind, record.name, record.date, record.size, record.sha256});
  }
  return held;
}

/// The names among the catalogue's records that the policy lets go.
std::set<std::string> beyond_policy(std::span<const FileRecord> records, std::span<const Listed> listed,
                                    const Facts& facts, const Policy& policy) {
  const std::vector<Held> held = intact(records, facts);
  const std::vector<std::string> names = prune(held, listed, policy.keep_cycles);
  std::set<std::string> gone(names.begin(), names.end());
  std::optional<base::Date> oldest_kept;
  int chains = 0;
  for (const Held& file : held) {
    if (file.kind == Kind::bulk) ++chains;
    if (!gone.contains(file.name) && (!oldest_kept || file.date < *oldest_kept)) oldest_kept = file.date;
  }
  if (policy.keep_cycles <= 0 || chains < policy.keep_cycles || !oldest_kept) return gone;
  // What is lost of the chains that go needs no repair: it goes with them.
  for (const FileRecord& record : records) {
    const bool lost = loss(record, facts.on_disk.find(record.name)).has_value();
    if (lost && record.date < *oldest_kept && !facts.listed.contains(record.name)) gone.insert(record.name);
  }
  return gone;
}

int turn(ActionKind kind) {
  switch (kind) {
    case ActionKind::adopt:
      return 0;
    case ActionKind::fetch:
    case ActionKind::resume:
    case ActionKind::fetch_again:
      return 1;
    case ActionKind::keep:
      return 2;
    case ActionKind::refuse:
      return 3;
    case ActionKind::drop_partial:
      return 4;
    case ActionKind::prune:
      return 5;
  }
  return 6;
}

bool starts_before(const Action& a, const Action& b) {
  const auto rank = [](const Action& action) {
    return std::tuple(turn(action.kind), action.file_kind == Kind::bulk, action.date);
  };
  return std::tuple(rank(a), std::tie(a.name, a.detail)) < std::tuple(rank(b), std::tie(b.name, b.detail));
}

/// A listing without its bulk file is a service in trouble: 30 GB that are here of it are not thrown away on its word.
bool lists_a_bulk_file(const Listing& listing) {
  return std::ranges::any_of(listing.entries, [](const Entry& entry) { return entry.kind == Kind::bulk; });
}

}  // namespace

Plan reconcile(const Listing& listing, std::span<const FileRecord> files, std::span<const PartialRecord> partials,
               std::span<const LocalFile> on_disk, const Policy& policy) {
  const Facts facts{ByName<Entry>(listing.entries), ByName<RefusedEntry>(listing.refused), ByName<FileRecord>(files),
                    ByName<PartialRecord>(partials), ByName<LocalFile>(on_disk)};
  const std::set<std::string> gone = beyond_policy(files, listed_files(listing), facts, policy);
  Plan plan;
  for (const Entry& entry : listing.entries) {
    const bool named_before = facts.listed.find(entry.name) != &entry;
    if (!named_before) plan.actions.push_back(for_listed(entry, facts));
  }
  for (const RefusedEntry& entry : listing.refused) plan.actions.push_back(for_refused(entry));
  for (const FileRecord& record : files) {
    if (gone.contains(record.name)) {
      plan.actions.push_back(action(ActionKind::prune, Reason::beyond_keep_cycles, record));
    } else if (!facts.listed.contains(record.name)) {
      plan.actions.push_back(for_unlisted(record, facts));
    }
  }
  for (const PartialRecord& partial : partials) {
    if (facts.listed.contains(partial.name) || facts.refused.contains(partial.name)) continue;
    if (!lists_a_bulk_file(listing)) break;
    plan.actions.push_back(action(ActionKind::drop_partial, Reason::not_listed_any_more, partial));
    plan.actions.back().durable = partial.durable.size();
  }
  std::ranges::sort(plan.actions, starts_before);
  return plan;
}

}  // namespace vtmirror::core
