// Watches the states, cycles and problems of a daemon. Keeps the first promise that it broke.
#pragma once

#include "simulation/london.hpp"
#include "support/simulated_clock.hpp"
#include "vtmirror/agent/daemon.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace vtmirror::test {

class Observer : public agent::Watcher, public ports::Journal {
 public:
  Observer(const SimulatedClock& clock, const core::Schedule& schedule) : clock_(clock), schedule_(schedule) {}

  /// Watches another process, which must not report again what the one before reported.
  void watch(const agent::Daemon* daemon) {
    daemon_ = daemon;
    seen_ = {};
  }
  /// A problem that the catalogue keeps counts as reported: its process may have been killed after it kept the problem
  /// and before it wrote to the journal.
  void find_kept(const std::vector<core::Problem>& kept) {
    std::set<std::string> codes;
    for (const auto& problem : kept) {
      const auto code = std::string(name(problem.code));
      codes.insert(code);
      if (!problems.contains(code)) ++begun_today[code];
    }
    for (const auto& code : problems) over_today[code] += codes.contains(code) ? 0 : 1;
    problems = std::move(codes);
  }
  void begin_day() {
    cycles_today = 0;
    lately += today_;
    if (lately.size() > 60000) lately.erase(0, 30000);
    today_.clear();
    begun_today.clear();
    over_today.clear();
    problems_at_dawn = problems;
  }
  /// The clock was set, or the machine slept: the announced wake-up may come late, or another one before it.
  void disturb() { undisturbed_ = false; }
  /// One cycle may begin at this moment without having been announced.
  void excuse_a_cycle() { excused_at_ = clock_.now(); }
  /// While another program holds the catalogue's lock, no cycle can begin. One that is due begins afterwards.
  void catalogue_is_locked(bool locked) {
    locked_ = locked;
    disturb();
  }

  /// Called millions of times, so the text is put together only when a promise is broken.
  void expect(bool as_promised, std::string_view promise, std::string_view of = {}) {
    ++expectations;
    if (as_promised || !failure.empty()) return;
    failure = std::string(promise).append(of).append(", at ").append(base::iso8601(clock_.world()));
  }
  void expect(bool as_promised, std::string_view promise, base::Date of) {
    expect(as_promised, promise, as_promised ? std::string() : base::iso8601(of));
  }

  void state_changed() override {
    if (daemon_ == nullptr) return;
    const auto& state = daemon_->state();
    const auto before = std::exchange(seen_, state);
    note(std::string(core::name(state.state)) + (state.next_wake ? " until " + base::iso8601(*state.next_wake) : ""));
    if (state.state == core::State::idle && state.next_wake != before.next_wake) announced(state.next_wake);
    if (state.state != core::State::syncing || before.state == core::State::syncing) return;
    ++cycles_today;
    const bool excused = std::exchange(excused_at_, std::nullopt) == clock_.now();
    if (before.next_wake && undisturbed_ && !excused)
      expect(clock_.now() == *before.next_wake, "a cycle begins when it was announced");
  }
  void cycle_ended() override {
    ++cycles;
    cycle_has_ended = true;
  }

  void log(const ports::Event& event) override {
    if (daemon_ == nullptr) return;
    note(event.message);
    if (heard) heard(event.kind);
    if (event.kind != ports::EventKind::problem_began && event.kind != ports::EventKind::problem_over) return;
    const auto& code = event.fields.front().value;
    if (event.kind == ports::EventKind::problem_over) {
      expect(problems.erase(code) == 1, "only a problem that was logged is over: " + code);
      ++over_today[code];
      return;
    }
    if (event.message.starts_with("now affects more: ")) {
      expect(problems.contains(code), "only a problem that was logged gets worse: " + code);
      return;
    }
    expect(problems.insert(code).second, "a problem is logged once while it lasts: " + code);
    ++begun_today[code];
    ++problems_reported;
  }

  /// Notes what happened, in a line with the process's time.
  void note(const std::string& what) {
    const auto line = base::iso8601(clock_.now()) + " " + what + "\n";
    for (const char byte : without_place(line)) trace_ = (trace_ ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
    today_ += line;
  }
  base::Time now() const { return clock_.world(); }
  /// A hash of all notes.
  std::uint64_t trace() const { return trace_; }
  /// The notes of the last days, and those of today.
  std::string story() const { return lately + today_; }

  base::Time asked_to_wait_until{};               ///< by the service
  std::function<void(ports::EventKind)> heard{};  ///< called with each event of a process
  std::string failure;
  long expectations = 0;
  long cycles = 0;
  long wakes_announced = 0;
  long problems_reported = 0;
  int cycles_today = 0;
  bool cycle_has_ended = false;
  std::set<std::string> problems;  ///< reported and not over, by whichever process
  std::set<std::string> problems_at_dawn;
  std::map<std::string, int> begun_today;
  std::map<std::string, int> over_today;
  std::string lately;  ///< the notes of the days before today

 private:
  /// The line without the name of a temporary directory, which differs in each life.
  static std::string without_place(std::string line) {
    constexpr std::string_view place = "/vtmirror-test-";
    const auto at = line.find(place);
    return at == std::string::npos ? line : line.erase(at, place.size() + 6);
  }
  void announced(std::optional<base::Time> wake) {
    ++wakes_announced;
    undisturbed_ = !locked_;
    expect(wake.has_value(), "an idle daemon says when it wakes");
    if (!wake) return;
    const auto due = london(london_day(*wake), schedule_.at);
    expect(*wake >= due && (*wake <= due + schedule_.splay || *wake <= asked_to_wait_until),
           "the day's wake-up " + base::iso8601(*wake) + " is at its local time");
    expect(*wake - clock_.now() <= std::chrono::hours(25) + schedule_.splay, "no day's wake-up is left out");
  }

  const SimulatedClock& clock_;
  const core::Schedule& schedule_;
  const agent::Daemon* daemon_ = nullptr;
  core::DaemonState seen_;
  bool undisturbed_ = true;
  std::optional<base::Time> excused_at_;
  bool locked_ = false;
  std::string today_;
  std::uint64_t trace_ = 0xcbf29ce484222325U;
};

}  // namespace vtmirror::test
