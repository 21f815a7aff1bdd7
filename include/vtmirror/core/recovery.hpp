// Decides what a start repairs, however the last process ended: from what the catalogue says and what lies on disk,
// before anything is changed. The repairs are carried out by `recover`, and a dry run plans over what they would
// leave. Pure: carrying them out and deciding again gives no repair.
#pragma once

#include "vtmirror/core/reconcile.hpp"

#include <string>
#include <vector>

namespace vtmirror::core {

/// What is found at a start.
struct Findings {
  Inventory inventory;
  std::vector<FileRecord> leaving;   ///< as they were when they were removed from the catalogue; perhaps still on disk
  std::vector<std::string> renamed;  ///< of `to_compare`, those whose public file has the partial's digest
  /// Of both lists below, those whose file cannot be read now. It may be ours: their records are left as they are.
  std::vector<std::string> unread{};
  std::vector<std::string> altered{};    ///< of `to_check_again`, those whose bytes are not the ones that were checked
  std::vector<std::string> in_place{};   ///< of `withdrawn`, those whose bytes are the published ones
  std::vector<LocalFile> quarantined{};  ///< in the quarantine on disk
};

enum class RepairKind {
  restore,           ///< a public file that was withdrawn for an edition that is lost, and that is still in its place
  publish,           ///< a verified partial: only its publication is missing
  record,            ///< a verified partial that is public already: only the record is missing
  forget_missing,    ///< a partial whose file is gone: it is downloaded from the start
  forget_cut,        ///< a partial whose file has less than the catalogue says is durable: the same
  forget_altered,    ///< a verified partial whose file has other bytes since then: the same
  drop_orphan,       ///< an unfinished file that the catalogue does not know
  drop_quarantined,  ///< a file in the quarantine that the catalogue does not know there
  take_back,         ///< a public file whose removal was recorded, and which would not be removed now
  finish_removal,    ///< the same, which would be removed now, or is not on disk as it was
};

struct Repair {
  RepairKind kind{};
  std::string name;
  friend bool operator==(const Repair&, const Repair&) = default;
};

/// Verified partials whose own file is not whole: they may be public already, which only their public file's digest
/// can say.
std::vector<PartialRecord> to_compare(const Inventory& inventory);

/// Verified partials whose own file is whole. While no process ran, anything may have happened to its bytes.
std::vector<PartialRecord> to_check_again(const Inventory& inventory);

/// Public files that the catalogue has as lost because the next edition was about to take their place, and that this
/// start must download again. The public file may still be the old one, which only its digest can say.
std::vector<FileRecord> withdrawn(const Findings& findings);

/// Of partials, orphans and the quarantine, in the order in which they are to be carried out.
std::vector<Repair> repairs(const Findings& findings);

/// What becomes of removals that were cut off, or failed. `findings.inventory` is what the mirror has after `repairs`.
/// A removal is finished if the plan would remove the file now as well; if not, because the newer chain has lost a file
/// since then or other settings apply, it is taken back. Those that are taken back come first: manifest and digests
/// are written between them and the others, so that they name no file that is missing. A file is in neither group, and
/// its removal waits for the next start, while another edition of it waits for its publication, or while a directory
/// cannot be read: what the file is needed for may lie there.
std::vector<Repair> removal_repairs(const Findings& findings, const Policy& policy);

/// The removals that `removal_repairs` finishes, of files that are still on disk.
std::vector<Action> finished_removals(const Findings& findings, const std::vector<Repair>& repairs);

/// What the mirror has when all of `repairs` are done.
Inventory repaired(Findings findings, const std::vector<Repair>& repairs);

/// Adds to `on_disk` the held files below directories that cannot be read, as the catalogue has them: they are neither
/// lost nor damaged until somebody can look.
Inventory with_unread(Inventory inventory);

/// `inventory` with the files of a rebuilt catalogue, with those below directories that cannot be read.
Inventory rebuilt(Inventory inventory, std::vector<FileRecord> files);

/// Held files that are not on disk as the catalogue has them. No repair brings them back: a cycle asks the service.
std::vector<std::string> lost_files(const Inventory& inventory);

/// The record that a verified partial becomes; without the time of its publication.
FileRecord record_of(const PartialRecord& verified);

}  // namespace vtmirror::core
