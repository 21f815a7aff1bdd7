#include "vtmirror/terminal/live_block.hpp"

#include <doctest/doctest.h>

#include <unistd.h>

#include <array>
#include <string>

namespace vtmirror::terminal {
namespace {

/// What a block has written, by way of a pipe; 80 columns and 24 rows are taken where there is no terminal.
class Pipe {
 public:
  Pipe() { REQUIRE(::pipe(ends_.data()) == 0); }
  ~Pipe() {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int end() const { return ends_[1]; }
  std::string take() {
    std::array<char, 8192> buffer{};
    // A mark behind what was written, so that reading ends without waiting.
    REQUIRE(::write(ends_[1], "$", 1) == 1);
    const auto count = ::read(ends_[0], buffer.data(), buffer.size());
    return std::string(buffer.data(), static_cast<std::size_t>(count - 1));
  }

 private:
  std::array<int, 2> ends_{};
};

TEST_CASE("lines are drawn in the place of those before, with the cursor hidden") {
  Pipe pipe;
  LiveBlock block(pipe.end());
  block.draw({"one", "two"});
  CHECK(pipe.take() == "\x1b[?25lone\ntwo\n");
  block.draw({"three"});
  CHECK(pipe.take() == "\x1b[2A\r\x1b[Jthree\n");
  block.close();
  CHECK(pipe.take() == "\x1b[1A\r\x1b[J\x1b[?25h");
}

TEST_CASE("a block gives way to what is printed above it, and comes back") {
  Pipe pipe;
  LiveBlock block(pipe.end());
  block.clear();
  block.draw_again();
  CHECK(pipe.take().empty());
  block.draw({"one"});
  pipe.take();
  block.clear();
  CHECK(pipe.take() == "\x1b[1A\r\x1b[J");
  block.draw_again();
  CHECK(pipe.take() == "one\n");
}

TEST_CASE("a block that was never drawn leaves nothing behind") {
  Pipe pipe;
  { LiveBlock block(pipe.end()); }
  CHECK(pipe.take().empty());
}

TEST_CASE("a line that wraps is taken away with all its rows") {
  Pipe pipe;
  LiveBlock block(pipe.end());
  block.draw({std::string(81, 'x'), "y"});
  pipe.take();
  block.clear();
  CHECK(pipe.take() == "\x1b[3A\r\x1b[J");
}

TEST_CASE("no more lines are drawn than fit on the terminal") {
  Pipe pipe;
  LiveBlock block(pipe.end());
  std::vector<std::string> lines(40, "x");
  lines.back() = "the whole";
  block.draw(lines);
  CHECK(pipe.take().ends_with("x\nthe whole\n"));
  block.clear();
  CHECK(pipe.take() == "\x1b[23A\r\x1b[J");
}

}  // namespace
}  // namespace vtmirror::terminal
