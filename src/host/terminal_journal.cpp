// The only file that compiles spdlog.
#include "host/terminal_journal.hpp"

#include "vtmirror/base/text.hpp"

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/ansicolor_sink.h>

#include <string_view>
#include <utility>

namespace vtmirror::host {
namespace {

using Sink = spdlog::sinks::ansicolor_sink<spdlog::details::console_mutex>;

/// spdlog has no `notice`: its `trace` and `debug` represent our two lowest levels, so that `info` can represent
/// `notice`.
spdlog::level::level_enum level_of(ports::Level level) {
  switch (level) {
    case ports::Level::debug:
      return spdlog::level::trace;
    case ports::Level::info:
      return spdlog::level::debug;
    case ports::Level::notice:
      return spdlog::level::info;
    case ports::Level::warning:
      return spdlog::level::warn;
    case ports::Level::error:
      break;
  }
  return spdlog::level::err;
}

/// All of equal width, so that messages are aligned.
std::string_view word(spdlog::level::level_enum level) {
  switch (level) {
    case spdlog::level::trace:
      return "debug  ";
    case spdlog::level::debug:
      return "info   ";
    case spdlog::level::info:
      return "notice ";
    case spdlog::level::warn:
      return "warning";
    default:
      return "error  ";
  }
}

class LevelWord : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& line) override {
    const auto text = word(message.level);
    line.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<LevelWord>(); }
};

spdlog::color_mode mode_of(Colour colour) {
  switch (colour) {
    case Colour::always:
      return spdlog::color_mode::always;
    case Colour::never:
      return spdlog::color_mode::never;
    case Colour::automatic:
      break;
  }
  return spdlog::color_mode::automatic;
}

std::shared_ptr<Sink> make_sink(std::FILE* stream, Colour colour) {
  auto sink = std::make_shared<Sink>(stream, mode_of(colour));
  sink->set_color(spdlog::level::trace, sink->dark);
  sink->set_color(spdlog::level::debug, sink->reset);
  sink->set_color(spdlog::level::info, sink->green);
  sink->set_color(spdlog::level::warn, sink->yellow);
  sink->set_color(spdlog::level::err, sink->red);
  auto pattern = std::make_unique<spdlog::pattern_formatter>();
  pattern->add_flag<LevelWord>('*').set_pattern("%Y-%m-%d %H:%M:%S %^%*%$ %v");
  sink->set_formatter(std::move(pattern));
  return sink;
}

class TerminalJournal : public ports::Journal {
 public:
  TerminalJournal(ports::Level least, std::shared_ptr<Sink> sink, LineBreaks breaks)
      : coloured_(sink->should_color()), breaks_(std::move(breaks)), logger_("vtmirror", std::move(sink)) {
    logger_.set_level(level_of(least));
  }

  void log(const ports::Event& event) override {
    const auto level = level_of(event.level);
    if (!logger_.should_log(level)) return;
    // A message may quote a peer: it must not begin a line of its own, and must not control the terminal.
    auto line = base::printable(event.message, longest_line);
    if (breaks_) line = breaks_(line, columns_before);
    if (coloured_ && event.kind == ports::EventKind::published) line = green + line + plain;
    logger_.log(level, spdlog::string_view_t(line));  // this overload formats nothing
  }

 private:
  static constexpr std::size_t longest_line = 4096;
  static constexpr std::size_t columns_before = sizeof "2026-11-18 08:07:12 warning " - 1;
  static constexpr const char* green = "\x1b[32m";
  static constexpr const char* plain = "\x1b[m";
  bool coloured_;
  LineBreaks breaks_;
  spdlog::logger logger_;
};

}  // namespace

std::unique_ptr<ports::Journal> make_terminal_journal(ports::Level least, Colour colour, std::FILE* stream,
                                                      LineBreaks breaks) {
  return std::make_unique<TerminalJournal>(least, make_sink(stream, colour), std::move(breaks));
}

std::unique_ptr<ports::Journal> make_terminal_journal(ports::Level least, Colour colour, LineBreaks breaks) {
  return make_terminal_journal(least, colour, stderr, std::move(breaks));
}

}  // namespace vtmirror::host
