// A consumer that goes by `vtmirror changes`: it knows what is held by what was published, superseded and removed since
// it last asked, appends what follows the deltas that it has loaded, and otherwise starts with the bulk file. Looks at
// the manifest only after a reset or in another session, and waits until its chain is complete.
#pragma once

#include "simulation/loader.hpp"
#include "simulation/probes.hpp"
#include "simulation/true_service.hpp"
#include "support/memory_storage.hpp"
#include "vtmirror/core/history.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace vtmirror::test {

class ChangesFollower {
 public:
  struct Answer {
    std::string session;
    std::int64_t generation = 0;
    std::vector<core::Change> changes;
  };

  ChangesFollower(const MemoryStorage& storage, const TrueService& service, Probes& probes)
      : storage_(storage), service_(service), probes_(probes) {}

  std::int64_t generation() const { return generation_; }  ///< of its next question
  void follow(const Answer& answer);
  /// False while one of the files cannot be read: it was lost from disk, say.
  bool has_loaded_all() const { return has_loaded_all_; }
  const Table& table() const { return table_; }

 private:
  bool must_start_again(const Answer& answer) const;
  bool start_again();  ///< false while the manifest's chain is incomplete
  void take(const core::Change& change);
  std::vector<core::Held> chain() const;
  void load();

  const MemoryStorage& storage_;
  const TrueService& service_;
  Probes& probes_;
  std::string session_;
  std::int64_t generation_ = 0;
  std::map<std::string, core::Held> held_;
  std::vector<core::Held> loaded_;
  Table table_;
  bool has_loaded_all_ = false;
};

}  // namespace vtmirror::test
