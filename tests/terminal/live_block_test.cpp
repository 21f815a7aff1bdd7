#include "vtmirror/terminal/live_block.hpp"

#include <doctest/doctest.h>

#include <unistd.h>

#include <array>
#include <map>
#include <optional>
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

ports::CycleProgress half_done() {
  ports::CycleProgress progress;
  progress.files = 1;
  progress.bytes = 200;
  progress.received = 100;
  return progress;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_CASE("a terminal that shows a progress of its own gets each change of it, and its end") {
  Pipe pipe;
  LiveBlock block(pipe.end(), {.progress = true});
  auto progress = half_done();
  progress.step = ports::Step::listing;
  block.show(progress, {}, {});
  CHECK(has(pipe.take(), "\x1b]9;4;3\x1b\\"));
  block.show(half_done(), {}, {});
  CHECK(has(pipe.take(), "\x1b]9;4;1;50\x1b\\"));
  block.show(half_done(), {}, {});
  CHECK_FALSE(has(pipe.take(), "]9;4"));
  block.close();
  CHECK(has(pipe.take(), "\x1b]9;4;0\x1b\\"));
  block.close();
  CHECK_FALSE(has(pipe.take(), "]9;4"));
}

TEST_CASE("another terminal gets no such sequence") {
  Pipe pipe;
  LiveBlock block(pipe.end());
  block.show(half_done(), {}, {});
  block.close();
  CHECK_FALSE(has(pipe.take(), "]9;4"));
}

settings::Environment environment(std::map<std::string, std::string> variables) {
  return [variables](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  };
}

TEST_CASE("the terminals that show a progress are known by their variables") {
  using Variables = std::map<std::string, std::string>;
  for (const auto& known : {Variables{{"ConEmuANSI", "ON"}}, Variables{{"WT_SESSION", "4711"}},
                            Variables{{"TERM_PROGRAM", "ghostty"}}, Variables{{"TERM_PROGRAM", "WezTerm"}},
                            Variables{{"TERM_PROGRAM", "iTerm.app"}, {"TERM_FEATURES", "T3CwLrMSc7P"}},
                            Variables{{"VTE_VERSION", "7900"}}}) {
    CAPTURE(known.begin()->first);
    CHECK(block_look(environment(known)).progress);
    auto in_tmux = known;
    in_tmux["TMUX"] = "/tmp/tmux-0/default,1,0";
    CHECK_FALSE(block_look(environment(in_tmux)).progress);
  }
  for (const auto& other : {Variables{}, Variables{{"ConEmuANSI", "OFF"}}, Variables{{"TERM_PROGRAM", "iTerm.app"}},
                            Variables{{"VTE_VERSION", "7603"}}, Variables{{"VTE_VERSION", "new"}}})
    CHECK_FALSE(block_look(environment(other)).progress);
}

TEST_CASE("the locale says whether the terminal shows UTF-8: the first variable that is set counts") {
  CHECK(block_look(environment({{"LANG", "en_GB.UTF-8"}})).utf8);
  CHECK(block_look(environment({{"LC_ALL", ""}, {"LANG", "de_DE.utf8@euro"}})).utf8);
  CHECK_FALSE(block_look(environment({{"LC_ALL", "C"}, {"LANG", "en_GB.UTF-8"}})).utf8);
  CHECK_FALSE(block_look(environment({{"LC_CTYPE", "de_DE.ISO-8859-1"}, {"LANG", "en_GB.UTF-8"}})).utf8);
  CHECK_FALSE(block_look(environment({})).utf8);
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
