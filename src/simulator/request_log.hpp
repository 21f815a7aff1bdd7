// The log of finished requests: one line of JSON each, in a file that is flushed after each line. It contains
// everything that the client sent, secrets included, so that tests can prove where secrets were sent and where not.
#pragma once

#include "simulator/request.hpp"

#include "vtmirror/base/result.hpp"

#include <cstdint>
#include <fstream>
#include <mutex>
#include <string>
#include <vector>

namespace vtmirror::simulator {

struct LogEntry {
  std::uint64_t connection = 0;
  std::uint64_t sent = 0;
  bool complete = false;
};

class RequestLog {
 public:
  /// Errors: io.
  base::Result<void> open(const std::string& path);
  void add(const Request& request, const Answer& answer, const LogEntry& entry);
  /// All lines so far as one JSON array.
  std::string array();

 private:
  std::mutex mutex_;
  std::ofstream file_;
  std::vector<std::string> lines_;
};

}  // namespace vtmirror::simulator
