// A notice: one event, as a value that every channel can carry to people and programs. Pure.
// Its JSON contains all of it. Never holds a secret, a token or the query of a link.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/base/time.hpp"
#include "vtmirror/core/cause.hpp"
#include "vtmirror/core/chain.hpp"
#include "vtmirror/core/files.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::core {

/// What a channel can subscribe to. `test` is never queued; only `vtmirror notify test` sends it.
enum class Topic { chain, published, cycle, warning, test };

/// The names as the settings (`hook.on`), the catalogue and the notices have them, in the order of the values.
inline constexpr std::array<std::string_view, 5> topic_names{"chain", "published", "cycle", "warning", "test"};
constexpr std::string_view name(Topic topic) noexcept { return topic_names[static_cast<std::size_t>(topic)]; }
constexpr std::optional<Topic> topic_of(std::string_view name) noexcept {
  for (std::size_t i = 0; i < topic_names.size(); ++i)
    if (topic_names[i] == name) return static_cast<Topic>(i);
  return std::nullopt;
}

/// All that can be subscribed to: every topic but `test`, which is the last.
inline constexpr auto subscribable = [] {
  std::array<Topic, static_cast<std::size_t>(Topic::test)> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Topic>(i);
  return all;
}();
static_assert(topic_names.size() == subscribable.size() + 1, "each topic has a name");

enum class Urgency { info, warning, error };
std::string_view name(Urgency urgency) noexcept;

/// A state that begins is over some day; other events happen once.
enum class Stage { single, began, over };
std::string_view name(Stage stage) noexcept;

/// "file", "bytes", "days_left": none of the JSON's own keys.
using NoticeField = Field;

/// How the chain to load differs from the one that was announced last.
struct ChainNews {
  std::string session;
  std::int64_t generation = 0;  ///< the manifest on the shelf is of this one or a later one
  bool complete = false;
  std::optional<base::Date> through{};
  std::vector<std::string> added{};     ///< names that the chain before had not, in load order
  std::vector<std::string> replaced{};  ///< names with other bytes than before, in load order
  std::vector<std::string> removed{};   ///< names that the chain has no longer
  friend bool operator==(const ChainNews&, const ChainNews&) = default;
};

struct Notice {
  Topic topic{};
  std::string code;  ///< "published", "cycle", "late_delta", "secret_expires", ...
  Urgency urgency = Urgency::info;
  Stage stage = Stage::single;
  std::string message;  ///< one line for people, complete in itself
  base::Time at{};      ///< the time of the event
  std::vector<NoticeField> fields{};
  std::optional<ChainNews> chain{};  ///< of the topic `chain`, and of no other
  /// Assigned by the catalogue when the notice is queued, and the same in every delivery attempt, so that receivers can
  /// recognise a repeated notice.
  std::string id{};
  friend bool operator==(const Notice&, const Notice&) = default;
};

/// {"schema": 1, "id": "...", "event": "warning", "code": "late_delta", "level": "warning", "stage": "began",
///  "at": "2026-11-18T14:03:10Z", "message": "...", and the fields, or those of the chain}. Without an id, and for a
/// single notice without a stage, those keys are left out.
std::string notice_json(const Notice& notice);

/// The field of a notice with what happened in few words, the cause first; without it they are the message.
inline constexpr std::string_view headline_field = "headline";
/// The field with what to do about a problem.
inline constexpr std::string_view remedy_field = "remedy";
/// The field with why, for programs: files have their whole paths. A warning's message says the same for people.
inline constexpr std::string_view reason_field = "reason";
/// What `notice_json` wrote, but for fractions of a second. Errors: protocol.
base::Result<Notice> parse_notice(std::string_view json);

/// Which of a channel's notices is sent next.
enum class DeliveryOrder {
  kept,    ///< the oldest, so that a notice that fails blocks the later ones
  by_due,  ///< the one that is due first
  newest,  ///< only the newest is worth sending: older ones are dropped with it
};

inline constexpr std::chrono::seconds longest_delivery_pause = std::chrono::hours(6);
/// How long to wait after that many failed attempts: a minute, then more, up to six hours, without end. `asked` is the
/// wait that the receiver asked for, if any.
std::chrono::seconds delivery_pause(int failed_attempts, std::optional<std::chrono::seconds> asked);

/// A file became public in that generation.
Notice published_notice(const FileRecord& file, std::int64_t generation);

/// The chain of that edition is another than the one of `before`, which was announced last.
Notice chain_notice(std::span<const Held> before, const Chain& now, const Edition& edition, base::Time at);

/// A channel that has repeatedly refused a notice or could not be reached.
struct FailingChannel {
  std::string name;
  base::Time since{};        ///< the time of the oldest notice that waits for it
  std::int64_t waiting = 0;  ///< number of notices
  Cause cause;               ///< of that notice's last attempt; without a subject
  friend bool operator==(const FailingChannel&, const FailingChannel&) = default;
};
/// A notice that could not be delivered for longer than this is a problem.
inline constexpr std::chrono::hours longest_silence{24};

}  // namespace vtmirror::core
