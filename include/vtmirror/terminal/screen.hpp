// A whole terminal that is drawn again in place, and given back with what was on it before. Never reads anything.
#pragma once

#include <string>

namespace vtmirror::terminal {

class Screen {
 public:
  explicit Screen(int descriptor);
  ~Screen() { close(); }
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  /// Puts `text`, lines no wider than the terminal, in the place of what was drawn before. Of more lines than the
  /// terminal has rows the first ones are shown.
  void draw(const std::string& text);
  void open();
  void close();

 private:
  int descriptor_;
  bool open_ = false;
};

}  // namespace vtmirror::terminal
