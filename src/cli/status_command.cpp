#include "cli/commands.hpp"

#include "vtmirror/client/control_client.hpp"
#include "vtmirror/client/control_events.hpp"
#include "vtmirror/host/local_time.hpp"
#include "vtmirror/report/status.hpp"
#include "vtmirror/report/status_check.hpp"
#include "vtmirror/terminal/live_block.hpp"
#include "vtmirror/terminal/terminal.hpp"

#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace vtmirror::cli {
namespace {

struct Answer {
  std::string json;
  report::Status status;
};

base::Result<Answer> ask_status(const std::string& socket) {
  auto json = client::ask(socket, {"GET", "/v1/status"});
  if (json.has_error()) return json.error();
  auto parsed = report::parse_status(*json);
  if (parsed.has_error()) return parsed.error();
  return Answer{std::move(*json), std::move(*parsed)};
}

/// Monitoring shows one line: what to do without a daemon stands in it too.
base::Error with_advice(base::Error error, const Arguments& arguments, const settings::Environment& environment) {
  if (error.detail.empty()) error.detail = error.message();
  if (client::is_absent(error))
    error.detail += "; " + report::advice(unanswered(error, arguments, environment, ::geteuid() == 0));
  return error;
}

ExitStatus check(const base::Result<Answer>& answer, const Arguments& arguments,
                 const settings::Environment& environment) {
  const auto result = answer.has_error() ? report::judge(with_advice(answer.error(), arguments, environment))
                                         : report::judge(answer->status, host::machine_now());
  std::cout << result.line << '\n' << std::flush;
  // The exit statuses of a monitoring plugin, not those of ExitStatus.
  return static_cast<ExitStatus>(result.judgement);
}

/// How often the table is drawn again between events, so that times such as "in 14h" stay right.
constexpr std::chrono::seconds tick{1};

int files_done(const report::Status& status) { return status.cycle ? status.cycle->done : -1; }

/// Prints the status to the screen, as log lines or as JSON, and keeps the last one.
class Watcher {
 public:
  Watcher(const Arguments& arguments, std::string socket, const settings::Environment& environment)
      : socket_(std::move(socket)),
        json_(arguments.json),
        colour_(terminal::use_colour(arguments.colour, STDOUT_FILENO, environment)),
        utf8_(terminal::block_look(environment).utf8) {
    if (!json_ && terminal::can_redraw(STDOUT_FILENO, environment)) screen_.emplace(STDOUT_FILENO);
  }

  bool has_screen() const { return screen_.has_value(); }
  const std::string& socket() const { return socket_; }

  /// Says that no daemon answers, above the last table or in a line.
  void lose() {
    lost_ = host::machine_now();
    say("no daemon answers at " + socket_ + "; trying again until it does");
    draw();
  }

  void find() {
    lost_.reset();
    say("the daemon answers again");
  }

  base::Result<void> show(const client::DaemonEvent& event) {
    if (!event.is(ports::StreamEvent::status)) return {};
    auto parsed = report::parse_status(event.json);
    if (parsed.has_error()) return parsed.error();
    if (json_) {
      std::cout << event.json << '\n' << std::flush;
    } else if (!screen_ && (!last_ || is_worth_a_line(*last_, *parsed))) {
      std::cout << report::local_time(host::machine_now(), &host::utc_offset) << ' '
                << report::status_headline(*parsed, host::machine_now(), look(0)) << '\n'
                << std::flush;
    }
    last_ = std::move(*parsed);
    draw();
    return {};
  }

  void draw() {
    if (!screen_ || !last_) return;
    const auto columns = static_cast<int>(terminal::terminal_size(STDOUT_FILENO).columns);
    std::string text;
    if (lost_) {
      const auto since = report::local_time(*lost_, &host::utc_offset);
      const auto line = "no daemon answers since " + since.substr(since.find(' ') + 1) + "; trying again";
      text = (colour_ ? "\x1b[31m" + line + "\x1b[0m" : line) + "\n\n";
    }
    screen_->draw(text + report::status_table(*last_, host::machine_now(), look(columns)));
  }

  void suspend() {
    if (screen_) screen_->close();
    std::raise(SIGSTOP);
    if (screen_) screen_->open();
    draw();
  }

  /// Leaves the last table behind, so that it can still be read.
  void close() {
    if (!screen_) return;
    const auto columns = static_cast<int>(terminal::terminal_size(STDOUT_FILENO).columns);
    screen_.reset();
    if (last_) std::cout << report::status_table(*last_, host::machine_now(), look(columns)) << std::flush;
  }

 private:
  /// Where there is no screen; beside JSON it goes to stderr.
  void say(const std::string& words) const {
    if (screen_) return;
    auto& stream = json_ ? std::cerr : std::cout;
    stream << report::local_time(host::machine_now(), &host::utc_offset) << ' ' << words << '\n' << std::flush;
  }

