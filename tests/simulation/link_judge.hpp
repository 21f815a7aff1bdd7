// Judges `current` as its readers see it: at any instant each directory of links leads to the bytes that it was made
// for, and stays for a day after it was replaced. Looks at the links and at what they lead to, and into no process.
#pragma once

#include "simulation/observer.hpp"
#include "simulation/probes.hpp"
#include "support/memory_storage.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace vtmirror::test {

/// Numbered bytes, made once.
class ExpectedBytes {
 public:
  const std::string& of(int version, std::int64_t size) {
    auto& bytes = made_[{version, size}];
    if (bytes.empty()) bytes = numbered_bytes(version, 0, size);
    return bytes;
  }
  /// Whether `bytes` are those of that size and digest.
  bool are(const std::string& bytes, const core::Held& file) {
    return std::ssize(bytes) == file.size && MemoryStorage::digest(bytes) == file.sha256 &&
           bytes == of(bytes.front(), file.size);
  }

 private:
  std::map<std::pair<int, std::int64_t>, std::string> made_;
};

class LinkJudge {
 public:
  /// `is_spoiled`: whether somebody has removed or damaged that file.
  LinkJudge(const MemoryStorage& storage, Observer& observer, Probes& probes,
            std::function<bool(const std::string&)> is_spoiled)
      : storage_(storage), observer_(observer), probes_(probes), is_spoiled_(std::move(is_spoiled)) {}

  void between_steps();  ///< of the shelf: a reader may look at any of them
  void check_all();      ///< also the directories that `current` has left
  void after_step();     ///< nothing is left to do but to wait
  void after_cycle();    ///< and nothing disturbed it
  void spoil(const std::string& name);
  void file_changed() { ++changes_; }  ///< a public file, by whatever
  void wipe();
  void clock_was_set();  ///< a day of the process may be shorter than one of the world now
  /// No process ran until now.
  void was_off() { back_at_ = observer_.now(); }
  /// The process died within a call: manifest and `current` may be of two publications until the next one.
  void was_cut() { is_cut_ = true; }
  void texts_written() { is_cut_ = false; }
  bool is_cut() const { return is_cut_; }

 private:
  /// What a link was made for.
  struct Promise {
    core::Held file;
    bool spoiled = false;
  };
  struct Directory {
    std::vector<Promise> promises;
    std::optional<base::Time> left{};  ///< `current` leads there no more
    bool may_go = false;               ///< earlier than a day after that
  };

  void note_directories();
  void note_new(const std::string& name, const MemoryLinks::Directory& links);
  void check_directory(const std::string& name, Directory& known);
  void check_current();
  void check_ages();
  void expect(bool as_promised, std::string_view promise, std::string_view of = {}) {
    observer_.expect(as_promised, promise, of);
  }

  const MemoryStorage& storage_;
  Observer& observer_;
  Probes& probes_;
  std::function<bool(const std::string&)> is_spoiled_;
  ExpectedBytes expected_;
  std::map<std::string, Directory> known_;
  bool is_cut_ = false;
  base::Time back_at_{};
  int changes_ = 0;
  std::pair<int, int> looked_{-1, -1};  ///< at the last look: changes of links, and of files
  int noted_ = -1;                      ///< changes of links
};

}  // namespace vtmirror::test
