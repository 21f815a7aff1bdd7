#include "simulation/loader.hpp"

#include <algorithm>
#include <utility>

namespace vtmirror::test {

namespace {

bool is_prefix(const std::vector<core::Held>& shorter, const std::vector<core::Held>& longer) {
  return shorter.size() <= longer.size() && std::equal(shorter.begin(), shorter.end(), longer.begin());
}

}  // namespace

const std::string* bytes_of(const core::Held& file, const MemoryStorage& storage) {
  const auto found = storage.published.find(file.name);
  const auto is_it = [&file](const std::string& bytes) {
    return std::ssize(bytes) == file.size && MemoryStorage::digest(bytes) == file.sha256;
  };
  if (found != storage.published.end() && is_it(found->second)) return &found->second;
  return storage.held_bytes(file.sha256, file.size);
}

void Loader::follow(const ports::Manifest& manifest, const MemoryStorage& storage, const TrueService& service) {
  Bytes bytes;
  for (const auto& file : manifest.chain.files) {
    bytes.push_back(bytes_of(file, storage));
    if (bytes.back() == nullptr) return;
  }
  load(manifest, bytes, service);
}

void Loader::follow(const ports::Manifest& manifest, const std::vector<std::string>& bytes,
                    const TrueService& service) {
  Bytes pointers;
  for (const auto& each : bytes) pointers.push_back(&each);
  load(manifest, pointers, service);
}

void Loader::load(const ports::Manifest& manifest, const Bytes& bytes, const TrueService& service) {
  const auto& chain = manifest.chain;
  if (chain.files.empty()) return;
  if (std::exchange(session_, manifest.edition.session) != manifest.edition.session) loaded_.clear();
  const bool same_bulk = !loaded_.empty() && loaded_.front() == chain.files.front();
  if (same_bulk && is_prefix(chain.files, loaded_)) return;
  if (same_bulk && is_prefix(loaded_, chain.files)) {
    append(chain, loaded_.size(), bytes, service);
  } else if (joins_on(chain)) {
    ++joins;
    const auto& rests_on = chain.continues->assumes_absent;
    assumed_.insert(assumed_.end(), rests_on.begin(), rests_on.end());
    loaded_ = {chain.files.front()};
    append(chain, 1, bytes, service);
  } else {
    ++reloads;
    assumed_.clear();
    loaded_.clear();
    append(chain, 0, bytes, service);
  }
  generation_ = manifest.edition.generation;
}

bool Loader::assumes(base::Date day) const { return std::ranges::find(assumed_, day) != assumed_.end(); }

bool Loader::joins_on(const core::Chain& chain) const {
  if (loaded_.empty() || !chain.continues || !chain.continues->contiguous) return false;
  const auto& join = *chain.continues;
  if (strict_ && !join.assumes_absent.empty()) return false;
  return loaded_.back().name == join.after && loaded_.back().sha256 == join.sha256 && generation_ >= join.generation;
}

void Loader::append(const core::Chain& chain, std::size_t from, const Bytes& bytes, const TrueService& service) {
  for (auto n = from; n < chain.files.size(); ++n) {
    const auto& file = chain.files[n];
    const auto* edition = service.edition(file.name, bytes[n]->front());
    if (file.kind == core::Kind::bulk) table_.clear();
    for (const auto& [day_number, version] : edition->rows) table_[day_number] = version;
    loaded_.push_back(file);
  }
  for (const auto day : chain.absent_upstream) assumed_.push_back(day);
}

}  // namespace vtmirror::test
