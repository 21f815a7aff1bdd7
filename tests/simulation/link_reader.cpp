#include "simulation/link_reader.hpp"

#include <utility>

namespace vtmirror::test {

void LinkReader::begin() {
  if (!storage_.manifest || storage_.links.current().empty() || storage_.manifest->chain.files.empty()) return;
  probes_.saw(Probe::link_reader_began);
  reading_ = Reading{.manifest = *storage_.manifest, .directory = storage_.links.current(), .bytes = {}};
}

void LinkReader::read_one(const std::function<bool(const std::string&)>& is_spoiled) {
  if (!reading_ || files_left() == 0) return;
  const auto number = reading_->bytes.size();
  const auto& file = reading_->manifest.chain.files[number];
  const auto found = storage_.links.directories().find(reading_->directory);
  const bool is_there = found != storage_.links.directories().end();
  const auto* bytes = is_there ? storage_.bytes_of(found->second.at(number)) : nullptr;
  const bool is_right = bytes != nullptr && std::ssize(*bytes) == file.size &&
                        MemoryStorage::digest(*bytes) == file.sha256 && MemoryStorage::whole(*bytes);
  observer_.expect(is_right || is_spoiled(file.name),
                   "a reader of links reads what they were made for, for a day: ", file.name);
  if (!is_right) return stop();
  reading_->bytes.push_back(*bytes);
  if (files_left() > 0) return;
  probes_.saw(Probe::link_reader_finished_in_superseded_links, reading_->directory != storage_.links.current());
  loader_.follow(reading_->manifest, reading_->bytes, service_);
  loaded_ = reading_->manifest.edition.generation;
  probes_.saw(Probe::link_reader_joined, loader_.joins > 0);
  stop();
}

bool LinkReader::has_loaded_all() {
  const auto loaded = std::exchange(loaded_, -1);
  return storage_.manifest && storage_.manifest->edition.generation == loaded;
}

}  // namespace vtmirror::test
