#include "cli/status_watch.hpp"

#include "cli/control_events.hpp"
#include "cli/daemon_socket.hpp"
#include "cli/interrupt.hpp"
#include "cli/local_time.hpp"
#include "cli/screen.hpp"
#include "cli/terminal.hpp"

#include <unistd.h>

#include <csignal>
#include <iostream>
#include <optional>
#include <utility>
#include <vector>

namespace vtmirror::cli {
namespace {

/// "in 14h" moves on without the daemon.
constexpr std::chrono::seconds tick{1};

/// What has been told so far, and where it goes.
class Watcher {
 public:
  Watcher(const Arguments& arguments, const Environment& environment)
      : json_(arguments.json), colour_(use_colour(arguments.colour, STDOUT_FILENO, environment)) {
    if (!json_ && can_redraw(STDOUT_FILENO, environment)) screen_.emplace(STDOUT_FILENO);
  }

  bool has_screen() const { return screen_.has_value(); }

  base::Result<void> take(const DaemonEvent& event) {
    if (event.name != "status") return {};
    auto parsed = core::parse_status(event.json);
    if (parsed.has_error()) return parsed.error();
    if (json_) {
      std::cout << event.json << '\n' << std::flush;
    } else if (!screen_ && (!last_ || is_worth_a_line(*last_, *parsed))) {
      std::cout << base::iso8601(machine_now()) << ' ' << core::status_headline(*parsed, machine_now(), look(0)) << '\n'
                << std::flush;
    }
    last_ = std::move(*parsed);
    draw();
    return {};
  }

  void draw() {
    if (!screen_ || !last_) return;
    const auto columns = static_cast<int>(terminal_size(STDOUT_FILENO).columns);
    screen_->draw(core::status_table(*last_, machine_now(), look(columns)));
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
    const auto columns = static_cast<int>(terminal_size(STDOUT_FILENO).columns);
    screen_.reset();
    if (last_) std::cout << core::status_table(*last_, machine_now(), look(columns)) << std::flush;
  }

 private:
  core::TableLook look(int width) const { return {width, colour_, &utc_offset}; }

  bool json_;
  bool colour_;
  std::optional<Screen> screen_;
  std::optional<core::Status> last_;
};

struct End {
  int signal = 0;
  base::Error error{};
};

/// Follows until there is nothing to follow any more.
End follow(EventStream& stream, Watcher& watcher) {
  Interrupt interrupt(watcher.has_screen());
  while (std::cout.good()) {
    const auto event = stream.next(tick, interrupt.descriptor());
    if (event.has_error()) {
      const int signal = event.error().code == base::Errc::cancelled ? interrupt.take() : 0;
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
    if (auto taken = watcher.take(**event); taken.has_error()) return {0, taken.error()};
  }
  return {0, {base::Errc::io, "nobody reads any more"}};
}

std::vector<std::string> codes(const core::Status& status) {
  std::vector<std::string> codes;
  for (const auto& problem : status.problems) codes.push_back(problem.code);
  return codes;
}

int files_done(const core::Status& status) { return status.cycle ? status.cycle->done : -1; }

}  // namespace

bool is_worth_a_line(const core::Status& before, const core::Status& now) {
  return before.state != now.state || before.next_wake != now.next_wake || files_done(before) != files_done(now) ||
         before.chain != now.chain || codes(before) != codes(now);
}

ExitStatus watch(const Arguments& arguments, const std::string& socket, const Environment& environment) {
  auto stream = EventStream::open(socket);
  if (stream.has_error()) return tell_unanswered(stream.error());
  Watcher watcher(arguments, environment);
  const auto end = follow(*stream, watcher);
  watcher.close();
  if (end.signal != 0) end_by(end.signal);
  return tell_unanswered(end.error);
}

}  // namespace vtmirror::cli
