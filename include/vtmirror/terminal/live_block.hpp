// Some lines at the end of a terminal that are drawn again in place, while other lines scroll away above them.
// Hides the cursor while it is there and gives it back when it goes. Never reads anything.
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

  /// Puts `lines` in the place of those drawn before, in one write. Of more lines than the terminal has rows the last
  /// ones are drawn.
  void draw(std::vector<std::string> lines);
  /// Takes the block away, so that something else can be printed; `draw_again` puts it back.
  void clear();
  void draw_again();
  /// Takes the block away for good, and shows the cursor. Fit for the moment before the process ends or stops.
  void close();

 private:
  std::string erasure() const;

  int descriptor_;
  bool cursor_hidden_ = false;
  bool drawn_ = false;
  std::vector<std::string> lines_;
};

}  // namespace vtmirror::terminal
