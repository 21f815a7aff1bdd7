#include "wiring/known_facts.hpp"

namespace vtmirror::wiring {

const report::DaemonFacts& KnownFacts::now() {
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

}  // namespace vtmirror::wiring