  report::TableLook look(int width) const { return {width, colour_, &host::utc_offset, utf8_}; }

  std::string socket_;
  bool json_;
  bool colour_;
  bool utf8_;
  std::optional<terminal::Screen> screen_;
  std::optional<report::Status> last_;
  std::optional<base::Time> lost_;  ///< since when no daemon has answered
};

struct End {
  int signal = 0;
  base::Error error{};
  bool is_quiet = false;  ///< the reader of stdout has gone: nobody needs a reason
};

/// Follows the events until the daemon closes the stream, a signal arrives or stdout fails.
End follow(client::EventStream& stream, Watcher& watcher, terminal::Interrupt& interrupt) {
  while (std::cout.good()) {
    const auto event = stream.next(tick, interrupt.descriptor());
    if (event.has_error()) {
      const int signal = event.error().code == base::Errc::cancelled ? interrupt.signal() : 0;
      if (signal == SIGTSTP) {
        watcher.suspend();
        continue;
      }
      return {signal, event.error()};
    }
    if (!*event) {
      watcher.draw();
      continue;
    }
    if (auto taken = watcher.show(**event); taken.has_error()) return {0, taken.error()};
  }
  // Ctrl-C ends the reader of a pipe too, which may show first.
  return {interrupt.signal(), {}, true};
}

/// The signal that arrives within a tick, or 0.
int wait_a_tick(terminal::Interrupt& interrupt, Watcher& watcher) {
  pollfd signals{.fd = interrupt.descriptor(), .events = POLLIN, .revents = 0};
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(tick).count();
  if (::poll(&signals, 1, static_cast<int>(milliseconds)) <= 0) return 0;
  const int signal = interrupt.signal();
  if (signal != SIGTSTP) return signal;
  watcher.suspend();
  return 0;
}

/// A daemon that does not answer may be restarting: it is asked again until it answers, or a signal arrives.
End follow_on(client::EventStream stream, Watcher& watcher) {
  terminal::Interrupt interrupt(watcher.has_screen());
  for (;;) {
    auto end = follow(stream, watcher, interrupt);
    const bool is_gone = end.error.code == base::Errc::unreachable || end.error.code == base::Errc::timed_out;
    if (end.signal != 0 || end.is_quiet || !is_gone) return end;
    watcher.lose();
    for (bool lost = true; lost;) {
      if (const int signal = wait_a_tick(interrupt, watcher); signal != 0) return {signal, {}};
      if (!std::cout.good()) return {0, {}, true};
      watcher.draw();
      auto again = client::EventStream::open(watcher.socket());
      if (again.has_error() && !client::is_absent(again.error())) return {0, again.error()};
      lost = again.has_error();
      if (!lost) stream = std::move(*again);
    }
    watcher.find();
  }
}

std::vector<std::string> codes(const report::Status& status) {
  std::vector<std::string> codes;
  for (const auto& problem : status.problems) codes.push_back(problem.code);
  return codes;
}

ExitStatus watch(const Arguments& arguments, const std::string& socket, const settings::Environment& environment) {
  auto stream = client::EventStream::open(socket);
  if (stream.has_error()) return fail_unanswered(stream.error(), arguments, environment);
  Watcher watcher(arguments, socket, environment);
  const auto end = follow_on(std::move(*stream), watcher);
  watcher.close();
  if (end.signal != 0) terminal::end_by(end.signal);
  if (end.is_quiet) return failed;
  return fail_refused(end.error);
}

}  // namespace

bool is_worth_a_line(const report::Status& before, const report::Status& now) {
  return before.state != now.state || before.next_wake != now.next_wake || files_done(before) != files_done(now) ||
         before.chain != now.chain || codes(before) != codes(now);
}

ExitStatus status(const Arguments& arguments, const settings::Environment& environment) {
  const auto socket = client::socket_of(arguments.socket, arguments.config, environment);
  if (arguments.watch) return watch(arguments, socket, environment);
  const auto answer = ask_status(socket);
  if (arguments.check) return check(answer, arguments, environment);
  if (answer.has_error()) return fail_unanswered(answer.error(), arguments, environment);
  if (arguments.json) {
    std::cout << answer->json << (answer->json.ends_with('\n') ? "" : "\n") << std::flush;
    return done;
  }
  const report::TableLook look{static_cast<int>(terminal::table_width(STDOUT_FILENO)),
                               terminal::use_colour(arguments.colour, STDOUT_FILENO, environment), &host::utc_offset,
                               terminal::block_look(environment).utf8};
  std::cout << report::status_table(answer->status, host::machine_now(), look) << std::flush;
  return done;
}

}  // namespace vtmirror::cli
