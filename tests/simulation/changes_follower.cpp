#include "simulation/changes_follower.hpp"

#include <algorithm>
#include <utility>

namespace vtmirror::test {

void ChangesFollower::follow(const Answer& answer) {
  if (must_start_again(answer)) {
    has_loaded_all_ = false;
    if (!start_again()) return;
  } else {
    session_ = answer.session;
    for (const auto& change : answer.changes) take(change);
    generation_ = answer.generation;
  }
  load();
}

bool ChangesFollower::must_start_again(const Answer& answer) const {
  const bool is_reset = !answer.changes.empty() && answer.changes.front().kind == core::ChangeKind::reset;
  return is_reset || (!session_.empty() && session_ != answer.session);
}

bool ChangesFollower::start_again() {
  const auto& manifest = *storage_.manifest;
  probes_.saw(Probe::changes_reset_while_the_chain_is_incomplete, !manifest.chain.complete);
  if (!manifest.chain.complete) return false;
  probes_.saw(Probe::changes_reset);
  session_ = manifest.edition.session;
  generation_ = manifest.edition.generation;
  held_.clear();
  loaded_.clear();
  for (const auto& file : manifest.chain.files) held_[file.name] = file;
  return true;
}

void ChangesFollower::take(const core::Change& change) {
  const auto& file = change.file;
  if (change.kind == core::ChangeKind::published) {
    held_[change.name] = {change.file_kind, change.name, file.date, file.size, file.sha256, 0};
    return;
  }
  const auto found = held_.find(change.name);
  if (found != held_.end() && found->second.sha256 == file.sha256) held_.erase(found);
}

std::vector<core::Held> ChangesFollower::chain() const {
  std::vector<core::Held> files;
  for (const auto& [name, file] : held_)
    if (file.kind == core::Kind::bulk && (files.empty() || files.front().date < file.date)) files = {file};
  if (files.empty()) return files;
  for (const auto& [name, file] : held_)
    if (file.kind == core::Kind::delta && file.date >= files.front().date) files.push_back(file);
  std::ranges::sort(files.begin() + 1, files.end(), {}, &core::Held::date);
  return files;
}

void ChangesFollower::load() {
  const auto files = chain();
  std::vector<const std::string*> bytes;
  for (const auto& file : files) bytes.push_back(bytes_of(file, storage_));
  has_loaded_all_ = !files.empty() && std::ranges::count(bytes, nullptr) == 0;
  if (!has_loaded_all_) return;
  const bool goes_on =
      !loaded_.empty() && loaded_.size() <= files.size() && std::equal(loaded_.begin(), loaded_.end(), files.begin());
  if (!goes_on) loaded_.clear();
  const auto from = loaded_.size();
  probes_.saw(Probe::changes_reloaded, from == 0);
  probes_.saw(Probe::changes_appended, from > 0 && from < files.size());
  for (auto n = from; n < files.size(); ++n) {
    const auto* edition = service_.edition(files[n].name, bytes[n]->front());
    if (n == 0) table_.clear();
    for (const auto& [day_number, version] : edition->rows) table_[day_number] = version;
    loaded_.push_back(files[n]);
  }
}

}  // namespace vtmirror::test
