// How the free space of the disk is assigned to downloads: each gets what is not allocated for it yet, and the reserve
// is never assigned. Pure.
#pragma once

#include "vtmirror/core/cause.hpp"

#include <cstdint>

namespace vtmirror::core {

/// What one download asks of the disk.
struct Fit {
  bool fits = false;
  std::int64_t needs = 0;  ///< bytes that are not allocated for it yet
  std::int64_t free = 0;   ///< bytes that are left for it beside the reserve; negative if the reserve itself is in use
  friend bool operator==(const Fit&, const Fit&) = default;
};

class Space {
 public:
  Space(std::int64_t free, std::int64_t reserve) : left_(free - reserve), reserve_(reserve) {}

  /// Bytes that become free before the first download begins.
  void add(std::int64_t freed) { left_ += freed; }
  /// Assigns space to a file of which `allocated` bytes are on disk already. Nothing is assigned if it does not fit. A
  /// file that needs nothing more always fits.
  Fit claim(std::int64_t size, std::int64_t allocated);

  std::int64_t reserve() const { return reserve_; }

 private:
  std::int64_t left_;
  std::int64_t reserve_;
};

/// The error for a file that does not fit, whenever that is found: when it is planned, or when it turns out larger.
base::Error does_not_fit(const Fit& fit, std::int64_t reserve);
/// The cause of that error: "needed", "free" and "reserve".
Cause no_room(const Fit& fit, std::int64_t reserve);

/// The bytes by which a file with these figures falls short.
inline std::int64_t shortfall(std::int64_t needs, std::int64_t free) { return needs > free ? needs - free : 0; }

/// Whether the file would fit if the reserve were lower. False for causes without these figures: then the disk itself
/// is full.
bool is_due_to_reserve(const Cause& cause);

}  // namespace vtmirror::core
