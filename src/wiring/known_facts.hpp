// What the catalogue held when it was read last, for the daemon's answers: a request needs no disk access.
// Promises the last facts that could be read, however many reads fail after them; a read that failed is never kept.
// Never waits: `read` is called on the caller's thread.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/report/metrics.hpp"

#include <functional>
#include <optional>
#include <utility>

namespace vtmirror::wiring {

class KnownFacts {
 public:
  using Read = std::function<base::Result<report::DaemonFacts>()>;

  /// `unknown`: the facts before the first read that succeeds.
  KnownFacts(Read read, report::DaemonFacts unknown) : read_(std::move(read)), facts_(std::move(unknown)) {}

  /// Reads if nothing was read since the last change, or the last read failed.
  const report::DaemonFacts& now() {
    if (is_current_) return facts_;
    auto read = read_();
    is_current_ = read.has_value();
    if (read) {
      facts_ = std::move(*read);
      fault_.reset();
    } else {
      fault_ = read.error();
    }
    return facts_;
  }
  /// After a change.
  void forget() noexcept { is_current_ = false; }
  /// Why the last read failed; empty: it did not.
  const std::optional<base::Error>& fault() const noexcept { return fault_; }

 private:
  Read read_;
  report::DaemonFacts facts_;
  std::optional<base::Error> fault_;
  bool is_current_ = false;
};

}  // namespace vtmirror::wiring
