// A program that loads what `current` leads to, slowly: it opens the directory of links, and reads a file now and the
// next one hours later, all within a day. Its table is that of a loader that goes by the manifest of that moment.
#pragma once

#include "simulation/loader.hpp"
#include "simulation/observer.hpp"
#include "simulation/probes.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace vtmirror::test {

class LinkReader {
 public:
  LinkReader(const MemoryStorage& storage, const TrueService& service, Observer& observer, Probes& probes)
      : storage_(storage), service_(service), observer_(observer), probes_(probes) {}

  /// Its reading lasts at most a day.
  void begin();
  bool is_reading() const { return reading_.has_value(); }
  std::size_t files_left() const {
    return reading_ ? reading_->manifest.chain.files.size() - reading_->bytes.size() : 0;
  }
  /// `is_spoiled`: somebody removes or damages files, so that some are not readable.
  void read_one(const std::function<bool(const std::string&)>& is_spoiled);
  /// True if it has just loaded what the manifest says now.
  bool has_loaded_all();
  void stop() { reading_.reset(); }  ///< it is killed, or nobody can promise it anything
  void wipe() {
    reading_.reset();
    loader_ = Loader(false);
    loaded_ = -1;
  }
  const Loader& loader() const { return loader_; }

 private:
  struct Reading {
    ports::Manifest manifest;
    std::string directory;
    std::vector<std::string> bytes;
  };

  const MemoryStorage& storage_;
  const TrueService& service_;
  Observer& observer_;
  Probes& probes_;
  Loader loader_{false};
  std::optional<Reading> reading_;
  std::int64_t loaded_ = -1;  ///< the generation of the last manifest that it loaded by
};

}  // namespace vtmirror::test
