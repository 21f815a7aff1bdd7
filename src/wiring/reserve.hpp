// Room on the catalogue's disk that is kept for the catalogue: a file beside it, of which a part is given back to the
// file system when a full disk would keep the catalogue from being opened, or a person from being notified of it.
// Promises that no more is given back than a start needs, that what is given back later leaves enough for a start, and
// that a failure to keep the space does not count as a failure of the mirror. Never used while another process holds
// the catalogue's lock, and by one thread at a time.
#pragma once

#include "vtmirror/base/result.hpp"

#include <cstdint>
#include <string>

namespace vtmirror::wiring {

class Reserve {
 public:
  /// Of the catalogue at that path.
  explicit Reserve(const std::string& catalogue);

  /// Gives a part of the room back, durably, so that other writes can use it. False if none is left.
  bool release() const;
  /// The same, but never of the half that the next start may need.
  bool spare() const;

  /// Takes as much room as is missing, or as the disk has. Errors: no_space, io.
  base::Result<void> keep() const;

 private:
  bool shrink(std::int64_t least) const;

  std::string path_;
};

}  // namespace vtmirror::wiring
