// Which files to load in which order, which days they cover, and what is missing and why.
// Promises that a chain can always be loaded from its start: it begins with a bulk file and omits no day that was
// published.
#pragma once

#include "vtmirror/base/time.hpp"
#include "vtmirror/core/listing.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace vtmirror::core {

/// A listed file, without its link.
struct Listed {
  Kind kind{};
  std::string name;
  base::Date date{};
  std::int64_t size = 0;
  friend bool operator==(const Listed&, const Listed&) = default;
};

/// A file that the mirror holds: public, whole, verified.
struct Held {
  Kind kind{};
  std::string name;
  base::Date date{};
  std::int64_t size = 0;
  std::string sha256;  ///< empty when `mirror.digest` is "none"
  friend bool operator==(const Held&, const Held&) = default;
};

/// For a consumer that has loaded the previous chain up to `after`: whether this chain's deltas continue it.
struct Continues {
  std::string after;        ///< the last held file from before this chain
  bool contiguous = false;  ///< false: the bulk file must be loaded
  friend bool operator==(const Continues&, const Continues&) = default;
};

struct Chain {
  std::vector<Held> files;            ///< load order: the bulk file, then deltas by date; empty when no bulk is held
  bool complete = false;              ///< something is listed, and every listed file is held as listed
  std::optional<base::Date> through;  ///< the date of the last file in `files`
  std::vector<std::string> missing;   ///< listed, not held as listed; in load order
  std::vector<base::Date> absent_upstream;  ///< days without a delta upstream, ascending; see `absent_days`
  std::optional<Continues> continues;
  friend bool operator==(const Chain&, const Chain&) = default;
};

/// The days of the listing's cycle that have no delta: from the bulk file's date (or from the first listed delta, if
/// that is earlier) to the last listed delta. Today's delta, while not listed, is not among them. If a listing has more
/// than one bulk file, its newest one's cycle counts, and deltas dated before it belong to the older one.
std::vector<base::Date> absent_days(std::span<const Listed> listing);

/// The chain of the newest listing, made of the held files. The order of the arguments' elements does not matter.
/// - Files: the listed bulk file, if it is held, then the listed deltas up to the first that is missing. While the
///   listed bulk file is not held yet (or none is listed), the chain continues from the newest held bulk file with the
///   deltas held since, and with the listed ones as long as no day is lost in between. So a 40 GB download never
///   removes what can be loaded today.
/// - A day without a delta is lost unless it was absent upstream: in that case its data comes later
///   (vtmirror-service(7) 1, rule 5). The listing shows this for its own cycle only; `earlier_absent` adds what the
///   last listing of each earlier cycle showed. Those days that the files pass over are in `absent_upstream` too.
/// - A version that upstream has replaced stays in the chain until the new one is held, and its name is in `missing`.
/// - `continues`: relative to the files held from before the chain's first delta; contiguous if every day in between is
///   absent upstream. Empty if nothing earlier is held.
Chain chain_of(std::span<const Listed> listing, std::span<const Held> held,
               std::span<const base::Date> earlier_absent = {});

}  // namespace vtmirror::core
