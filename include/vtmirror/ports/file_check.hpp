// Checks of a file: which ones to make, what they find, and how to interrupt a long one.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace vtmirror::ports {

struct CheckRules {
  bool zip = true;     ///< the ZIP's directory and every member's checksum
  bool digest = true;  ///< SHA-256
  friend bool operator==(const CheckRules&, const CheckRules&) = default;
};

struct Checked {
  std::int64_t size = 0;
  std::string sha256;  ///< lower-case hex; empty if not requested
};

/// Called from time to time during work that may take minutes, with the bytes done so far; false ends it with
/// `cancelled`.
using Watch = std::function<bool(std::int64_t bytes_done)>;

}  // namespace vtmirror::ports
