#include "vtmirror/core/recovery.hpp"

#include "core/removable.hpp"
#include "vtmirror/core/hindrance.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace vtmirror::core {
namespace {

template <class T>
const T* find(const std::vector<T>& items, const std::string& name) {
  const auto found = std::ranges::find(items, name, &T::name);
  return found == items.end() ? nullptr : &*found;
}

/// The item of that name, which is no longer among the others.
template <class T>
std::optional<T> extract(std::vector<T>& items, const std::string& name) {
  const auto found = std::ranges::find(items, name, &T::name);
  if (found == items.end()) return std::nullopt;
  std::optional<T> taken(std::move(*found));
  items.erase(found);
  return taken;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

bool is_whole(const PartialRecord& partial, const Inventory& inventory) {
  const LocalFile* file = find(inventory.partials_on_disk, partial.name);
  return file != nullptr && file->size == partial.size;
}

/// Empty for a partial that can be continued as it is.
std::optional<RepairKind> repair_of(const PartialRecord& partial, const Findings& findings) {
  if (contains(findings.unread, partial.name)) return std::nullopt;
  if (partial.verified && is_whole(partial, findings.inventory))
    return contains(findings.altered, partial.name) ? RepairKind::forget_altered : RepairKind::publish;
  if (partial.verified && contains(findings.renamed, partial.name)) return RepairKind::record;
  const LocalFile* file = find(findings.inventory.partials_on_disk, partial.name);
  if (file == nullptr) return RepairKind::forget_missing;
  if (file->size < partial.durable.end()) return RepairKind::forget_cut;
  return std::nullopt;
}

bool is_forgotten(const PartialRecord& partial, const Findings& findings) {
  const auto kind = repair_of(partial, findings);
  return kind == RepairKind::forget_missing || kind == RepairKind::forget_cut || kind == RepairKind::forget_altered;
}

/// What it took on disk is free again.
void drop(std::vector<LocalFile>& files, const std::string& name, Inventory& inventory) {
  const auto file = extract(files, name);
  if (file) inventory.free_space += file->allocated;
}

void publish(const PartialRecord& partial, Inventory& inventory) {
  auto file = extract(inventory.partials_on_disk, partial.name);
  if (!file) return;
  drop(inventory.on_disk, partial.name, inventory);
  inventory.on_disk.push_back(std::move(*file));
}

void record(const PartialRecord& partial, Inventory& inventory) {
  extract(inventory.files, partial.name);
  inventory.files.push_back(record_of(partial));
}

void restore(const std::string& name, Inventory& inventory) {
  const auto file = std::ranges::find(inventory.files, name, &FileRecord::name);
  if (file != inventory.files.end()) file->condition = Condition::whole;
}

void apply(const Repair& repair, const std::vector<FileRecord>& leaving, Inventory& inventory) {
  if (repair.kind == RepairKind::restore) return restore(repair.name, inventory);
  if (repair.kind == RepairKind::finish_removal) return drop(inventory.on_disk, repair.name, inventory);
  if (repair.kind == RepairKind::take_back) return inventory.files.push_back(*find(leaving, repair.name));
  if (repair.kind == RepairKind::drop_quarantined) return;
  const auto partial = extract(inventory.partials, repair.name);
  if (partial && repair.kind == RepairKind::publish) publish(*partial, inventory);
  if (partial && (repair.kind == RepairKind::publish || repair.kind == RepairKind::record)) record(*partial, inventory);
  drop(inventory.partials_on_disk, repair.name, inventory);
}

/// Those whose own file is whole, or those whose own file is not.
std::vector<PartialRecord> verified(const Inventory& inventory, bool whole) {
  std::vector<PartialRecord> partials;
  for (const PartialRecord& partial : inventory.partials)
    if (partial.verified && is_whole(partial, inventory) == whole) partials.push_back(partial);
  return partials;
}

/// The files whose removals are to be finished or taken back now.
std::vector<FileRecord> undecided(const Findings& findings) {
  if (!findings.inventory.unread.empty()) return {};
  std::vector<FileRecord> files = findings.leaving;
  std::erase_if(files, [&inventory = findings.inventory](const FileRecord& file) {
    const PartialRecord* partial = find(inventory.partials, file.name);
    return find(inventory.files, file.name) != nullptr || (partial != nullptr && partial->verified);
  });
  return files;
}

}  // namespace

std::vector<PartialRecord> to_compare(const Inventory& inventory) { return verified(inventory, false); }

std::vector<PartialRecord> to_check_again(const Inventory& inventory) { return verified(inventory, true); }

std::vector<FileRecord> withdrawn(const Findings& findings) {
  std::vector<FileRecord> files;
  for (const PartialRecord& partial : findings.inventory.partials) {
    if (!partial.verified || !is_forgotten(partial, findings)) continue;
    const FileRecord* file = find(findings.inventory.files, partial.name);
    if (file == nullptr || file->sha256.empty()) continue;
    if (loss(*file, find(findings.inventory.on_disk, partial.name)) == Reason::back_on_disk) files.push_back(*file);
  }
  return files;
}

std::vector<Repair> repairs(const Findings& findings) {
  std::vector<Repair> repairs;
  // Before their partials are forgotten: after a kill between the two, the next start finds both again.
  for (const std::string& name : findings.in_place) repairs.push_back({RepairKind::restore, name});
  for (const PartialRecord& partial : findings.inventory.partials)
    if (const auto kind = repair_of(partial, findings)) repairs.push_back({*kind, partial.name});
  for (const LocalFile& file : findings.inventory.partials_on_disk) {
    if (find(findings.inventory.partials, file.name) == nullptr)
      repairs.push_back({RepairKind::drop_orphan, file.name});
  }
  // A file that is downloaded again takes the quarantined one with it when it is published.
  for (const LocalFile& file : findings.quarantined) {
    const bool known = std::ranges::find(findings.inventory.quarantined, file.name, &QuarantinedFile::name) !=
                       findings.inventory.quarantined.end();
    if (!known && find(findings.inventory.partials, file.name) == nullptr &&
        find(findings.inventory.partials_on_disk, file.name) == nullptr)
      repairs.push_back({RepairKind::drop_quarantined, file.name});
  }
  return repairs;
}

std::vector<Repair> removal_repairs(const Findings& findings, const Policy& policy) {
  const Inventory& inventory = findings.inventory;
  Inventory taken_back = inventory;
  std::vector<std::string> gone;
  for (const FileRecord& file : undecided(findings)) {
    // Damaged or lost, somebody may have put the right bytes back: a cycle reads them.
    const LocalFile* copy = find(inventory.on_disk, file.name);
    if (copy == nullptr || copy->size != file.size)
      gone.push_back(file.name);
    else
      taken_back.files.push_back(file);
  }
  std::vector<std::string> due;
  for (const Action& action : removals(taken_back, policy).actions)
    if (removes_public_file(action)) due.push_back(action.name);
  std::vector<Repair> repairs;
  std::vector<Repair> finished;
  for (const FileRecord& file : undecided(findings)) {
    const bool is_over = contains(gone, file.name) || contains(due, file.name);
    (is_over ? finished : repairs).push_back({is_over ? RepairKind::finish_removal : RepairKind::take_back, file.name});
  }
  repairs.insert(repairs.end(), finished.begin(), finished.end());
  return repairs;
}

std::vector<Action> finished_removals(const Findings& findings, const std::vector<Repair>& repairs) {
  std::vector<Action> actions;
  for (const Repair& repair : repairs)
    if (const LocalFile* copy = find(findings.inventory.on_disk, repair.name);
        copy != nullptr && repair.kind == RepairKind::finish_removal)
      actions.push_back(pruned(*find(findings.leaving, repair.name), copy));
  return actions;
}

Inventory repaired(Findings findings, const std::vector<Repair>& repairs) {
  for (const Repair& repair : repairs) apply(repair, findings.leaving, findings.inventory);
  return std::move(findings.inventory);
}

Inventory with_unread(Inventory inventory) {
  for (const FileRecord& file : inventory.files)
    if (file.condition == Condition::whole && is_below(file.name, inventory.unread))
      inventory.on_disk.push_back({.name = file.name, .size = file.size, .allocated = file.size});
  std::ranges::sort(inventory.on_disk, {}, &LocalFile::name);
  return inventory;
}

Inventory rebuilt(Inventory inventory, std::vector<FileRecord> files) {
  inventory.files = std::move(files);
  return with_unread(std::move(inventory));
}

std::vector<std::string> lost_files(const Inventory& inventory) {
  std::vector<std::string> lost;
  for (const FileRecord& file : inventory.files)
    if (loss(file, find(inventory.on_disk, file.name))) lost.push_back(file.name);
  return lost;
}

FileRecord record_of(const PartialRecord& verified) {
  FileRecord file;
  file.kind = verified.kind;
  file.name = verified.name;
  file.date = verified.date;
  file.size = verified.size;
  file.sha256 = verified.sha256;
  file.etag = verified.etag;
  return file;
}

}  // namespace vtmirror::core
