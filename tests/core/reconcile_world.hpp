// What `reconcile` compares, listing, catalogue, partials and disk, and what becomes of it when a plan is carried out.
// Promises nothing about bytes: a file that is fetched is held at once.
#pragma once

#include "vtmirror/core/reconcile.hpp"

#include <algorithm>
#include <cstdint>
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
  core::Listing listing;
  std::vector<core::FileRecord> records;
  std::vector<core::PartialRecord> partials;
  std::vector<core::LocalFile> on_disk;
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
    on_disk.push_back({file.name, file.size});
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
  }
  core::Plan plan() const { return core::reconcile(listing, records, partials, on_disk, policy); }

  void carry_out(const core::Plan& plan) {
    for (const core::Action& action : plan.actions) carry_out(action);
  }
  void carry_out(const core::Action& action) {
    const auto is_it = [&](const auto& item) { return item.name == action.name; };
    switch (action.kind) {
      case core::ActionKind::fetch:
      case core::ActionKind::resume:
      case core::ActionKind::fetch_again:
      case core::ActionKind::adopt:
        hold({action.file_kind, action.name, action.date, action.size});
        std::erase_if(partials, is_it);
        break;
      case core::ActionKind::prune:
        std::erase_if(records, is_it);
        std::erase_if(on_disk, is_it);
        break;
      case core::ActionKind::drop_partial:
        std::erase_if(partials, is_it);
        break;
      case core::ActionKind::keep:
      case core::ActionKind::refuse:
        break;
    }
  }
  void shuffle(Random& random) {
    std::shuffle(listing.entries.begin(), listing.entries.end(), random);
    std::shuffle(listing.refused.begin(), listing.refused.end(), random);
    std::shuffle(records.begin(), records.end(), random);
    std::shuffle(partials.begin(), partials.end(), random);
    std::shuffle(on_disk.begin(), on_disk.end(), random);
  }
};

}  // namespace vtmirror::test
