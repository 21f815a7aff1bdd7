// Which files to load in which order, which days they cover, and what is missing and why.
// Promises that a chain can always be loaded from its start: it begins with a bulk file and has no hole that is ours.
#pragma once

#include "vtmirror/base/time.hpp"
#include "vtmirror/core/listing.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace vtmirror::core {

/// A file that a listing named, without its link.
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

/// Tells who has loaded the chain before, up to `after`, whether this chain's deltas join on to it.
struct Continues {
  std::string after;        ///< the last file that is held of what came before this chain
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

/// The days of the listing's cycle that have no delta: from the bulk file's date (or from the first listed delta, where
/// that is earlier) to the last listed delta. Today's, not yet listed, is not among them. A listing with more than one
/// bulk file is of the newest one's cycle, and the deltas before its date belong to the older one's.
std::vector<base::Date> absent_days(std::span<const Listed> listing);

/// The chain of the newest listing over what is held. The order of the arguments' elements does not matter.
/// - Files: the listed bulk file, when it is held, then the listed deltas up to the first that is missing. While the
///   listed bulk is not held yet (or none is listed), the chain goes on from the newest bulk file that is held, with
///   the deltas held since, and with the listed ones as long as no day is lost on the way, so that a 40 GB download
///   never takes away what can be loaded today.
/// - A day without a delta is lost unless it was absent upstream: then its data comes later (vtmirror-service(7) 1,
///   rule 5). The listing tells so for its own cycle only; `earlier_absent` adds what the last listing of each earlier
///   cycle told. Those of them that the files pass over are in `absent_upstream` as well.
/// - A version that upstream has replaced stays in the chain until the new one is held, and its name is in `missing`.
/// - `continues`: against what is held from before the chain's first delta; contiguous when every day between is absent
///   upstream. Empty when nothing earlier is held.
Chain chain_of(std::span<const Listed> listing, std::span<const Held> held,
               std::span<const base::Date> earlier_absent = {});

}  // namespace vtmirror::core
