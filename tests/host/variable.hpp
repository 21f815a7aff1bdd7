// An environment variable for as long as a test case lasts; afterwards it is what it was.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

namespace vtmirror::host {

class Variable {
 public:
  /// Without a value the variable is taken away.
  Variable(std::string name, const std::optional<std::string>& value) : name_(std::move(name)) {
    if (const char* found = std::getenv(name_.c_str())) before_ = found;
    set(value);
  }
  ~Variable() { set(before_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  void set(const std::optional<std::string>& value) const {
    if (value)
      ::setenv(name_.c_str(), value->c_str(), 1);
    else
      ::unsetenv(name_.c_str());
  }

  std::string name_;
  std::optional<std::string> before_;
};

}  // namespace vtmirror::host
