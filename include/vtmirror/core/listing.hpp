// What the service says it has: one bulk file and the deltas of its cycle, each with a link that lives minutes.
// Promises that every entry that comes out of here has a name that stays inside the mirror, a plausible size and dates
// that agree. Never trusts the order or the completeness of the text it reads.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/base/secret.hpp"
#include "vtmirror/base/time.hpp"

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
  base::Date date{};  ///< the day of the file: `fileCreatedOn`, with which the dates in the name agree
  base::Secret link;  ///< `downloadUrl`, whole; a secret, since its query opens the file
};

/// An entry that was not taken, and why. `name` is printable, or the entry's position ("delta[3]") where it has none.
struct RefusedEntry {
  std::string name;
  std::string why;
  friend bool operator==(const RefusedEntry&, const RefusedEntry&) = default;
};

struct Listing {
  std::vector<Entry> entries;  ///< bulk first, then deltas by date
  std::vector<RefusedEntry> refused;
};

/// Largest size that is believed (1 TiB): beyond it an entry is refused as absurd.
inline constexpr std::int64_t largest_file = std::int64_t{1} << 40;
/// Largest listing that is read, in bytes.
inline constexpr std::size_t largest_listing = std::size_t{4} << 20;

struct ListingRules {
  bool allow_http = false;  ///< links may be plain http (loopback tests only)
};

/// Reads the listing's JSON (vtmirror-service(7) 2.1). Errors: protocol, when it is no JSON, too deep, or lacks `bulk`
/// or `delta`; a single bad entry is refused, and the rest goes on.
base::Result<Listing> parse_listing(std::string_view json, const ListingRules& rules);

/// Ok when `name` is a plain relative path that stays in the mirror and collides with nothing of ours
/// (`.vtmirror`, `manifest.json`, `SHA256SUMS`, `current`): no empty, `.` or `..` part, no backslash, no control
/// character, no part over 255 bytes, 1,024 bytes in all, valid UTF-8. Errors: protocol, with the reason.
base::Result<void> check_name(std::string_view name);

/// What a file is by its name alone ("v1/public/delta/year=2026/.../delta-light-vehicle_18-11-2026.zip"); empty where
/// the name does not say both.
struct NamedFile {
  Kind kind{};
  base::Date date{};
  friend bool operator==(const NamedFile&, const NamedFile&) = default;
};
std::optional<NamedFile> read_name(std::string_view name);

/// How long a link lives from now on: `X-Amz-Date` + `X-Amz-Expires` - `server_now`, never more than `X-Amz-Expires`;
/// 300 s where the link says nothing readable (vtmirror-service(7) 8). Both forms of X-Amz-Date are read
/// (vtmirror-service(7) 10.2). `server_now` is the listing's own `Date` header, so a wrong local clock does no harm.
std::chrono::seconds link_lifetime(std::string_view link, std::optional<base::Time> server_now);

}  // namespace vtmirror::core
