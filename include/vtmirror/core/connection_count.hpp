// How many connections download at the same time, found by measuring their rate together.
// Judges bytes over half a second, never a latency: a prediction from round trips does not see where a line is full.
// Never touches the network or a clock: rates, refusals and time are arguments.
//
// The rules, each with its reason:
//
//  1. The number doubles while that raises the rate by a quarter. A smaller rise counts only when a second tick shows
//     it too: connections of a far line are slow for longer than the tick of rule 2. Then the smallest number between
//     the two that still reaches 95 % is looked for by halving the distance: a connection that does not help costs
//     memory and the store's patience.
//  2. After a change the next tick does not count, because new connections are still being opened.
//  3. A number that was found is held, and remembered for the next time, when it is held as soon as it reaches half of
//     its rate: until then its connections are new, and slower than they will be. If it does not reach that within two
//     seconds, the search begins again with one connection. At intervals a few more are tried, and then a few less, in
//     turn, because the line may have changed; each try that changes nothing doubles the interval, up to half a minute.
//  4. A refusal (429, 503, a refused connection) takes one connection away. What was refused is the ceiling for a
//     while, which doubles with every further refusal that comes soon after it. It is below the number of files only if
//     other files receive: then the store has room for fewer, and is not merely out of order.
//  5. A rate below half of the best for three ticks halves the number. If that brings the rate back, the number was the
//     cause, and the ceiling is lowered for the day; otherwise the line is slower now, and the number is searched
//     again.
//  6. Nothing is tried and nothing judged while the rate limit or the disk holds the bytes back, or while fewer or more
//     connections are open than wanted: the rate says nothing about the number then.
#pragma once

#include "vtmirror/base/time.hpp"
#include "vtmirror/core/connection_room.hpp"

#include <cstdint>
#include <optional>

namespace vtmirror::core {

/// How often the caller of a `ConnectionCount` reports.
inline constexpr base::Milliseconds connection_tick{500};

/// A number that was found, and its rate in bytes a second; 0 if that is not known.
struct FoundConnections {
  int number = 1;
  std::int64_t rate = 0;
  friend bool operator==(const FoundConnections&, const FoundConnections&) = default;
};

class ConnectionCount {
 public:
  /// What was seen since the last report.
  struct Seen {
    base::Steady now{};
    std::int64_t bytes = 0;  ///< that came over all connections
    int open = 0;            ///< connections that are not idle
    bool hindered = false;   ///< the rate limit or the disk held bytes back
  };

  /// Begins with the number that was found before, or with one, and never exceeds `most`.
  explicit ConnectionCount(int most, FoundConnections before = {});

  /// To be called every `connection_tick`.
  void tick(const Seen& seen);
  /// The store refused a connection or a request because there are too many. `open`: connections that are not idle,
  /// the refused one included. `crowded`: other files receive, and had the time to make room after the last refusal.
  void refused(base::Steady now, int open, bool crowded = false);
  /// What was refused had another cause than the number: the number is what it was before, to be proven anew.
  void disbelieve_refusals(base::Steady now);
  /// Whether a refusal limits the number.
  bool is_crowded(base::Steady now) const { return room_.at(now).has_value(); }

  /// From now on, every number is at least this, one for each file that is downloaded, unless the store has room for
  /// fewer.
  void at_least(base::Steady now, int connections);

  int target() const { return target_; }
  /// No number may be larger: by `most`, by what was refused, and by a collapse on the same day.
  int ceiling(base::Steady now) const;
  /// What was held last or, before that, the best so far; empty before the first measurement.
  const std::optional<FoundConnections>& found() const { return found_; }

 private:
  /// A number and what it brought, in bytes per second.
  struct Measured {
    int connections = 0;
    double rate = 0;
  };
  /// What a refusal sets aside.
  struct State {
    int target = 1;
    std::optional<FoundConnections> found{};
  };
  enum class Phase { proving, growing, trimming, holding, adding, dropping, recovering };

  void judge(double rate, base::Steady now);
  void judge_proof(double rate, base::Steady now);
  void judge_growth(double rate, base::Steady now);
  void judge_trim(double rate, base::Steady now);
  void judge_addition(double rate, base::Steady now);
  void judge_drop(double rate, base::Steady now);
  void judge_recovery(double rate, base::Steady now);
  void keep_watch(double rate, base::Steady now);
  void grow_from(int connections);
  void grow(Measured base, base::Steady now);
  void trim(Measured low, Measured high, base::Steady now);
  void drop(Measured from, int fewer);
  void hold(Measured found, base::Steady now);
  void try_another(base::Steady now);
  void aim(int connections);
  void measure_anew();
  void forbid_more_for_the_day(int connections, base::Steady now);
  int least(base::Steady now) const;
  int step() const;
  int samples_wanted() const;

  int most_;
  int least_ = 1;
  int target_;
  Phase phase_;
  double expected_;  ///< proving: bytes a second, of the number that was found before
  std::optional<FoundConnections> found_{};

  std::optional<base::Steady> last_{};
  int settling_ = 1;  ///< ticks that do not count
  int samples_ = 0;
  double sum_ = 0;

  Measured before_{};  ///< growing: with the number before; adding, dropping, recovering: with the number to return to
  Measured low_{}, high_{};  ///< trimming: too few, and enough
  Measured held_{};
  bool proven_ = false;   ///< growing: a smaller number was measured
  bool doubted_ = false;  ///< growing: a tick has shown too small a rise

  base::Steady next_try_{};
  base::Milliseconds while_{};
  bool fewer_next_ = false;
  int slow_ticks_ = 0, fast_ticks_ = 0;

  Room room_;
  State before_refusals_{};
  base::Steady now_{};  ///< of the last call
  int of_the_day_;      ///< the ceiling after a collapse
  base::Steady day_until_{};
};

}  // namespace vtmirror::core
