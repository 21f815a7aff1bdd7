#include "vtmirror/terminal/typed_secret.hpp"

#include "vtmirror/core/new_secret.hpp"

#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

namespace vtmirror::terminal {
namespace {

constexpr std::size_t longest_input = 4096 + 3;  // with a line's end, and one byte more to detect a longer one
constexpr char interrupt = '\x03';

/// Turns the echo off while it exists. Ctrl-C ends the line instead of the process, which would leave the echo off.
class Hidden {
 public:
  explicit Hidden(int descriptor) : descriptor_(descriptor), hides_(::tcgetattr(descriptor, &before_) == 0) {
    if (!hides_) return;
    termios now = before_;
    now.c_lflag &= ~static_cast<tcflag_t>(ECHO | ISIG);
    now.c_cc[VEOL] = interrupt;
    static_cast<void>(::tcsetattr(descriptor_, TCSAFLUSH, &now));
    std::fputs("New client secret (not shown): ", stderr);
    std::fflush(stderr);
  }
  ~Hidden() {
    if (!hides_) return;
    static_cast<void>(::tcsetattr(descriptor_, TCSAFLUSH, &before_));
    std::fputs("\n", stderr);
  }
  Hidden(const Hidden&) = delete;
  Hidden& operator=(const Hidden&) = delete;
  bool hides() const { return hides_; }

 private:
  int descriptor_;
  termios before_{};
  bool hides_;
};

base::Error refusal(const std::string& why) { return {base::Errc::config, "the secret on stdin " + why}; }

/// A terminal returns one line for each read, and one is enough.
base::Result<std::string> read_input(int descriptor, bool one_line) {
  std::string text(longest_input, '\0');
  std::size_t length = 0;
  while (length < text.size()) {
    const auto count = ::read(descriptor, text.data() + length, text.size() - length);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      base::wipe(text);
      return refusal(std::string("cannot be read: ") + std::strerror(errno));
    }
    length += static_cast<std::size_t>(count);
    if (count == 0 || one_line) break;
  }
  text.resize(length);
  return text;
}

}  // namespace

base::Result<base::Secret> typed_secret(int descriptor) {
  const Hidden hidden(descriptor);
  auto text = read_input(descriptor, hidden.hides());
  if (!text) return text.error();
  const bool given_up = hidden.hides() && text->ends_with(interrupt);
  if (text->ends_with('\n')) text->pop_back();
  if (text->ends_with('\r')) text->pop_back();
  const std::string wrong(core::secret_fault(*text));
  base::Secret secret(std::move(*text));
  if (given_up) return refusal("was not entered (Ctrl-C): nothing has changed");
  if (!wrong.empty()) return refusal(wrong);
  return secret;
}

}  // namespace vtmirror::terminal
