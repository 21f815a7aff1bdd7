// Room on the catalogue's disk that is kept for the catalogue: a file beside it, of which a part is given back to the
// file system when a full disk would keep the catalogue from being opened.
// Promises that no more is given back than a start needs, and that a failure to keep the room is no failure of the
// mirror. Never used while another process holds the catalogue's lock.
#pragma once

#include "vtmirror/base/result.hpp"

#include <string>

namespace vtmirror::wiring {

class Reserve {
 public:
  /// Of the catalogue at that path.
  explicit Reserve(const std::string& catalogue);

  /// Gives a part of the room back, durably, so that other writes can use it. False if none is left.
  bool release() const;

  /// Takes as much room as is missing, or as the disk has. Errors: no_space, io.
  base::Result<void> keep() const;

 private:
  std::string path_;
};

}  // namespace vtmirror::wiring
