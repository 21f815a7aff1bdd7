// Counts what a long check has done, holds it to its rate, and asks its Watch whether to continue.
// Promises to ask at least every 4 MiB of work. Never stops anything itself.
#pragma once

#include "mirror/pace.hpp"
#include "vtmirror/ports/partials.hpp"

#include <cstdint>
#include <string>
#include <utility>

namespace vtmirror::mirror {

class Tally {
 public:
  /// `read`: the bytes that earlier calls have read, which the Watch counts too. `pace` must outlive it.
  explicit Tally(ports::Watch watch, std::int64_t read = 0, Pace* pace = nullptr)
      : watch_(std::move(watch)), read_(read), pace_(pace) {}

  /// Reports that `read` bytes of the file are done, with `work` bytes of hashing or inflating, and waits until the
  /// next may be read. False: stop.
  bool add(std::int64_t read, std::int64_t work) {
    read_ += read;
    work_ += work;
    if (pace_ != nullptr && !pace_->wait(read, [this] { return ask(); })) return false;
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
  Pace* pace_;
};

/// What a check of the file returns when its Watch says stop.
inline base::Error cancelled(const std::string& name) { return {.code = base::Errc::cancelled, .detail = name}; }

}  // namespace vtmirror::mirror
