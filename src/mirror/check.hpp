// Checks one whole file: size, digest, ZIP.
#pragma once

#include "mirror/tree.hpp"
#include "vtmirror/base/descriptor.hpp"
#include "vtmirror/base/result.hpp"
#include "vtmirror/ports/partials.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace vtmirror::mirror {

/// Counts what a long check has read and asks its Watch whether to continue, at least every 4 MiB of work.
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

// SHA-256 of a string and of a file, in lower-case hex.

std::string sha256(std::string_view text);

/// Reads the whole file in blocks of 1 MiB. Errors: io, cancelled.
base::Result<std::string> sha256(const base::Descriptor& file, const std::string& name, Tally& tally);

/// `path` is the file's place below the tree, `name` its name in errors. The Watch counts each pass over the file: with
/// digest and ZIP, up to twice its size. Errors: integrity, io, cancelled.
base::Result<ports::Checked> check_file(const Tree& tree, const std::string& path, const std::string& name,
                                        std::int64_t size, ports::CheckRules rules, const ports::Watch& watch);

}  // namespace vtmirror::mirror
