// What `reconcile` compares, listing, catalogue, partials and disk, and what becomes of it when a plan is carried out.
// Promises nothing about bytes: a file that is fetched is held at once. Its disk gets full.
#pragma once

#include "vtmirror/core/reconcile.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "support/upstream.hpp"

namespace vtmirror::test {

/// So many bytes from a file's beginning.
inline core::RangeSet durable_bytes(std::int64_t count) {
  core::RangeSet bytes;
  bytes.add({0, count});
  return bytes;
}

struct World {
  core::Calendar history;  ///< what was listed before
  core::Listing listing;
  std::vector<core::FileRecord> records;
  std::vector<core::PartialRecord> partials;
  std::vector<core::LocalFile> on_disk;
  std::vector<core::LocalFile> partials_on_disk;
  std::vector<core::QuarantinedFile> quarantined;
  std::vector<std::string> failed_checks;
  std::int64_t free_space = std::int64_t{1} << 50;
  core::Policy policy;

  void list(const std::vector<core::Listed>& files) {
    listing.entries.clear();
    for (const core::Listed& file : files) listing.entries.push_back({file.kind, file.name, file.size, file.date, {}});
  }
  void record(const core::Listed& file) {
    std::erase_if(records, [&](const core::FileRecord& record) { return record.name == file.name; });
    records.push_back({file.kind, file.name, file.date, file.size, "digest", "etag", {}});
  }
  void store(const core::Listed& file) {
    std::erase_if(on_disk, [&](const core::LocalFile& local) { return local.name == file.name; });
    on_disk.push_back({file.name, file.size, file.size});
  }
  void hold(const core::Listed& file) {
    record(file);
    store(file);
  }
  void hold(const std::vector<core::Listed>& files) {
    for (const core::Listed& file : files) hold(file);
  }
  void begin(const core::Listed& file, std::int64_t durable) {
    partials.push_back({file.name, file.kind, file.date, file.size, "", durable_bytes(durable)});
    partials_on_disk.push_back({file.name, file.size, durable});
  }
  core::Inventory inventory() const {
    return {history, records, partials, quarantined, on_disk, partials_on_disk, free_space, failed_checks};
  }
  core::Plan plan(core::Try which = core::Try::first) const {
    return core::reconcile(listing, inventory(), policy, which);
  }
  std::vector<core::Action> removals_due(const core::Plan& plan) const {
    return core::removals_due(plan, listing, inventory(), policy);
  }

  /// What is in `failing` does not come. Returns the removals that were carried out after the downloads.
  std::vector<core::Action> carry_out(const core::Plan& plan, const std::set<std::string>& failing = {}) {
    make_room(plan);
    for (const core::Action& action : plan.actions) {
      const bool brings = action.kind == core::ActionKind::adopt || core::downloads(action);
      if (brings && !failing.contains(action.name)) publish(action);
    }
    std::vector<core::Action> due = removals_due(plan);
    for (const core::Action& action : due) remove(action);
    return due;
  }
  /// Before the downloads.
  void make_room(const core::Plan& plan) {
    for (const core::Action& action : plan.actions)
      if (core::goes_first(action)) remove(action);
  }
  void publish(const core::Action& action) {
    if (core::downloads(action)) free_space += allocated(partials_on_disk, action.name) - action.size;
    if (core::downloads(action)) free_space += allocated(on_disk, action.name);
    hold({action.file_kind, action.name, action.date, action.size});
    forget(action.name, partials, partials_on_disk);
  }
  /// A download that broke, of which so much is durable.
  void stop(const core::Action& action, std::int64_t durable) {
    free_space += allocated(partials_on_disk, action.name) - durable;
    forget(action.name, partials, partials_on_disk);
    begin({action.file_kind, action.name, action.date, action.size}, durable);
  }
  void remove(const core::Action& action) {
    if (action.reason == core::Reason::quarantine_over) {
      std::erase_if(quarantined, [&action](const core::QuarantinedFile& file) { return file.name == action.name; });
      free_space += action.size;
      return;
    }
    const bool prunes = action.kind == core::ActionKind::prune;
    free_space += allocated(prunes ? on_disk : partials_on_disk, action.name);
    prunes ? forget(action.name, records, on_disk) : forget(action.name, partials, partials_on_disk);
  }
  void shuffle(Random& random) {
    std::shuffle(listing.entries.begin(), listing.entries.end(), random);
    std::shuffle(listing.refused.begin(), listing.refused.end(), random);
    std::shuffle(records.begin(), records.end(), random);
    std::shuffle(partials.begin(), partials.end(), random);
    std::shuffle(on_disk.begin(), on_disk.end(), random);
    std::shuffle(partials_on_disk.begin(), partials_on_disk.end(), random);
  }

 private:
  static std::int64_t allocated(const std::vector<core::LocalFile>& files, const std::string& name) {
    const auto found = std::ranges::find(files, name, &core::LocalFile::name);
    return found == files.end() ? 0 : found->allocated;
  }
  template <class Records>
  static void forget(const std::string& name, Records& records, std::vector<core::LocalFile>& files) {
    std::erase_if(records, [&](const auto& record) { return record.name == name; });
    std::erase_if(files, [&](const core::LocalFile& file) { return file.name == name; });
  }
};

}  // namespace vtmirror::test
