// A full-screen view on the alternate screen; closing it restores the terminal. Never reads from the terminal.
#pragma once

#include <string>

namespace vtmirror::terminal {

class Screen {
 public:
  explicit Screen(int descriptor);
  ~Screen() { close(); }
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  /// Replaces what was drawn before by `text`, whose lines are no wider than the terminal. If there are more lines than
  /// rows, only the first ones are shown.
  void draw(const std::string& text);
  void open();
  void close();

 private:
  int descriptor_;
  bool open_ = false;
};

}  // namespace vtmirror::terminal
