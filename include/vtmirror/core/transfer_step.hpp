// What a connection of a transfer reports, and what it does next. Only values; the rules are in core/transfer.hpp.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/base/time.hpp"
#include "vtmirror/core/answer.hpp"
#include "vtmirror/core/pieces.hpp"
#include "vtmirror/core/retry.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace vtmirror::core {

/// An event on a connection.
struct StepDone {};       ///< the step was completed
struct LinkFound {        ///< the answer to `find_link`
  int listing = 0;        ///< which listing brought the link; later ones have higher numbers
  std::int64_t size = 0;  ///< the file's size in that listing
};
struct AnswerCame {  ///< the answer to `ask`, with a status that `brings_bytes`
  RangeAnswer answer;
};
struct MoreCame {};  ///< `expect_end` met another byte
struct Woken {};     ///< `wait` was ended early, after `to_wake` had named the connection
struct StepFailed {  ///< the step failed or was refused
  base::Error error;
  bool crowded = false;  ///< the store has too many connections, and those of other files receive
};
using TransferEvent = std::variant<StepDone, LinkFound, AnswerCame, MoreCame, Woken, StepFailed>;

/// A failure after which the transfer continues, for the journal.
struct Retried {
  base::Error why;
  Next next{};
  base::Milliseconds pause{};
  int attempt = 1;  ///< the attempt that begins now; attempts that brought bytes do not count
  friend bool operator==(const Retried&, const Retried&) = default;
};

/// What a connection does next, and what its failure or answer means for the other connections, which comes first.
struct TransferStep {
  enum class Kind {
    find_link,   ///< a link of a listing newer than `newer_than`: `LinkFound`, or a failure
    ask,         ///< for `range`, on condition of `etag` unless it is empty: `AnswerCame`, or a failure
    record,      ///< the ETag `etag`, before a byte of it is durable
    receive,     ///< drop `skip` bytes of the body, pass `range` to the disk; report bytes to `received`
    expect_end,  ///< of the body: done, even if the connection breaks now, or `MoreCame`
    wait,        ///< for `pause`, or until `to_wake` names the connection
    leave,       ///< the connection ends and reports no more events
  };
  enum class Close { none, own, all };

  Kind kind = Kind::leave;
  Range range{};
  std::int64_t skip = 0;
  int newer_than = 0;
  std::string etag{};
  base::Milliseconds pause{};
  bool idle = false;  ///< it waits for bytes to take over, or for a target, and nothing waits for it

  std::optional<Retried> retried{};  ///< to be reported
  std::vector<int> open{};           ///< connections to open, by number: each begins with `StepDone`
  Close close = Close::none;         ///< which connections to the store must be closed
  std::optional<int> close_other{};  ///< whose connection to the store must be closed: this one takes its rest
  friend bool operator==(const TransferStep&, const TransferStep&) = default;
};

/// How a round ended.
struct RoundEnd {
  enum class Kind { finished, start_over, give_up };
  Kind kind = Kind::finished;
  base::Error why{};  ///< of `give_up`
  friend bool operator==(const RoundEnd&, const RoundEnd&) = default;
};

}  // namespace vtmirror::core
