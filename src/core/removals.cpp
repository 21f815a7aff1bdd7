#include "core/by_name.hpp"
#include "core/removable.hpp"
#include "vtmirror/core/reconcile.hpp"
#include "vtmirror/core/retention.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace vtmirror::core {
namespace {

Action over(const QuarantinedFile& file) {
  Action action{.kind = ActionKind::prune, .reason = Reason::quarantine_over, .name = file.name, .size = file.size};
  const auto named = read_name(file.name);
  if (named) std::tie(action.file_kind, action.date) = std::tie(named->kind, named->date);
  return action;
}

}  // namespace

Action pruned(const FileRecord& file, const LocalFile* copy, Reason reason) {
  return {.kind = ActionKind::prune,
          .reason = reason,
          .file_kind = file.kind,
          .name = file.name,
          .date = file.date,
          .size = copy == nullptr ? 0 : copy->size};
}

std::vector<std::string> removable(const Inventory& inventory, const Calendar& calendar, const Stock& stock,
                                   const Policy& policy) {
  if (!inventory.unread.empty()) return {};
  return prune(calendar, stock.held, policy.keep_cycles, stock.lost);
}

Stock stock_of(const Inventory& inventory) {
  const ByName<LocalFile> on_disk(inventory.on_disk);
  Stock stock;
  for (const FileRecord& record : inventory.files) {
    const LocalFile* const copy = on_disk.find(record.name);
    const bool lost = loss(record, copy).has_value();
    if (copy == nullptr) stock.gone.push_back(record.name);
    (lost ? stock.lost : stock.held)
        .push_back({record.kind, record.name, record.date, record.size, record.sha256, record.since});
  }
  return stock;
}

std::vector<Action> over_in_quarantine(const Inventory& inventory, const Policy& policy) {
  const ByName<PartialRecord> partials(inventory.partials);
  std::vector<Action> actions;
  for (const QuarantinedFile& file : inventory.quarantined)
    if (quarantine_is_over(file, policy.quarantine, inventory.at) && !partials.contains(file.name))
      actions.push_back(over(file));
  return actions;
}

Plan removals(const Inventory& inventory, const Policy& policy) {
  const Stock now = stock_of(inventory);
  const Calendar calendar = with_stock(inventory.calendar, now.held, now.lost);
  Plan plan;
  if (std::ranges::any_of(calendar.files, &ListedFile::listed)) {
    const ByName<FileRecord> records(inventory.files);
    const ByName<LocalFile> on_disk(inventory.on_disk);
    for (const std::string& name : removable(inventory, calendar, now, policy))
      plan.actions.push_back(pruned(*records.find(name), on_disk.find(name)));
    for (const ListedFile& file : calendar.files)
      if (const FileRecord* const record = records.find(file.name); record != nullptr && is_to_come(file))
        plan.actions.push_back(pruned(*record, on_disk.find(file.name), Reason::day_to_come));
  }
  for (Action& action : over_in_quarantine(inventory, policy)) plan.actions.push_back(std::move(action));
  return plan;
}

}  // namespace vtmirror::core
