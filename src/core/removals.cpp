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

Action pruned(const FileRecord& file) {
  return {.kind = ActionKind::prune,
          .reason = Reason::beyond_keep_cycles,
          .file_kind = file.kind,
          .name = file.name,
          .date = file.date,
          .size = file.size};
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
    const bool lost = loss(record, on_disk.find(record.name)).has_value();
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
    for (const std::string& name : removable(inventory, calendar, now, policy))
      plan.actions.push_back(pruned(*records.find(name)));
  }
  for (Action& action : over_in_quarantine(inventory, policy)) plan.actions.push_back(std::move(action));
  return plan;
}

}  // namespace vtmirror::core
