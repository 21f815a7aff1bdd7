// The service's listing: one bulk file and the deltas of its cycle, each with a link that lives minutes.
// Promises that every entry returned has a name that stays inside the mirror, a plausible size and dates that agree.
// Never relies on the order or the completeness of the input.
#pragma once

#include "vtmirror/base/known_secrets.hpp"
#include "vtmirror/base/result.hpp"
#include "vtmirror/base/secret.hpp"
#include "vtmirror/base/time.hpp"
#include "vtmirror/core/entry_check.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::core {

enum class Kind { bulk, delta };
std::string_view name(Kind kind) noexcept;

/// One file entry of the listing (vtmirror-service(7) 2.2).
struct Entry {
  Kind kind{};
  std::string name;  ///< `filename`: the path below the mirror's directory, checked by `check_name`
  std::int64_t size = 0;
  base::Date date{};  ///< the file's day: `fileCreatedOn`; the dates in the name agree with it
  base::Secret link;  ///< `downloadUrl`, complete; a secret, because its query grants access
};

/// A refused entry, and why. `name` is printable.
struct RefusedEntry {
  Kind kind{};       ///< of the array that it stood in
  std::string name;  ///< without one, "delta of 2026-11-16", or its position: "delta[2]"
  std::string why;   ///< for people
  /// The day that it is of, by its name or else by its `fileCreatedOn`; empty if neither can be read.
  std::optional<base::Date> date{};
  FailedCheck failed{};  ///< the same as `why`, as a value
  friend bool operator==(const RefusedEntry&, const RefusedEntry&) = default;
};

struct Listing {
  std::vector<Entry> entries;  ///< bulk first, then deltas by date
  std::vector<RefusedEntry> refused;
  std::optional<base::Date> newest{};  ///< of `refuse_days_to_come`: files of later days are in no chain
};

/// What may be kept of a listing.
Listing without_links(Listing listing);

/// Largest plausible size (1 TiB): an entry above it is refused.
inline constexpr std::int64_t largest_file = std::int64_t{1} << 40;
/// Largest listing that is read, in bytes.
inline constexpr std::size_t largest_listing = std::size_t{4} << 20;

struct ListingRules {
  bool allow_http = false;  ///< links may be plain http (loopback tests only)
  /// Secrets of this client: an entry whose name contains one is refused; in quoted text they are masked.
  const base::KnownSecrets* known = nullptr;
};

/// Reads the listing's JSON (vtmirror-service(7) 2.1). Errors: protocol, if it is not JSON, nested too deeply, or lacks
/// `bulk` or `delta`. A single bad entry is refused, and the rest is read.
base::Result<Listing> parse_listing(std::string_view json, const ListingRules& rules);

/// The latest day that a file can have at `now`: one more than by UTC, because days begin earlier in some zones, and
/// clocks differ.
base::Date newest_day(base::Time now);

/// Refuses the entries of days that are still to come: a service makes no file before its day. The later clock counts,
/// this machine's or the service's `Date`. Clocks may be wrong, so only a day is refused that does not follow a day
/// with an entry.
void refuse_days_to_come(Listing& listing, base::Time now, std::optional<base::Time> server_now);
/// The words of such a refusal.
std::string still_to_come(base::Date day);

/// Ok if `name` is a plain relative path that stays in the mirror and does not collide with a name of the program's own
/// (`.vtmirror`, `manifest.json`, `SHA256SUMS`, `current`): no empty, `.` or `..` part, no backslash, no control
/// character, no part over 255 bytes, at most 1,024 bytes in all, valid UTF-8. Errors: protocol, with the reason.
base::Result<void> check_name(std::string_view name);

/// What a file's name alone says about it ("v1/public/delta/year=2026/.../delta-light-vehicle_18-11-2026.zip"); empty
/// if the name lacks the kind or the day.
struct NamedFile {
  Kind kind{};
  base::Date date{};
  friend bool operator==(const NamedFile&, const NamedFile&) = default;
};
std::optional<NamedFile> read_name(std::string_view name);

/// What a file is called in text for people: "delta 18 Nov" for a name as the service gives them; any other name as it
/// is.
std::string short_name(std::string_view name);

/// The remaining lifetime of a link: `X-Amz-Date` + `X-Amz-Expires` - `server_now`, never more than `X-Amz-Expires`;
/// 300 s if the link's values are not readable (vtmirror-service(7) 8). Both forms of X-Amz-Date are read
/// (vtmirror-service(7) 10.2). `server_now` is the listing's own `Date` header, so that a wrong local clock has no
/// effect.
std::chrono::seconds link_lifetime(std::string_view link, std::optional<base::Time> server_now);

/// How long a link may still be used for a new request: its last 10 s, or the last fifth of a shorter life, are left
/// unused, because the request must reach the store while the link is valid.
base::Milliseconds link_usable_for(std::chrono::seconds lifetime);

}  // namespace vtmirror::core
