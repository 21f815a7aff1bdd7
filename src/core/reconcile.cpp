#include "vtmirror/core/reconcile.hpp"

#include "core/by_name.hpp"
#include "core/removable.hpp"
#include "vtmirror/core/cause.hpp"
#include "vtmirror/core/chain_failures.hpp"
#include "vtmirror/core/space.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <tuple>

namespace vtmirror::core {
namespace {

/// All inputs, indexed by name.
struct Facts {
  Facts(const Listing& listing, const Inventory& inventory)
      : listed(listing.entries),
        refused(listing.refused),
        shown(inventory.calendar.files),
        records(inventory.files),
        partials(inventory.partials),
        on_disk(inventory.on_disk),
        partials_on_disk(inventory.partials_on_disk),
        failed_checks(inventory.failed_checks.begin(), inventory.failed_checks.end()) {}

  ByName<Entry> listed;
  ByName<RefusedEntry> refused;
  ByName<ListedFile> shown;
  ByName<FileRecord> records;
  ByName<PartialRecord> partials;
  ByName<LocalFile> on_disk;
  ByName<LocalFile> partials_on_disk;
  std::set<std::string_view> failed_checks;
};

template <class File>
Action action(ActionKind kind, Reason reason, const File& file) {
  return {
      .kind = kind, .reason = reason, .file_kind = file.kind, .name = file.name, .date = file.date, .size = file.size};
}

/// Why a held and listed file must be downloaded again; empty if it need not be.
std::optional<Reason> change(const Entry& entry, const FileRecord& record, const LocalFile* copy, const Facts& facts) {
  if (record.size != entry.size) return Reason::size_changed;
  if (record.date != entry.date) return Reason::date_changed;
  const ListedFile* shown = facts.shown.find(entry.name);
  if (shown != nullptr && shown->changed) return Reason::replaced_in_store;
  return loss(record, copy);
}

bool can_resume(const Entry& entry, const PartialRecord* partial) {
  return partial != nullptr && partial->size == entry.size && partial->date == entry.date &&
         !partial->durable.empty() && partial->durable.size() <= partial->size;
}

Action for_listed(const Entry& entry, const Facts& facts) {
  const FileRecord* record = facts.records.find(entry.name);
  const LocalFile* copy = facts.on_disk.find(entry.name);
  const auto changed = record != nullptr ? change(entry, *record, copy, facts) : Reason::not_held;
  if (!changed) return action(ActionKind::keep, Reason::held_and_unchanged, entry);
  const bool failed = facts.failed_checks.contains(entry.name);
  if (changed == Reason::back_on_disk && !failed) return action(ActionKind::adopt, Reason::back_on_disk, entry);
  // A copy of the listed size that does not match the catalogue's record: somebody put it there, or a publication was
  // interrupted between the rename and the record.
  const bool unknown = (record == nullptr || record->size != entry.size) && copy != nullptr && copy->size == entry.size;
  const bool damaged = failed && (unknown || changed == Reason::back_on_disk);
  if (unknown && !damaged) return action(ActionKind::adopt, Reason::not_in_catalogue, entry);
  if (const PartialRecord* partial = facts.partials.find(entry.name); can_resume(entry, partial)) {
    Action resume = action(ActionKind::resume, Reason::partly_fetched, entry);
    resume.durable = partial->durable.size();
    return resume;
  }
  if (damaged) return action(ActionKind::fetch_again, Reason::failed_checks, entry);
  return action(record == nullptr ? ActionKind::fetch : ActionKind::fetch_again, *changed, entry);
}

Action refused_loss(Reason reason, const FileRecord& record) {
  Action refused = action(ActionKind::refuse, reason, record);
  refused.cause = lost_for_good(reason);
  return refused;
}

Action for_unlisted(const FileRecord& record, const Facts& facts) {
  const LocalFile* copy = facts.on_disk.find(record.name);
  const std::optional<Reason> lost = loss(record, copy);
  if (!lost) return action(ActionKind::keep, Reason::held_and_unchanged, record);
  // Somebody may have put the right bytes back.
  if (copy == nullptr || copy->size != record.size) return refused_loss(*lost, record);
  if (facts.failed_checks.contains(record.name)) return refused_loss(Reason::failed_checks, record);
  return action(ActionKind::adopt, Reason::back_on_disk, record);
}

Action for_refused(const RefusedEntry& entry) {
  return {.kind = ActionKind::refuse,
          .reason = Reason::refused_by_checks,
          .name = entry.name,
          .cause = refusal(entry.failed, entry.why)};
}

/// The stock once every download in `actions` has succeeded.
Stock after(std::span<const Action> actions, Stock stock) {
  for (const Action& action : actions) {
    if (action.kind != ActionKind::adopt && !downloads(action)) continue;
    const auto same = [&action](const Held& file) { return file.name == action.name; };
    std::erase_if(stock.held, same);
    std::erase_if(stock.lost, same);
    stock.held.push_back({action.file_kind, action.name, action.date, action.size, {}, 0});
  }
  return stock;
}

/// What of the store's editions is still wanted when everything that `actions` bring is here.
Calendar after(std::span<const Action> actions, Calendar calendar) {
  for (const Action& action : actions) {
    const auto file = std::ranges::find(calendar.files, action.name, &ListedFile::name);
    if (downloads(action) && file != calendar.files.end()) file->changed = false;
  }
  return calendar;
}

std::set<std::string> may_go(const Inventory& inventory, const Calendar& calendar, const Stock& stock,
                             const Policy& policy) {
  const std::vector<std::string> names = removable(inventory, calendar, stock, policy);
  return {names.begin(), names.end()};
}

int turn(const Action& action) {
  switch (action.kind) {
    case ActionKind::adopt:
      return 0;
    case ActionKind::drop_partial:
      return 1;
    case ActionKind::fetch:
    case ActionKind::resume:
    case ActionKind::fetch_again:
      return 3;
    case ActionKind::keep:
      return 4;
    case ActionKind::skip:
      return 5;
    case ActionKind::refuse:
      return 6;
    case ActionKind::prune:
      return goes_first(action) ? 2 : 7;
  }
  return 8;
}

bool starts_before(const Action& a, const Action& b) {
  const auto rank = [](const Action& action) {
    return std::tuple(turn(action), action.file_kind == Kind::bulk, action.date);
  };
  return std::tuple(rank(a), std::string_view(a.name)) < std::tuple(rank(b), std::string_view(b.name));
}

/// A listing without its bulk file means trouble at the service: 30 GB of a partial download are not deleted because of
/// it.
bool lists_a_bulk_file(const Listing& listing) {
  return std::ranges::any_of(listing.entries, [](const Entry& entry) { return entry.kind == Kind::bulk; });
}

void skip(Action& action, Reason reason, Cause cause) {
  action.kind = ActionKind::skip;
  action.reason = reason;
  action.cause = std::move(cause);
}

void heed_quarantine(std::span<Action> actions, std::span<const QuarantinedFile> quarantined, Try which) {
  for (Action& action : actions) {
    const auto file = std::ranges::find(quarantined, action.name, &QuarantinedFile::name);
    if (!downloads(action) || file == quarantined.end() || file->size != action.size) continue;
    const bool is_dear = action.file_kind == Kind::bulk || is_deadly(file->cause);
    if (which == Try::again && is_dear) skip(action, Reason::quarantined, file->cause);
    if (action.reason != Reason::not_held) continue;
    std::tie(action.reason, action.cause) = std::tuple(Reason::was_quarantined, file->cause);
  }
}

std::int64_t allocated(const LocalFile* file) { return file == nullptr ? 0 : file->allocated; }

/// `actions` are in the order in which they start.
void fit_into_space(std::span<Action> actions, const Facts& facts, Space space) {
  for (Action& action : actions) {
    if (!downloads(action)) continue;
    const Fit fit = space.claim(action.size, allocated(facts.partials_on_disk.find(action.name)));
    if (fit.fits) continue;
    std::tie(action.needs, action.free) = std::tie(fit.needs, fit.free);
    skip(action, Reason::does_not_fit, no_room(fit, space.reserve()));
  }
}

std::vector<Action> unlisted_partials(const Listing& listing, const Inventory& inventory, const Facts& facts) {
  std::vector<Action> dropped;
  if (!lists_a_bulk_file(listing)) return dropped;
  for (const PartialRecord& partial : inventory.partials) {
    if (facts.listed.contains(partial.name) || facts.refused.contains(partial.name)) continue;
    dropped.push_back(action(ActionKind::drop_partial, Reason::not_listed_any_more, partial));
    dropped.back().durable = partial.durable.size();
  }
  return dropped;
}

std::vector<Action> unlisted_quarantine(const Inventory& inventory, const Facts& facts, const Policy& policy) {
  std::vector<Action> over = over_in_quarantine(inventory, policy);
  std::erase_if(over, [&facts](const Action& action) {
    return facts.listed.contains(action.name) || facts.refused.contains(action.name);
  });
  return over;
}

/// The action for each listed file, and for what left the listing and goes before the downloads.
std::vector<Action> for_listing(const Listing& listing, const Inventory& inventory, const Facts& facts,
                                const Policy& policy, Try which) {
  std::vector<Action> actions = unlisted_partials(listing, inventory, facts);
  Space space(inventory.free_space, policy.reserve);
  for (const Action& dropped : actions) space.add(allocated(facts.partials_on_disk.find(dropped.name)));
  for (Action& over : unlisted_quarantine(inventory, facts, policy)) {
    space.add(over.size);
    actions.push_back(std::move(over));
  }
  for (const Entry& entry : listing.entries) {
    const bool named_before = facts.listed.find(entry.name) != &entry;
    if (!named_before) actions.push_back(for_listed(entry, facts));
  }
  std::ranges::sort(actions, starts_before);
  heed_quarantine(actions, inventory.quarantined, which);
  fit_into_space(actions, facts, space);
  return actions;
}

}  // namespace

std::optional<Reason> loss(const FileRecord& record, const LocalFile* copy) {
  if (record.condition == Condition::damaged) return Reason::damaged_on_disk;
  if (record.condition == Condition::lost && copy != nullptr && copy->size == record.size) return Reason::back_on_disk;
  if (copy == nullptr) return Reason::gone_from_disk;
  if (copy->size != record.size) return Reason::damaged_on_disk;
  return std::nullopt;
}

Plan reconcile(const Listing& listing, const Inventory& inventory, const Policy& policy, Try which) {
  const Facts facts(listing, inventory);
  Plan plan{for_listing(listing, inventory, facts, policy, which)};

  const Stock now = stock_of(inventory);
  const Calendar calendar = observe(inventory.calendar, listing, now.held, now.lost);
  const std::set<std::string> gone_now = may_go(inventory, calendar, now, policy);
  const std::set<std::string> gone = may_go(inventory, after(plan.actions, calendar), after(plan.actions, now), policy);
  for (const RefusedEntry& entry : listing.refused) plan.actions.push_back(for_refused(entry));
  for (const FileRecord& record : inventory.files) {
    if (!gone_now.contains(record.name) && !facts.listed.contains(record.name)) {
      const Action unlisted = for_unlisted(record, facts);
      if (!gone.contains(record.name) || unlisted.kind == ActionKind::refuse) plan.actions.push_back(unlisted);
    }
    if (gone.contains(record.name)) {
      plan.actions.push_back(pruned(record, facts.on_disk.find(record.name)));
      plan.actions.back().after_downloads = !gone_now.contains(record.name);
    }
  }
  // Several refused entries of one name stay in the order of the listing.
  std::ranges::stable_sort(plan.actions, starts_before);
  return plan;
}

bool goes_first(const Action& action) noexcept {
  const bool removes = action.kind == ActionKind::drop_partial || action.kind == ActionKind::prune;
  return removes && !removes_public_file(action);
}

std::vector<Loss> losses(const Inventory& inventory) {
  std::vector<Loss> found;
  const ByName<LocalFile> on_disk(inventory.on_disk);
  for (const FileRecord& record : inventory.files) {
    if (record.condition != Condition::whole) continue;
    const LocalFile* copy = on_disk.find(record.name);
    if (copy == nullptr)
      found.push_back({record.name, Condition::lost, record.size});
    else if (copy->size != record.size)
      found.push_back({record.name, Condition::damaged, record.size, copy->size});
  }
  return found;
}

std::vector<Action> removals_due(const Plan& plan, const Listing& listing, const Inventory& now, const Policy& policy) {
  const Stock held = stock_of(now);
  const Calendar calendar = observe(now.calendar, listing, held.held, held.lost);
  const std::set<std::string> gone = may_go(now, calendar, held, policy);
  std::vector<Action> due;
  for (const Action& action : plan.actions)
    if (action.kind == ActionKind::prune && !goes_first(action) && gone.contains(action.name)) due.push_back(action);
  return due;
}

}  // namespace vtmirror::core
