// Counts what a long check has read and asks its Watch whether to continue, at least every 4 MiB of work.
#pragma once

#include "vtmirror/ports/file_check.hpp"

#include <cstdint>
#include <utility>

namespace vtmirror::mirror {

class Tally {
 public:
  explicit Tally(ports::Watch watch) : watch_(std::move(watch)) {}

  /// Reports that `read` bytes of the file are done, with `work` bytes of hashing or inflating. False: stop.
  bool add(std::int64_t read, std::int64_t work) {
    read_ += read;
    work_ += work;
    return work_ < step || ask();
  }
  bool ask() {
    work_ = 0;
    return !watch_ || watch_(read_);
  }

 private:
  static constexpr std::int64_t step = std::int64_t{4} << 20;
  ports::Watch watch_;
  std::int64_t read_ = 0;
  std::int64_t work_ = 0;
};

}  // namespace vtmirror::mirror
