// Lines at the bottom of a terminal that are redrawn in place, while other output scrolls above them.
// Hides the cursor while the lines are shown. Never reads from the terminal.
#pragma once

#include <string>
#include <vector>

namespace vtmirror::terminal {

class LiveBlock {
 public:
  explicit LiveBlock(int descriptor) : descriptor_(descriptor) {}
  ~LiveBlock() { close(); }
  LiveBlock(const LiveBlock&) = delete;
  LiveBlock& operator=(const LiveBlock&) = delete;

  /// Replaces the lines drawn before, in one write. If there are more lines than rows, only the last ones are drawn.
  void draw(std::vector<std::string> lines);
  /// Erases the block, so that something else can be printed; `draw_again` restores it.
  void clear();
  void draw_again();
  /// Erases the block and shows the cursor. Call it before the process ends or is suspended.
  void close();

 private:
  std::string erasure() const;

  int descriptor_;
  bool cursor_hidden_ = false;
  bool drawn_ = false;
  std::vector<std::string> lines_;
};

}  // namespace vtmirror::terminal
