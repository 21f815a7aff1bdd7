#include "host/terminal_journal.hpp"

#include "support/every.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::host {
namespace {

using ports::Event;
using ports::EventKind;
using ports::Level;

/// What a journal wrote on a stream that is no terminal.
class Paper {
 public:
  std::string logged(Level least, Colour colour, const std::vector<Event>& events, const LineBreaks& breaks = {}) {
    const auto journal = make_terminal_journal(least, colour, file_.get(), breaks);
    for (const auto& event : events) journal->log(event);
    return text();
  }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  std::string text() {
    std::string all;
    std::rewind(file_.get());
    for (int next = std::fgetc(file_.get()); next != EOF; next = std::fgetc(file_.get())) {
      all.push_back(static_cast<char>(next));
    }
    return all;
  }

  std::unique_ptr<std::FILE, Close> file_{std::tmpfile()};
};

std::string logged(const Event& event, Level least = Level::debug, Colour colour = Colour::automatic) {
  return Paper().logged(least, colour, {event});
}

Event event(Level level, std::string message) {
  return {.kind = EventKind::planned, .level = level, .message = std::move(message)};
}

/// The line without its time ("2026-11-18 08:07:12 ") and its end.
std::string after_time(const std::string& line) {
  constexpr std::size_t time = 20;
  REQUIRE(line.size() > time + 1);
  CHECK(line[4] == '-');
  CHECK(line[13] == ':');
  CHECK(line.back() == '\n');
  return line.substr(time, line.size() - time - 1);
}

TEST_CASE("a line holds the time, the level's word and the message") {
  CHECK(after_time(logged(event(Level::debug, "looked"))) == "debug   looked");
  CHECK(after_time(logged(event(Level::info, "listed"))) == "info    listed");
  CHECK(after_time(logged(event(Level::notice, "published"))) == "notice  published");
  CHECK(after_time(logged(event(Level::warning, "late"))) == "warning late");
  CHECK(after_time(logged(event(Level::error, "refused"))) == "error   refused");
}

TEST_CASE("a published file is green where colours are wanted") {
  const Event published{.kind = EventKind::published, .level = Level::info, .message = "published delta 16 Nov"};
  CHECK(logged(published, Level::debug, Colour::always).find("\x1b[32mpublished delta 16 Nov\x1b[m") !=
        std::string::npos);
  CHECK(logged(published, Level::debug, Colour::never).find('\x1b') == std::string::npos);
  CHECK(logged(event(Level::info, "listed"), Level::debug, Colour::always).find("\x1b[32m") == std::string::npos);
}

TEST_CASE("events below the level are dropped, the others come in their order") {
  const std::vector levels{Level::debug, Level::info, Level::notice, Level::warning, Level::error};
  std::vector<Event> events;
  for (std::size_t i = 0; i < levels.size(); ++i) events.push_back(event(levels[i], "event-" + std::to_string(i)));
  for (std::size_t least = 0; least < levels.size(); ++least) {
    const auto text = Paper().logged(levels[least], Colour::never, events);
    std::size_t at = 0;
    for (std::size_t i = 0; i < levels.size(); ++i) {
      const auto found = text.find("event-" + std::to_string(i), at);
      CHECK((found != std::string::npos) == (i >= least));
      if (found != std::string::npos) at = found;
    }
  }
}

TEST_CASE("braces and percent signs of a message are text, not a format") {
  CHECK(after_time(logged(event(Level::info, "{} {0} {oops %s %v }"))) == "info    {} {0} {oops %s %v }");
}

TEST_CASE("an event stays one line and cannot steer the terminal") {
  const auto line = logged(event(Level::info, "first\nsecond\r\x1b[2J\x07 end"));
  CHECK(line.find('\n') == line.size() - 1);
  CHECK(line.find('\x1b') == std::string::npos);
  CHECK(line.find('\r') == std::string::npos);
  CHECK(line.find("end") != std::string::npos);
}

TEST_CASE("on a terminal an event is broken where the breaks say, behind its time and level") {
  std::size_t behind = 0;
  const auto breaks = [&behind](std::string_view line, std::size_t before) {
    behind = before;
    return std::string(line.substr(0, 5)) + "\n    " + std::string(line.substr(6));
  };
  const auto text = Paper().logged(Level::debug, Colour::never, {event(Level::info, "first\nsecond")}, breaks);
  CHECK(behind == text.find("first"));
  CHECK(text.substr(behind).starts_with("first\n    "));
}

TEST_CASE("a link's signature that got into a message is not shown") {
  const auto line = logged(event(Level::error, "GET https://store.example/a.zip?X-Amz-Signature=c0ffee failed"));
  CHECK(line.find("c0ffee") == std::string::npos);
  CHECK(line.find("store.example") != std::string::npos);
}

TEST_CASE("colours are used if requested, and otherwise only on a terminal") {
  const auto escapes = [](Colour colour) {
    return logged(event(Level::error, "refused"), Level::debug, colour).find('\x1b') != std::string::npos;
  };
  CHECK(escapes(Colour::always));
  CHECK_FALSE(escapes(Colour::automatic));
  CHECK_FALSE(escapes(Colour::never));
}

TEST_CASE("warnings and errors differ in colour") {
  const auto warning = logged(event(Level::warning, "x"), Level::debug, Colour::always);
  const auto error = logged(event(Level::error, "x"), Level::debug, Colour::always);
  CHECK(warning.substr(20, 5) != error.substr(20, 5));
}

TEST_CASE("the name of every kind of event is its word in the source") {
  for (const auto& kind : test::every<EventKind>()) CHECK(name(kind.value) == kind.word);
}

}  // namespace
}  // namespace vtmirror::host
