// What a command writes to stdout and stderr through the streams, kept for a test.
#pragma once

#include <iostream>
#include <sstream>
#include <string>

namespace vtmirror::test {

class Output {
 public:
  Output() : out_before_(std::cout.rdbuf(out_.rdbuf())), err_before_(std::cerr.rdbuf(err_.rdbuf())) {}
  ~Output() {
    std::cout.rdbuf(out_before_);
    std::cerr.rdbuf(err_before_);
  }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  std::string out() const { return out_.str(); }
  std::string err() const { return err_.str(); }

 private:
  std::ostringstream out_;
  std::ostringstream err_;
  std::streambuf* out_before_;
  std::streambuf* err_before_;
};

}  // namespace vtmirror::test
