// One file's transfer as a state machine: each connection reports an event and receives its next step.
// Retry, renewal, start over, giving up and the number of connections are decided here; time and chance are arguments.
// Never touches the network, a file or a clock, and never decides by an error's text.
//
// The rules, each with its reason:
//
//  1. One connection asks first. The others are opened when an answer has brought the part that was asked for: until
//     then nobody knows which object it is, or whether the store honours ranges.
//  2. There are at most as many connections as the target says, and at most one for each piece that is left: a
//     connection that finds nothing to do has cost a handshake.
//  3. Connections join and leave between pieces: a body that is cut short costs its connection.
//  4. What a connection has handed to the disk stays its own until it is written; the rest of its range is anybody's
//     once it failed. So no byte is asked for twice at one time, and none is forgotten.
//  5. A body that brings the whole file is received only where one connection is left. Beside others it is a failure:
//     it would bring again what they are fetching.
//  6. What follows a failure is for `next_attempt` alone. A byte that the file lacked ends a row of failures; a skipped
//     byte does not: otherwise a store that ignores ranges and breaks at the same byte would be asked for ever.
//  7. A pause holds for every connection that fails while it lasts, and such failures count once: an outage breaks all
//     connections at one time. Connections that still receive are left alone.
//  8. A refused link is no failure where another connection has reported the links of its listing already: one fresh
//     listing replaces them all.
//  9. A renewed link that is refused before any answer was good is the end: the next one would be refused too.
// 10. A link that cannot be had, an ETag that cannot be recorded and a wait that is interrupted are final: all that
//     could be tried was tried, or the program stops.
// 11. When the object has changed, every connection leaves, and the file is fetched from nothing, once.
// 12. A failure of the disk outranks every other: after it nothing that is not durable can be believed.
// 13. A clock that goes back before the last failure ends its pause: no wait is longer than one that was decided.
#pragma once

