// What people and programs are told: one thing that became true, as a value that every channel can carry. Pure.
// Promises that its JSON says all of it. Never holds a secret, a token or the query of a link.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/base/time.hpp"
#include "vtmirror/core/files.hpp"
#include "vtmirror/core/problem.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::core {

/// What a channel can ask to be told of: the words of `hook.on`. `test` is never queued: `vtmirror notify test` alone
/// tells it.
enum class Topic { published, cycle, warning, test };
std::string_view name(Topic topic) noexcept;

enum class Urgency { info, warning, error };
std::string_view name(Urgency urgency) noexcept;

/// What begins is over some day; the rest happens once.
enum class Stage { single, began, over };
std::string_view name(Stage stage) noexcept;

/// "file", "bytes", "days_left": none of the JSON's own keys.
using NoticeField = Field;

struct Notice {
  Topic topic{};
  std::string code;  ///< "published", "cycle", "late_delta", "secret_expires", ...
  Urgency urgency = Urgency::info;
  Stage stage = Stage::single;
  std::string message;  ///< one line for people, with everything that matters
  base::Time at{};      ///< when it became true
  std::vector<NoticeField> fields{};
  /// Given by the catalogue when it is queued, and the same in every attempt to deliver it: what a receiver knows a
  /// repeated notice by.
  std::string id{};
  friend bool operator==(const Notice&, const Notice&) = default;
};

/// {"schema": 1, "id": "...", "event": "warning", "code": "late_delta", "level": "warning", "stage": "began",
///  "at": "2026-11-18T14:03:10Z", "message": "...", and the fields}. Without an id, and for a single notice without a
/// stage, those keys are left out.
std::string notice_json(const Notice& notice);
/// What `notice_json` wrote, but for fractions of a second. Errors: protocol.
base::Result<Notice> parse_notice(std::string_view json);

/// Which of a channel's notices is next.
enum class DeliveryOrder {
  kept,    ///< the oldest, so that one that fails holds up the rest
  by_due,  ///< the one that is due first
  newest,  ///< the newest alone is worth telling: older ones go with it
};

inline constexpr std::chrono::seconds longest_delivery_pause = std::chrono::hours(6);
/// How long to wait after so many attempts that failed: a minute, then more, up to six hours, for ever. `asked` is what
/// the other side asked for, if it did.
std::chrono::seconds delivery_pause(int failed_attempts, std::optional<std::chrono::seconds> asked);

/// A file became public in that generation.
Notice published_notice(const FileRecord& file, std::int64_t generation);

}  // namespace vtmirror::core
