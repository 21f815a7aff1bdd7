#include "core/by_name.hpp"
#include "core/removable.hpp"
#include "vtmirror/core/reconcile.hpp"
#include "vtmirror/core/retention.hpp"

#include <algorithm>
#include <tuple>

namespace vtmirror::core {
namespace {

Action pruned(const FileRecord& file) {
  return {.kind = ActionKind::prune,
          .reason = Reason::beyond_keep_cycles,
          .file_kind = file.kind,
          .name = file.name,
          .date = file.date,
          .size = file.size};
}

Action over(const QuarantinedFile& file) {
  Action action{.kind = ActionKind::prune, .reason = Reason::quarantine_over, .name = file.name, .size = file.size};
  const auto named = read_name(file.name);
  if (named) std::tie(action.file_kind, action.date) = std::tie(named->kind, named->date);
  return action;
}

}  // namespace

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

Plan removals(const Inventory& inventory, const Policy& policy, const std::vector<QuarantinedFile>& expired) {
  const Stock now = stock_of(inventory);
  const Calendar calendar = with_stock(inventory.calendar, now.held, now.lost);
  Plan plan;
  if (std::ranges::any_of(calendar.files, &ListedFile::listed)) {
    const ByName<FileRecord> records(inventory.files);
    for (const std::string& name : removable(inventory, calendar, now, policy))
      plan.actions.push_back(pruned(*records.find(name)));
  }
  for (const QuarantinedFile& file : expired) plan.actions.push_back(over(file));
  return plan;
}

}  // namespace vtmirror::core
