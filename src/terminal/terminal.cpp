#include "vtmirror/terminal/terminal.hpp"

#include "vtmirror/base/descriptor.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/core/token.hpp"

#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <string>

namespace vtmirror::terminal {
namespace {

bool is_dumb(const settings::Environment& environment) {
  const auto terminal = environment("TERM").value_or("");
  return terminal.empty() || terminal == "dumb";
}

}  // namespace

bool is_terminal(int descriptor) { return ::isatty(descriptor) == 1; }

TerminalSize terminal_size(int descriptor) {
  winsize window{};
  TerminalSize size;
  if (::ioctl(descriptor, TIOCGWINSZ, &window) != 0) return size;
  if (window.ws_col > 0) size.columns = window.ws_col;
  if (window.ws_row > 0) size.rows = window.ws_row;
  return size;
}

void write_to_terminal(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const auto written = base::uninterrupted([&] { return ::write(descriptor, text.data(), text.size()); });
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::size_t table_width(int descriptor) { return is_terminal(descriptor) ? terminal_size(descriptor).columns : 0; }

bool use_colour(ColourChoice choice, int descriptor, const settings::Environment& environment) {
  if (choice != ColourChoice::automatic) return choice == ColourChoice::always;
  const bool refused = !environment("NO_COLOR").value_or("").empty();
  return !refused && is_terminal(descriptor) && !is_dumb(environment);
}

bool can_redraw(int descriptor, const settings::Environment& environment) {
  return is_terminal(descriptor) && !is_dumb(environment);
}

bool shows_bars(int descriptor, const settings::Environment& environment) {
  return environment("NO_PROGRESS").value_or("").empty() && can_redraw(descriptor, environment);
}

namespace {

constexpr const char* enter = "\x1b[?1049h\x1b[?25l";  // alternate screen, no cursor
constexpr const char* leave = "\x1b[?25h\x1b[?1049l";
constexpr const char* home = "\x1b[H";
constexpr const char* erase_line = "\x1b[K";
constexpr const char* erase_below = "\x1b[J";

}  // namespace

Screen::Screen(int descriptor) : descriptor_(descriptor) { open(); }

void Screen::open() {
  if (!open_) write_to_terminal(descriptor_, enter);
  open_ = true;
}

void Screen::close() {
  if (open_) write_to_terminal(descriptor_, leave);
  open_ = false;
}

void Screen::draw(const std::string& text) {
  const auto rows = terminal_size(descriptor_).rows;
  std::string drawn = home;
  std::size_t begin = 0;
  // A newline after the last row would scroll.
  for (std::size_t row = 1; row < rows && begin < text.size(); ++row) {
    const auto end = text.find('\n', begin);
    drawn += text.substr(begin, end - begin) + erase_line + '\n';
    begin = end == std::string::npos ? text.size() : end + 1;
  }
  write_to_terminal(descriptor_, drawn + erase_below);
}

Interrupt::Interrupt(bool suspends) {
  sigset_t signals;
  ::sigemptyset(&signals);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&signals, number);
  if (suspends) ::sigaddset(&signals, SIGTSTP);
  ::pthread_sigmask(SIG_BLOCK, &signals, &before_);
  descriptor_ = ::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  // Without a descriptor, the signals keep their usual actions.
  if (descriptor_ < 0) ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

Interrupt::~Interrupt() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

int Interrupt::signal() {
  signalfd_siginfo info{};
  return ::read(descriptor_, &info, sizeof info) == static_cast<ssize_t>(sizeof info) ? static_cast<int>(info.ssi_signo)
                                                                                      : 0;
}

void end_by(int signal) {
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

namespace {

constexpr std::size_t longest_input = 4096 + 3;  // with a line's end, and one byte more to detect a longer one
constexpr char interrupt = '\x03';

/// Turns the echo off while it exists. Ctrl-C ends the line instead of the process, which would leave the echo off.
class Hidden {
 public:
  Hidden(int descriptor, const std::string& prompt)
      : descriptor_(descriptor), hides_(::tcgetattr(descriptor, &before_) == 0) {
    if (!hides_) return;
    termios now = before_;
    now.c_lflag &= ~static_cast<tcflag_t>(ECHO | ISIG);
    now.c_cc[VEOL] = interrupt;
    static_cast<void>(::tcsetattr(descriptor_, TCSAFLUSH, &now));
    std::fputs(prompt.c_str(), stderr);
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

base::Result<base::Secret> typed_secret(int descriptor, const std::string& prompt) {
  const Hidden hidden(descriptor, prompt);
  auto text = read_input(descriptor, hidden.hides());
  if (!text) return text.error();
  const bool given_up = hidden.hides() && text->ends_with(interrupt);
  if (text->ends_with('\n')) text->pop_back();
  if (text->ends_with('\r')) text->pop_back();
  const std::string wrong(core::secret_fault(*text));
  base::Secret secret(std::move(*text));
  if (given_up) return base::Error{base::Errc::cancelled, "no secret was entered (Ctrl-C): nothing has changed"};
  if (!wrong.empty()) return refusal(wrong);
  return secret;
}

base::Result<std::string> typed_line(int descriptor, const std::string& prompt) {
  std::fputs(prompt.c_str(), stderr);
  std::fflush(stderr);
  auto text = read_input(descriptor, true);
  if (text && text->ends_with('\n')) return std::string(base::trim(*text));
  return base::Error{base::Errc::cancelled, "the input has ended"};
}

}  // namespace vtmirror::terminal