#include "vtmirror/core/answer.hpp"
#include "vtmirror/core/pieces.hpp"
#include "vtmirror/core/retry.hpp"

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace vtmirror::core {

struct TransferRules {
  int attempts = 8;     ///< `download.attempts`
  int connections = 4;  ///< the target at the start, for which the file is cut into pieces
};

/// What happened on a connection.
struct StepDone {};       ///< the step was carried out, to its end
struct LinkFound {        ///< the answer to `find_link`
  int listing = 0;        ///< which listing brought the link; later ones have higher numbers
  std::int64_t size = 0;  ///< what that listing says of the file
};
struct AnswerCame {  ///< the answer to `ask`, with a status that `brings_bytes`
  RangeAnswer answer;
};
struct MoreCame {};  ///< `expect_end` met another byte
struct StepFailed {  ///< the step broke, or was refused
  base::Error error;
};
using TransferEvent = std::variant<StepDone, LinkFound, AnswerCame, MoreCame, StepFailed>;

/// A failure after which the transfer continues, for the journal.
struct Retried {
  base::Error why;
  Next next{};
  base::Milliseconds pause{};
  int attempt = 1;  ///< the attempt that begins now, of those that brought no byte
  friend bool operator==(const Retried&, const Retried&) = default;
};

/// What a connection does next; and before that, what the failure that it reported, or its answer, means for others.
struct TransferStep {
  enum class Kind {
    find_link,   ///< a link of a listing newer than `newer_than`: `LinkFound`, or a failure
    ask,         ///< for `range`, on condition of `etag` unless it is empty: `AnswerCame`, or a failure
    record,      ///< the ETag `etag`, before a byte of it is durable
    receive,     ///< drop `skip` bytes of the body, and hand `range` to the disk; report what comes by `received`
    expect_end,  ///< of the body: done, also where the connection breaks now, or `MoreCame`
    wait,        ///< for `pause`
    leave,       ///< the connection ends; nothing more is reported of it
  };
  enum class Close { none, own, all };

  Kind kind = Kind::leave;
  Range range{};
  std::int64_t skip = 0;
  int newer_than = 0;
  std::string etag{};
  base::Milliseconds pause{};

  std::optional<Retried> retried{};  ///< to be reported
  std::vector<int> open{};           ///< connections to open, by number: each begins with `StepDone`
  Close close = Close::none;         ///< connections to the store that are not left as they are
  friend bool operator==(const TransferStep&, const TransferStep&) = default;
};

/// How a round ended.
struct RoundEnd {
  enum class Kind { finished, start_over, give_up };
  Kind kind = Kind::finished;
  base::Error why{};  ///< of `give_up`
  friend bool operator==(const RoundEnd&, const RoundEnd&) = default;
};

/// A transfer is one or more rounds: `begin`, events until every connection has left and every write has ended,
/// `end`. After `start_over` the caller asks for a fresh listing, says its size by `start_over`, and begins again.
class Transfer {
 public:
  /// Time and chance: `dice` is a number in [0, 1).
  struct Moment {
    base::Steady now{};
    double dice = 0;
  };

  /// `durable` are the bytes of this object that are on disk already.
  Transfer(TransferRules rules, Identity identity, RangeSet durable);

  /// A round begins with what is durable. Returns the connections to open.
  std::vector<int> begin();
  /// What `connection` does next. Its last step has ended in `event`.
  TransferStep on(int connection, const TransferEvent& event, Moment at);
  /// So many more bytes of the range that `connection` receives have been handed to the disk.
  void received(int connection, std::int64_t bytes);
  /// Whether connections are to leave: nothing that they still receive is of use.
  bool over() const { return disk_failure_ || failure_ || start_over_; }
  /// From now on there are to be so many connections, and at least one. Returns those to open at once; what is too much
  /// leaves between pieces.
  std::vector<int> aim(int connections);
  RoundEnd end() const;

  /// Between rounds: nothing on disk is of use any more.
  void forget();
  /// Between rounds: the listing's object is another one by now, of this size.
  void start_over(std::int64_t size);

  /// The disk's part. `synced` carries what `written_ranges` was when the sync began.
  void written(Range range) { pieces_.written(range); }
  RangeSet written_ranges() const { return pieces_.written_ranges(); }
  void synced(const RangeSet& ranges) { pieces_.durable(ranges); }
  /// The kernel may have dropped the pages that it could not write, and would report success next time.
  void sync_failed(const base::Error& error);
  /// A write or a record of what is durable failed.
  void disk_failed(const base::Error& error);
  bool has_disk_failed() const { return disk_failure_.has_value(); }
  /// Whether a sync would make more bytes durable.
  bool is_behind() const { return pieces_.bytes_written() > pieces_.durable_ranges().size(); }

  const Identity& identity() const { return identity_; }
  const RangeSet& durable_ranges() const { return pieces_.durable_ranges(); }
  std::int64_t bytes_written() const { return pieces_.bytes_written(); }

 private:
  using Kind = TransferStep::Kind;

  struct Connection {
    int number = 0;
    Kind doing = Kind::wait;
    Range claimed{};  ///< what it has claimed and not handed to the disk
    Content content{};
    int listing = 0;  ///< of its link
  };

  /// From a failure to the end of the wait that was decided then.
  struct Pause {
    base::Steady from{};
    base::Steady until{};
    bool holds(base::Steady now) const { return from <= now && now < until; }
  };

  TransferStep heard(Connection& connection, const StepDone& event, Moment at);
  TransferStep heard(Connection& connection, const LinkFound& event, Moment at);
  TransferStep heard(Connection& connection, const AnswerCame& event, Moment at);
  TransferStep heard(Connection& connection, const MoreCame& event, Moment at);
  TransferStep heard(Connection& connection, const StepFailed& event, Moment at);

  TransferStep next_piece(Connection& connection);
  TransferStep receive(Connection& connection);
  TransferStep fail(Connection& connection, const base::Error& error, Moment at);
  TransferStep give_up(Connection& connection, const base::Error& error);
  TransferStep leave(Connection& connection);
  TransferStep step(Connection& connection, Kind kind);
  void give_back(Connection& connection);
  void pause(base::Steady now, base::Milliseconds length);
  void cut();
  int join();
  std::vector<int> recruit();

  int target_;
  Identity identity_;
  std::int64_t piece_size_ = 1;
  Pieces pieces_;
  std::map<int, Connection> connections_;
  int newest_connection_ = 0;
  bool shared_ = false;  ///< an answer of this round has brought a part: others may help

  Attempts attempts_;
  int refused_listing_ = 0;  ///< links of this listing and of those before are of no use
  bool renewed_ = false;     ///< a link was renewed after a refusal, and no answer was good since
  Pause pause_;

  bool start_over_ = false;
  std::optional<base::Error> failure_;
  std::optional<base::Error> disk_failure_;
};

}  // namespace vtmirror::core
