// One file's transfer as a state machine: each connection reports an event and receives its next step.
// Retries, renewal, starting over, giving up and the number of connections are decided here; time and chance are
// arguments.
// Never touches the network, a file or a clock, and never decides by an error's text.
//
// The rules, each with its reason:
//
//  1. One connection asks first. The others open once an answer has brought the requested part: until then it is
//     unknown whether the store honours ranges. If it has done so before (`expects_parts`), all begin at once: the
//     first answer takes three round trips (TCP, TLS, the request), in which a line of 1 Gbit/s and 80 ms brings 30 MB.
//  2. There are at most as many connections as the target says, and at most one for each piece that is left: a
//     connection without work costs a handshake.
//  3. Connections join and leave between pieces, because a body that is cut short costs its connection. But one that is
//     surplus leaves at once if its piece would take more than two seconds: too many may be why a line has collapsed.
//     Each one does if `at_once` is asked for: another file needs its place. The last one never leaves, unless
//     nothing is left to request.
//  4. Bytes that a connection has passed to the disk stay claimed by it until they are written. After a failure, any
//     connection may request the rest of its range. So no byte is requested twice at one time, and none is forgotten.
//  5. A body with the whole file is accepted only if one connection is left. Beside other connections it is a failure,
//     because it would repeat the bytes that they are downloading. If no answer of the round has brought a part, it is
//     no failure: its connection leaves, and so do others until one is left.
//  6. Only `next_attempt` decides what follows a failure. A byte that the file lacked ends a row of failures; a skipped
//     byte does not, or a store that ignores ranges and breaks at the same byte would be asked forever. Failures in all
//     count only while the transfer makes no progress: not after a MiB. Beside a connection that receives, each one
//     counts its own failures in a row, which end nothing, and has pauses of its own: they grow, so that a store which
//     answers only some of the connections is not asked by the others all the time.
//  7. A pause applies to every connection that fails while it lasts, and such failures count once: an outage breaks all
//     connections at one time. A connection whose wait has ended waits again if the pause was extended meanwhile: none
//     asks during a pause, or failures that count once would never end. Connections that still receive are not
//     disturbed.
//  8. A refused link is not counted as a failure if another connection has already reported the links of its listing:
//     one fresh listing replaces them all.
//  9. If a renewed link is refused before any good answer, the transfer ends: the next link would be refused too. The
//     links are valid if another connection at work had a good answer last: then it is a failure like any other,
//     because a firewall may refuse a request too many, and links are renewed once in five minutes.
// 10. A link that cannot be obtained and a wait that the program's stop interrupts are final: every remedy has been
//     tried, or the program is stopping. But while other connections receive, the one without a link leaves, and no
//     other one joins: what the earlier links still bring is kept.
// 11. When the object has changed, every connection leaves, and the file is downloaded again from the start, once.
// 12. A disk failure outranks every other failure: after it, bytes that are not durable cannot be relied on.
// 13. A clock that goes back to before the last failure ends its pause: no wait is longer than what was decided.
// 14. A wait ends early once it is pointless: the transfer is over, or no piece is left to claim. Otherwise one pause
//     would hold back the end of a file that the other connections have completed. If a piece was given back before the
//     connection heard of it, the connection waits for the rest of its pause.
// 15. A catalogue that is busy costs no transfer, because a backup may hold its lock for longer than a call waits for
//     it. An ETag that cannot be recorded for this reason is recorded after a pause. One connection records it, and no
//     other one receives before that: bytes without it would be resumed on their size alone. The watermark is recorded
//     with the next sync, and after the last one it is tried again as the ETag is. These tries are limited like those
//     of the store, and counted on their own. Every other failure to record is final.
// 16. An answer without its ETag, if one is known, counts if its total is right and another answer of this transfer
//     has carried the ETag: one server of many that forgets it must not cost 40 GB. Otherwise only its size identifies
//     the object: the first such answer is a failure, and a second one without a good answer between them means that
//     the object has changed.
// 17. Between two rounds no connection is opened, whatever the target: the caller waits until all have left.
// 18. If the number of connections is found (`found`), the target changes during a round, and the piece size follows
//     it. A connection that fails while there are more than wanted leaves instead of waiting.
// 19. With `splits_rest`, a connection without a piece takes the back of what the one that would end last has left, so
//     that both end at one time. It takes all of it if that one is stalled, also before its answer: one slow
//     connection, or one with a large piece, must not hold up the end. It is not worth a request below a MiB, or if the
//     rest comes nearly as soon as an answer. Until then it waits, because the others may fail.
// 20. Each piece is a share of what no connection has claimed yet: large at first, because each piece costs a request,
//     and small at the end, so that all connections end at nearly the same time. If an answer takes so long that a
//     connection would be idle for more than an eighth of its time, the shares are larger (`splits_rest`).
// 21. A connection that is refused because there are too many leaves while another one receives, and counts as no
//     failure, whatever pause was asked for: fewer are what the store wants.
// 22. If the connections of other files are too many for the store (`crowded`), a refusal is no failure either: the
//     others give way, and the request is repeated after seconds, whatever pause was asked for.
// 23. A target of 0 holds the transfer: its last connection to the store is closed, and it waits for another target. Of
//     a body with the whole file, the rest comes nevertheless: it could not be resumed.
#pragma once

