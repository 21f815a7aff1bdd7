#include "vtmirror/core/recovery.hpp"

#include "vtmirror/core/hindrance.hpp"

#include <algorithm>
#include <optional>

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

void apply(const Repair& repair, Inventory& inventory) {
  if (repair.kind == RepairKind::finish_removal) return drop(inventory.on_disk, repair.name, inventory);
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

}  // namespace

std::vector<PartialRecord> to_compare(const Inventory& inventory) { return verified(inventory, false); }

std::vector<PartialRecord> to_check_again(const Inventory& inventory) { return verified(inventory, true); }

std::vector<Repair> repairs(const Findings& findings) {
  std::vector<Repair> repairs;
  std::vector<std::string> public_again;
  for (const PartialRecord& partial : findings.inventory.partials) {
    const auto kind = repair_of(partial, findings);
    if (!kind) continue;
    repairs.push_back({*kind, partial.name});
    if (*kind == RepairKind::publish || *kind == RepairKind::record) public_again.push_back(partial.name);
  }
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
  for (const std::string& name : findings.leaving)
    if (!contains(public_again, name)) repairs.push_back({RepairKind::finish_removal, name});
  return repairs;
}

Inventory repaired(Inventory inventory, const std::vector<Repair>& repairs) {
  for (const Repair& repair : repairs) apply(repair, inventory);
  return inventory;
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
