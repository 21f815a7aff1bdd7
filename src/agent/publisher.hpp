// The last steps of a file: from a verified partial to a public name, and the manifest that names it.
// Promises the order of ARCHITECTURE.md, "The life of a file": `recover` finishes a publication that was cut off
// between any two steps.
#pragma once

#include "agent/off_loop.hpp"
#include "agent/wake.hpp"
#include "vtmirror/agent/agent.hpp"
#include "vtmirror/core/plan.hpp"
#include "vtmirror/core/reconcile.hpp"

#include <atomic>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace vtmirror::agent {

/// Files that were to be removed and were not, each with its error: catalogue, catalogue_busy, io, no_space, cancelled.
using Staying = std::map<std::string, base::Error>;

/// What became of removals that were recorded earlier.
struct LateRemovals {
  std::vector<core::Action> done;
  Staying stay;
};

/// A failure of the catalogue, a full disk and a stop concern more than the file at which they occurred.
bool is_of_one_file(const base::Error& error);
/// Whether the remaining files are tried after this error. A full disk may have room for a smaller file, and removals
/// make some.
bool spares_others(const base::Error& error);

class Publisher {
 public:
  /// `stopping` is read on threads of the pool.
  Publisher(Ports ports, CatalogueCalls& calls, const std::atomic<bool>& stopping)
      : ports_(ports), calls_(calls), stopping_(stopping), turn_(ports.loop, 1) {}

  /// Publishes a partial that has passed its checks. The slow part runs beside other publications, the rest one at a
  /// time.
  boost::asio::awaitable<base::Result<void>> publish(core::PartialRecord verified);

  /// Adds a file that is already public, complete and checked to the catalogue.
  boost::asio::awaitable<base::Result<void>> adopt(core::FileRecord file);

  /// Removes public files in one generation, and returns those that stay. What fails behind the record is left to
  /// `finish_late`.
  boost::asio::awaitable<Staying> remove(std::vector<core::Action> prunes);

  /// Decides anew about each removal that was recorded and is not finished, in whatever process: the file is removed,
  /// or is public again. Errors: of what concerns more than one file.
  boost::asio::awaitable<base::Result<LateRemovals>> finish_late(core::Policy policy);

  /// Makes the shelf's manifest, digests and `current` match the catalogue. Changes nothing if they do already.
  boost::asio::awaitable<base::Result<void>> refresh();

  /// What lay in the place of a text when the texts were last written; the other texts were written. While anything
  /// does, their generation does not count as written, and notices about it wait.
  const std::vector<core::Cause>& obstacles() const { return obstacles_; }

  /// As `Agent::stamp`.
  boost::asio::awaitable<void> stamp(NextCheck next);

 private:
  boost::asio::awaitable<base::Result<void>> stage(ports::VerifiedFile file);
  /// Keeps the bytes that are public under that name for readers of older manifests, unless the digest of the bytes
  /// that replace them is the same.
  boost::asio::awaitable<base::Result<void>> hold(std::string name, std::string next_digest);
  /// Takes a name out of manifest, digests and `current` before other bytes get it, so that they never name bytes
  /// that the disk does not have. Writes nothing for a name that has no other public version.
  boost::asio::awaitable<base::Result<void>> withdraw(core::PartialRecord next);
  boost::asio::awaitable<base::Result<void>> record(core::FileRecord file);
  boost::asio::awaitable<base::Result<void>> write_manifest();
  boost::asio::awaitable<Staying> hold_all(const std::vector<core::Action>& prunes);
  boost::asio::awaitable<Staying> remove_held(std::vector<core::Action> prunes);
  /// The last step of a removal, when the manifest no longer names the files. Returns those that stay, or whose end
  /// could not be recorded.
  boost::asio::awaitable<Staying> finish_removals(std::vector<std::string> names);
  /// Adds a file whose removal was recorded, and that is still public, to the catalogue again.
  boost::asio::awaitable<base::Result<void>> take_back(std::string name);
  boost::asio::awaitable<base::Result<void>> renew_stamps();
  /// Reports each obstacle once.
  void note_obstacles(std::vector<core::Cause> found);
  void log_superseded(const core::FileRecord& before, std::int64_t generation);

  Ports ports_;
  CatalogueCalls& calls_;
  const std::atomic<bool>& stopping_;
  Slots turn_;
  std::vector<core::Cause> obstacles_;
  std::optional<NextCheck> next_check_;
  bool stamped_ = false;  ///< the manifest on the shelf says `next_check_`
};

}  // namespace vtmirror::agent