#include "vtmirror/core/answer.hpp"
#include "vtmirror/core/pieces.hpp"
#include "vtmirror/core/retry.hpp"
#include "vtmirror/core/transfer_connections.hpp"
#include "vtmirror/core/transfer_step.hpp"

#include <optional>
#include <string>
#include <vector>

namespace vtmirror::core {

struct TransferRules {
  int attempts = 8;            ///< `download.attempts`
  int connections = 4;         ///< the target at the start
  bool found = false;          ///< the target changes as `aim` says
  bool splits_rest = false;    ///< an idle connection requests the rest of a slow one
  bool expects_parts = false;  ///< this store has honoured ranges before
};

/// A transfer is one or more rounds: `begin`, events until every connection has left and every write has ended, then
/// `end`. After a round ends in start over, the caller requests a fresh listing, passes its size to `start_over`, and
/// begins again.
class Transfer {
 public:
  /// Time and chance: `dice` is a number in [0, 1).
  struct Moment {
    base::Steady now{};
    double dice = 0;
  };

  /// `durable`: the bytes of this object that are already on disk.
  Transfer(TransferRules rules, Identity identity, RangeSet durable);

  /// A round begins with the durable bytes. Returns the connections to open.
  std::vector<int> begin();
  /// What `connection` does next, after its last step ended in `event`.
  TransferStep on(int connection, const TransferEvent& event, Moment at);
  /// Reports that `bytes` more of the range that `connection` receives have come, before they are passed to the disk.
  /// Returns how many of them to pass on; the caller drops the rest, which another connection requests now.
  std::int64_t received(int connection, std::int64_t bytes, base::Steady now);
  /// Whether the connection is still to receive something; otherwise its step ends.
  bool expects(int connection) const;
  /// Whether connections should leave, because nothing that they still receive is needed.
  bool over() const { return disk_failure_ || failure_ || start_over_; }
  /// The connections whose waits have become pointless: the caller ends them early. It asks after each `on`, and after
  /// each failure of the disk.
  std::vector<int> to_wake() const;
  /// Connections to open at once, and those whose connection to the store must be closed: they leave.
  struct Change {
    std::vector<int> open{};
    std::vector<int> close{};
    friend bool operator==(const Change&, const Change&) = default;
  };
  /// Sets the target number of connections; 0 holds the transfer. `at_once`: surplus connections leave in the middle of
  /// their pieces.
  Change aim(int connections, base::Steady now, bool at_once = false);
  RoundEnd end() const;
  /// Connections that ask or receive.
  int busy() const { return connections_.busy(); }
  /// Whether an answer or bytes of its body have come a short time ago.
  bool receives(base::Steady now) const { return connections_.receives(now); }

  /// Between rounds: drops the bytes on disk, which are of no use any more.
  void forget();
  /// Between rounds: the listed object has changed and now has this size.
  void start_over(std::int64_t size);

  /// Reports from the disk. `synced` carries what `written_ranges` was when the sync began.
  void written(Range range) { pieces_.written(range); }
  RangeSet written_ranges() const { return pieces_.written_ranges(); }
  /// The parts of `range` that must be passed to the disk once they have come. The others are already there, and must
  /// not be written again: durable bytes no longer change.
  std::vector<Range> unwritten(Range range) const { return pieces_.unwritten(range); }
  void synced(const RangeSet& ranges) {
    pieces_.durable(ranges);
    recorded();
  }
  /// After a failed sync the kernel may have dropped the pages, and would report success next time.
  void sync_failed(const base::Error& error);
  /// A write failed, or there is no further try to record what is durable.
  void disk_failed(const base::Error& error) {
    if (!disk_failure_) disk_failure_ = error;
  }
  /// What is durable could not be recorded. It is a failure of the disk, unless the next sync may make up for it.
  void watermark_failed(const base::Error& error) {
    if (error.code != base::Errc::catalogue_busy) disk_failed(error);
  }
  bool has_disk_failed() const { return disk_failure_.has_value(); }
  /// Whether a sync would make more bytes durable.
  bool is_behind() const { return pieces_.bytes_written() > pieces_.durable_ranges().size(); }

