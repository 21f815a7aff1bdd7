#include "notify/lines.hpp"

#include "vtmirror/base/text.hpp"

namespace vtmirror::notify {

void Lines::add(std::string_view piece) {
  while (!piece.empty()) {
    const auto end = piece.find('\n');
    const auto part = piece.substr(0, end);
    line_ += part.substr(0, longest - line_.size());
    if (end == std::string_view::npos) return;
    finish_line();
    piece.remove_prefix(end + 1);
  }
}

void Lines::end() {
  if (!line_.empty()) finish_line();
  if (left_out_ > 0) tell_("(" + std::to_string(left_out_) + (left_out_ == 1 ? " more line)" : " more lines)"));
}

void Lines::finish_line() {
  if (told_ == most) {
    ++left_out_;
  } else if (!base::trim(line_).empty()) {
    ++told_;
    tell_(base::printable(line_, longest));
  }
  line_.clear();
}

}  // namespace vtmirror::notify
