// What a running cycle has done so far and what failed in it, up to its report.
// Decides what counts: which removal is one of the mirror's files, which failure is over, and how the cycle ends.
// Pure, and makes no sentence.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/core/history.hpp"
#include "vtmirror/core/left_out.hpp"
#include "vtmirror/core/plan.hpp"

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace vtmirror::core {

/// Whether a wrong clock may be the cause: a link of the newest listing, which should have time left, was refused.
bool may_be_due_to_a_clock(const base::Error& error) noexcept;

/// The longest wait that a store asked for when one of these files failed; nothing if none was asked for.
std::optional<std::chrono::seconds> wait_of_stores(std::span<const Failure> failures);

class CycleTally {
 public:
  void adopted() { ++report_.files; }
  /// A refused entry counts as such; the failure counts if it is one of the cycle.
  void left_out(const LeftOut& file);
  /// An action that removes something was carried out. A removed file needs no report of its loss. A quarantined file
  /// was in no chain, and its space is free at once: it is not counted among those of the mirror.
  void removed(const Action& action);
  /// Without a name: a failure of the cycle itself.
  void failed(const base::Error& error, std::string name = {});
  /// The errors of files that could not be removed: failures of the cycle itself, one for each code and each thing that
  /// the errors are about. What all files share counts once, whatever its words.
  void stayed(std::span<const base::Error> errors);
  /// These are done now: what failed of their files before does not count any more.
  void begun(std::span<const Action> actions);
  /// The program was asked to stop while files waited for their download. Those files have no failure that says so.
  void stopped_waiting();

  /// Whether the cycle met no failure. Then its chain decides whether it is complete, because the chain may lack files
  /// that are no longer listed.
  bool has_to_ask_chain() const noexcept { return report_.failures.empty(); }
  /// What the chain lacks.
  void chain_lacks(std::vector<Failure> failures);

  /// `published` files were downloaded, with `bytes` bytes.
  CycleReport report(int published, std::int64_t bytes, base::Milliseconds took) const;

 private:
  void forget(const std::string& name);
  CycleReport report_;
};

}  // namespace vtmirror::core
