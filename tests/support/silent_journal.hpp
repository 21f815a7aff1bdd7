// A journal that keeps its events for tests to look at.
#pragma once

#include "vtmirror/ports/journal.hpp"

#include <algorithm>
#include <functional>
#include <vector>

namespace vtmirror::test {

class SilentJournal : public ports::Journal {
 public:
  void log(const ports::Event& event) override {
    events.push_back(event);
    if (heard) heard(event);
  }
  long count(ports::EventKind kind) const {
    return std::count_if(events.begin(), events.end(), [&](const auto& event) { return event.kind == kind; });
  }
  std::vector<ports::Event> events;
  std::function<void(const ports::Event&)> heard;
};

}  // namespace vtmirror::test
