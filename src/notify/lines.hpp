// What a program writes, cut into lines fit for the journal, and no more of them than somebody would read.
// Promises that a last line without an end is told too, and how many were left out.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace vtmirror::notify {

class Lines {
 public:
  static constexpr std::size_t longest = 1000;  ///< bytes of a line; the rest of it is left out
  static constexpr int most = 200;

  explicit Lines(std::function<void(std::string)> tell) : tell_(std::move(tell)) {}

  void add(std::string_view piece);
  /// After the last piece.
  void end();

 private:
  void finish_line();

  std::function<void(std::string)> tell_;
  std::string line_;
  int told_ = 0;
  std::size_t left_out_ = 0;
};

}  // namespace vtmirror::notify
