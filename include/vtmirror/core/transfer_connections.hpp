// The connections of one transfer: what each does, how fast its bytes come, and which one would end last.
// Promises that its answers depend only on what was reported. Never decides a step or claims a piece: `Transfer` does.
#pragma once

#include "vtmirror/core/answer.hpp"
#include "vtmirror/core/transfer_step.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace vtmirror::core {

/// Fewer bytes than this are not worth a request.
inline constexpr std::int64_t worth_a_request = std::int64_t{1} << 20;

/// From a failure to the end of the wait that it caused.
struct Pause {
  base::Steady from{};
  base::Steady until{};
  bool holds(base::Steady now) const { return from <= now && now < until; }
};

/// The bytes of the range that a connection receives now, or received last, with those of ranges before it that took
/// too short a time to be judged.
struct Arrivals {
  base::Steady since{};
  base::Steady last{};
  std::int64_t bytes = 0;
  double before = 0;  ///< the rate of what was judged last
  /// Bytes per second; 0 while nothing is known, and for a connection that is stalled.
  double rate(base::Steady now) const;
  /// Another range begins.
  void go_on(base::Steady now);
};

struct TransferConnection {
  int number = 0;
  TransferStep::Kind doing = TransferStep::Kind::wait;
  Range claimed{};  ///< claimed and not yet passed to the disk
  Content content{};
  int listing = 0;               ///< of its link
  std::optional<Pause> pause{};  ///< while it waits
  bool unrecorded = false;       ///< it waits to record the ETag, and has the answer's body before it
  bool queued = false;           ///< while `unrecorded`: another one records it
  bool idle = false;             ///< it waits for bytes of another connection
  bool held = false;             ///< it waits for a target above 0
  bool replaced = false;         ///< its bytes were given back, and it leaves
  base::Steady asked{};
  std::int64_t brought = 0;            ///< bytes since its last failure that was not beside others
  int failed = 0;                      ///< failures in a row beside connections that receive
  bool is_served = false;              ///< its last answer was good, and it has not failed since
  std::optional<base::Steady> came{};  ///< the last of them
  Arrivals arrivals{};

  bool is_busy() const { return !pause && doing != TransferStep::Kind::wait; }
  /// Whether bytes have come, or an answer if `answered` is enough, a short time ago.
  bool receives(base::Steady now, bool answered) const;
};

class TransferConnections {
 public:
  TransferConnection& join();
  void leave(int number) { members_.erase(number); }
  void clear() { members_.clear(); }
  TransferConnection& at(int number) { return members_.at(number); }
  const TransferConnection& at(int number) const { return members_.at(number); }
  const std::map<int, TransferConnection>& all() const { return members_; }
  int size() const { return static_cast<int>(members_.size()); }

  /// Those that ask or receive.
  int busy() const;
  /// Those that do not leave as soon as their step ends.
  int staying() const;
  /// Those that stay beside this one, without those that wait.
  int at_work_beside(const TransferConnection& member) const;
  /// Whether an answer or bytes of its body have come a short time ago.
  bool receives(base::Steady now) const;
  /// Whether bytes have come over another one a short time ago.
  bool others_receive(const TransferConnection& member, base::Steady now) const;
  /// Whether another one works whose last answer was good: between its pieces too.
  bool others_are_served(const TransferConnection& member) const;
  /// Whether another one records the ETag, or is to try that again.
  bool others_record(const TransferConnection& member) const;

  /// An answer came `seconds` after its request.
  void answered_after(double seconds);

  /// What a connection brings in eight times the time until an answer: with pieces of that size, it is idle for an
  /// eighth of its time at most. 0 while one of the two is unknown.
  std::int64_t worth_an_answer(base::Steady now) const;

  /// The working connections beyond `target`, beginning with the one that would end last. `at_once`: also those that
  /// wait for a link, and those that end soon.
  std::vector<TransferConnection*> surplus(int target, bool at_once, base::Steady now);

  /// The back part of what one has left.
  struct Share {
    TransferConnection* of = nullptr;
    std::int64_t from = 0;
  };
  /// Of the one that would end last, if that is worth a request of `taker`. All that it has left is taken only if
  /// `may_replace`.
  std::optional<Share> share_of_the_last(const TransferConnection& taker, bool may_replace, base::Steady now);

 private:
  /// The rate of the connection that is the fastest, in bytes per second; of `taker`, what it last brought.
  double fastest(const TransferConnection* taker, base::Steady now) const;
  /// How long an answer takes.
  double answer_seconds() const;
  /// Its bytes per second, 0 if it is stalled; empty while nothing is known.
  std::optional<double> rate_of(const TransferConnection& member, base::Steady now) const;

  std::map<int, TransferConnection> members_;
  int newest_ = 0;
  double answer_time_ = 0;  ///< on average, in seconds; 0: none has come
};

}  // namespace vtmirror::core
