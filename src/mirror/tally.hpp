// Counts what a long check has done and asks its Watch whether to continue.
// Promises to ask at least every 4 MiB of work. Never stops anything itself.
#pragma once

#include "vtmirror/ports/partials.hpp"

#include <cstdint>
#include <string>
#include <utility>

namespace vtmirror::mirror {

class Tally {
 public:
  /// `read`: the bytes that earlier calls have read, which the Watch counts too.
  explicit Tally(ports::Watch watch, std::int64_t read = 0) : watch_(std::move(watch)), read_(read) {}

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
  std::int64_t read() const { return read_; }

 private:
  static constexpr std::int64_t step = std::int64_t{4} << 20;
  ports::Watch watch_;
  std::int64_t read_ = 0;
  std::int64_t work_ = 0;
};

/// What a check of the file returns when its Watch says stop.
inline base::Error cancelled(const std::string& name) { return {.code = base::Errc::cancelled, .detail = name}; }

}  // namespace vtmirror::mirror
