// What a consumer has to load next: the files that lead from what it has acknowledged to the mirror's chain.
// Promises that a consumer that loads each offer in order and acknowledges it ends with the data of every day, each
// applied in order, or is offered a bulk load. Never offers a file that is not held. Pure values; also their stored
// form.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/base/time.hpp"
#include "vtmirror/core/chain.hpp"
#include "vtmirror/core/files.hpp"
#include "vtmirror/core/history.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::core {

/// Letters, digits, - _ and . up to 64 characters, and not dots alone.
bool is_consumer_name(std::string_view name) noexcept;

/// What a consumer has loaded, as it acknowledged.
struct Position {
  std::string session;
  std::int64_t generation = 0;
  base::Date start{};                    ///< of the bulk file of the chain that it follows
  std::optional<Held> bulk{};            ///< that file, if it was loaded; empty since deltas joined on to another chain
  std::vector<Held> deltas{};            ///< of that chain, in load order
  std::vector<base::Date> assumed{};     ///< days on whose absence the joins since the last bulk load rest
  std::optional<base::Date> through{};   ///< the date of the last file that was loaded
  std::optional<base::Time> reloaded{};  ///< when the last bulk load was acknowledged
  friend bool operator==(const Position&, const Position&) = default;
};

enum class LoadAction {
  none,    ///< everything is loaded
  append,  ///< load the files after what is loaded
  reload,  ///< empty the table, then load the files
  wait,    ///< a file is missing
};
std::string_view name(LoadAction action) noexcept;
std::optional<LoadAction> load_action_named(std::string_view word) noexcept;

enum class LoadReason {
  nothing_new,     ///< none
  more,            ///< append: `count` files since `day`
  late,            ///< append: `file` was listed after later ones, which follow it once more
  first,           ///< reload: nothing was acknowledged
  other_session,   ///< reload
  replaced,        ///< reload: `file` was loaded in another edition
  misplaced,       ///< reload: `file` is not where it was in the order
  gap,             ///< reload, or wait for a bulk file: `file`, or the delta of `day`, is not held and no longer listed
  was_not_absent,  ///< reload: a delta of `day` was listed after all
  assumes_absent,  ///< reload: it would rest on the absence of a delta of `day`, and `strict` is set
  due,             ///< reload: the last one was `count` days ago
  nothing_held,    ///< wait: no bulk file is held
  missing,         ///< wait: for `file`
  not_known,       ///< wait: no listing covered `day`
};
std::string_view name(LoadReason reason) noexcept;
std::optional<LoadReason> load_reason_named(std::string_view word) noexcept;

/// Why an offer is what it is; `report` makes the sentence.
struct LoadWhy {
  LoadReason reason{};
  std::string file{};
  std::optional<base::Date> day{};
  std::int64_t count = 0;
  std::optional<MissingReason> missing{};
  friend bool operator==(const LoadWhy&, const LoadWhy&) = default;
};

struct Offer {
  LoadAction action = LoadAction::none;
  LoadWhy why{};
  std::vector<Held> files{};                 ///< in load order; empty unless `append` or `reload`
  std::optional<base::Date> through{};       ///< the date of the last file that is loaded then
  std::vector<base::Date> assumes_absent{};  ///< days on whose absence a join to another chain rests, ascending
  Position after{};                          ///< of a consumer that has loaded it; meaningless without files
  friend bool operator==(const Offer&, const Offer&) = default;
};

/// What is remembered of a consumer.
struct ConsumerRecord {
  std::string name;
  base::Time created{};
  base::Time asked{};                           ///< when it was answered or acknowledged last
  base::Time kept_up{};                         ///< when it last had all that it could load, as it acknowledged
  std::optional<Position> position{};           ///< empty: it has acknowledged nothing
  std::string acknowledged{};                   ///< its last ticket; may be empty
  std::optional<base::Time> acknowledged_at{};  ///< when that was
  std::optional<Offer> offer{};                 ///< what it was offered last, and has not acknowledged
  std::string ticket{};                         ///< of the offer; empty if it no longer stands
  std::optional<base::Time> offered_at{};       ///< since when the offer's files are kept
};

enum class Acknowledgement {
  done,
  repeated,  ///< of the last ticket: nothing has changed
  unknown_consumer,
  unknown_ticket,  ///< or one of an older answer
};

struct ConsumerRules {
  bool strict = false;                   ///< reload if a join rests on an absent day
  std::chrono::seconds reload_every{0};  ///< 0: never
  std::chrono::seconds lease = std::chrono::days(7);
  std::chrono::seconds forget = std::chrono::days(90);
  friend bool operator==(const ConsumerRules&, const ConsumerRules&) = default;
};

/// What the mirror has at one moment. The chain is `chain_of` of the others.
struct MirrorNow {
  const Edition& edition;
  const Calendar& calendar;
  std::span<const Held> held;
  const Chain& chain;
};

/// What a consumer at `position` has to load. Empty: it has acknowledged nothing.
/// - `reload` offers the chain. It is `wait` instead if nothing can be loaded, and while the chain ends before what was
///   loaded, because a file is missing there.
/// - The deltas that follow are those of the calendar, by date, up to the first day that is neither held nor absent.
///   What was acknowledged need not be on disk any more.
/// - A delta that was listed late is offered together with all later deltas, which are loaded once more: its older data
///   must not stay on top. While one of them is not held, it is `wait`.
/// - It is `reload` when a file that was acknowledged was replaced by another edition that is or was held; when it is
///   no longer where it was in the order; and when another chain has begun and the deltas do not join on: a day between
///   was not held in the edition that was listed last, was acknowledged in another one, is no longer held, or was
///   covered by no listing.
/// - Absent days between the beginnings of the two chains are assumed to be absent; a delta of such a day that is
///   listed after all is `reload`.
Offer next_offer(const std::optional<Position>& position, const MirrorNow& mirror, const ConsumerRules& rules,
                 base::Time now);

/// Whether both have the same bytes, as far as can be known.
bool is_same_edition(const Held& one, const Held& other) noexcept;

/// Whether all files of the offer are held as they were offered.
bool is_held(const Offer& offer, std::span<const Held> held);

/// The position of a consumer that has loaded `offer`, acknowledged now.
Position acknowledged(const Offer& offer, base::Time now);

/// The generation whose later changes `behind_since` needs.
std::int64_t known_generation(const std::optional<Position>& position, const Offer& offer) noexcept;

/// When the first file came that the consumer has not loaded, also if another edition or another chain has taken its
/// place since then. `files`: the public ones; `changes`: those after `known_generation`. Empty while it has nothing to
/// load.
std::optional<base::Time> behind_since(const std::optional<Position>& position, const Offer& offer,
                                       std::span<const FileRecord> files, std::span<const Change> changes);

/// The newest day up to which the chain is complete: each day until then is held, or was absent. Empty if there is
/// none.
std::optional<base::Date> complete_through(const Chain& chain);

// As they are stored. Reading errors: protocol.
std::string text_of(const Position& position);
base::Result<Position> parse_position(std::string_view text);
std::string text_of(const Offer& offer);
base::Result<Offer> parse_offer(std::string_view text);

}  // namespace vtmirror::core
