// Which held files are read again, and what was found. Only values.
#pragma once

#include "vtmirror/base/time.hpp"
#include "vtmirror/core/cause.hpp"
#include "vtmirror/core/chain.hpp"
#include "vtmirror/core/listing.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::core {

struct VerificationRequest {
  std::vector<std::string> names{};  ///< as `select_files` reads them; none means every file
  std::int64_t bytes_a_second = 0;   ///< at most; 0 is as fast as possible
};

enum class Verdict {
  whole,
  mended,   ///< it was damaged or lost, and somebody has put the right bytes back
  damaged,  ///< there, and not the bytes that were published, or not readable
  lost,     ///< not there
  unread,   ///< it could not be judged
  gone,     ///< no longer public, or replaced by another edition meanwhile
};
std::string_view name(Verdict verdict) noexcept;
std::optional<Verdict> verdict_named(std::string_view word) noexcept;

/// One file that was read again.
struct Finding {
  std::string name;
  std::int64_t size = 0;  ///< as it was published
  Verdict verdict{};
  Cause cause{};          ///< why it is not whole; without a subject
  bool listed = false;    ///< so that it can be downloaded again
  bool repaired = false;  ///< it was downloaded again since
};

/// Whether the file is damaged, lost or not judged, and was not downloaded again since.
bool is_wrong(const Finding& finding) noexcept;

struct VerificationReport {
  int files = 0;                    ///< that were judged
  int left = 0;                     ///< that were not, because it was stopped
  std::int64_t bytes = 0;           ///< that were read
  std::vector<Finding> findings{};  ///< in the order of the files; whole ones are left out
  base::Milliseconds took{};        ///< reading
  std::optional<Chain> chain{};     ///< as it is after it; empty if it could not be made
};

/// Whether a file is wrong that was judged.
bool found_wrong(const VerificationReport& report) noexcept;
/// Whether every file was judged and nothing is wrong.
bool is_clean(const VerificationReport& report) noexcept;

}  // namespace vtmirror::core
