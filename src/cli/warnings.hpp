// Of `config check`: what the daemon survives.
// Promises that each is counted, so that the last line does not deny them.
#pragma once

#include "cli/say.hpp"
#include "vtmirror/settings/load.hpp"

#include <string>
#include <utility>

namespace vtmirror::cli {

class Warnings {
 public:
  explicit Warnings(std::string file) : file_(std::move(file)) {}
  void add(settings::Position at, const std::string& key, const std::string& what) {
    ++count_;
    say(settings::mistake_line(file_, {at, "", "warning: " + key + ": " + what}), '\n');
  }
  int count() const { return count_; }

 private:
  std::string file_;
  int count_ = 0;
};

}  // namespace vtmirror::cli
