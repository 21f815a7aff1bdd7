// A verification in words for people, and as JSON for those who follow it.
// Pure. Nothing is decided by the sentences.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/core/verification.hpp"
#include "vtmirror/ports/journal.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::report {

/// "delta 16 Nov is damaged: ...; the next cycle downloads it again": what was found of a file, and what can be done.
std::string sentence(const core::Finding& finding);

/// "verified 5 files (2.40 MB) in 12s: 1 is damaged, 1 was lost and downloaded again".
std::string summary(const core::VerificationReport& report);
/// What it means for the chain to load, in one sentence; empty if the chain is not known.
std::string chain_summary(const core::VerificationReport& report);

/// How far a verification is that the daemon was asked for.
struct VerificationStatus {
  base::Time started{};
  int files = 0;           ///< to read
  int done = 0;            ///< of these, read
  std::int64_t bytes = 0;  ///< of all files to read
  std::int64_t read = 0;   ///< of these bytes
  friend bool operator==(const VerificationStatus&, const VerificationStatus&) = default;
};
/// `progress`: of a verification that has begun.
VerificationStatus verification_status(const ports::CycleProgress& progress);
/// "2 of 5 files, 30.1% of 40.0 GB"
std::string progress_words(const VerificationStatus& verification);

/// The event `verifying` of the socket: how far it is.
std::string verifying_json(std::int64_t number, const ports::CycleProgress& progress);
/// What `verifying_json` wrote. Errors: protocol.
base::Result<ports::CycleProgress> parse_verifying(std::string_view json);

/// The number of a verification in any JSON that has one; 0 if it has none.
std::int64_t verification_number(std::string_view json);

/// The event `verification` of the socket: what came of it, and whether or why not it could be finished.
std::string verification_json(std::int64_t number, const core::VerificationReport& report,
                              const base::Result<void>& ended = {});

/// What a follower needs of it.
struct VerificationEnd {
  std::int64_t number = 0;
  bool clean = false;  ///< every file was judged and nothing is wrong
  /// Why it could not be finished; empty if it was. From an older daemon it is a sentence without a code.
  std::optional<core::Cause> stopped_by{};
  std::string summary;
  std::string chain;  ///< what it means for the chain to load
  int left = 0;
  std::vector<core::Finding> findings{};
};
/// What `verification_json` wrote. Errors: protocol.
base::Result<VerificationEnd> parse_verification(std::string_view json);

}  // namespace vtmirror::report