  /// Reports from the catalogue, outside of `record`. A failure returns the next try, to be reported and made after its
  /// pause; empty if there is none.
  std::optional<Retried> record_failed(const base::Error& error, Moment at);
  void recorded() { recording_.failed = 0; }

  const Identity& identity() const { return identity_; }
  const RangeSet& durable_ranges() const { return pieces_.durable_ranges(); }
  std::int64_t bytes_written() const { return pieces_.bytes_written(); }

 private:
  using Kind = TransferStep::Kind;

  using Connection = TransferConnection;

  TransferStep heard(Connection& connection, const StepDone& event, Moment at);
  TransferStep heard(Connection& connection, const LinkFound& event, Moment at);
  TransferStep heard(Connection& connection, const AnswerCame& event, Moment at);
  TransferStep heard(Connection& connection, const MoreCame& event, Moment at);
  TransferStep heard(Connection& connection, const Woken& event, Moment at);
  TransferStep heard(Connection& connection, const StepFailed& event, Moment at);

  TransferStep next_piece(Connection& connection, base::Steady now);
  TransferStep take_over_or_wait(Connection& connection, base::Steady now);
  /// Whether there are enough without it, except those that wait.
  bool is_surplus(const Connection& connection) const;
  TransferStep record(Connection& connection);
  /// Otherwise it records the ETag, or waits while another connection does.
  TransferStep receive_if_recorded(Connection& connection, base::Steady now);
  TransferStep record_later(Connection& connection, const base::Error& error, Moment at);
  TransferStep wait(Connection& connection, Pause pause, base::Steady now);
  TransferStep receive(Connection& connection, base::Steady now);
  TransferStep hold(Connection& connection, base::Steady now);
  TransferStep fail(Connection& connection, const base::Error& error, Moment at);
  /// While bytes come over another connection.
  TransferStep fail_beside_others(Connection& connection, const base::Error& error, Moment at);
  /// `pause`: what it waits for, if that holds.
  TransferStep after_failure(Connection& connection, Retried retried, Pause pause, Moment at);
  TransferStep no_link(Connection& connection, const base::Error& error, Moment at);
  TransferStep wait_for_room(Connection& connection, const base::Error& error, Moment at);
  TransferStep give_up(Connection& connection, const base::Error& error);
  TransferStep leave(Connection& connection);
  TransferStep leave_the_whole_to_another(Connection& connection);
  TransferStep step(Connection& connection, Kind kind);
  void give_back(Connection& connection);
  void pause(base::Steady now, base::Milliseconds length);
  void cut(base::Steady now);
  std::vector<int> recruit();

  int target_;
  int cut_for_ = 1;  ///< this number of connections, unless it is found: the target as the round began
  bool found_;
  bool splits_rest_;
  bool expects_parts_;
  Identity identity_;
  std::int64_t piece_size_ = 1;
  Pieces pieces_;
  TransferConnections connections_;
  int replacements_ = 0;  ///< in this round
  /// Whether the store sends parts, so that other connections may join. `shown`: in this round.
  enum class Ranges { unknown, expected, shown };
  Ranges ranges_ = Ranges::unknown;
  Witness witness_;  ///< what the answers said of the object since its ETag is known

  Attempts attempts_;
  Attempts recording_;       ///< of the catalogue
  int crowded_out_ = 0;      ///< refusals because of other files, since the last byte
  int refused_listing_ = 0;  ///< links of this listing and of earlier ones were refused
  bool has_links_ = true;    ///< the last one that was looked for was found
  bool is_recorded_ = true;  ///< the ETag, if it is known
  std::optional<base::Steady> renewed_at_;
  bool renewed_ = false;  ///< a link was renewed after a refusal, with no good answer since
  Pause pause_;

  bool start_over_ = false;
  std::optional<base::Error> failure_;
  std::optional<base::Error> disk_failure_;
};

}  // namespace vtmirror::core
