// A program that a test runs: its output is kept, and it never outlives the test.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace vtmirror::test {

struct Ended {
  int status = -1;  ///< exit status, or 128 + signal
  std::string out;
  std::string err;
};

class Child {
 public:
  /// `environment`: NAME=VALUE, added to this process's own.
  explicit Child(const std::vector<std::string>& command, const std::vector<std::string>& environment = {});
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t pid() const { return pid_; }
  void signal(int number);
  /// Reads on until `enough` says so of what came on stdout and stderr, or the program ends. False when it ended first.
  bool read_until(const std::function<bool(const Ended&)>& enough);
  /// Waits for the end; a program that takes longer than two minutes is killed, and its status says so.
  Ended wait();
  const Ended& so_far() const { return ended_; }

 private:
  bool read_some(int timeout_ms);

  pid_t pid_ = -1;
  int out_ = -1;
  int err_ = -1;
  Ended ended_;
};

/// What all children wrote that have ended, stdout and stderr, in the order of their ends.
std::vector<std::string>& everything_said();

Ended run(const std::vector<std::string>& command, const std::vector<std::string>& environment = {});

}  // namespace vtmirror::test
