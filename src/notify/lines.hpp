// Splits a program's output into lines for the journal, and limits their length and number.
// Promises that a last line without a line end is logged too, and that the number of omitted lines is.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace vtmirror::notify {

class Lines {
 public:
  static constexpr std::size_t longest = 1000;  ///< bytes of a line; the rest is omitted
  static constexpr int most = 200;

  explicit Lines(std::function<void(std::string)> tell) : tell_(std::move(tell)) {}

  void add(std::string_view piece);
  /// Call after the last piece.
  void end();

 private:
  void finish_line();

  std::function<void(std::string)> tell_;
  std::string line_;
  int told_ = 0;
  std::size_t left_out_ = 0;
};

}  // namespace vtmirror::notify
