// One file entry of the listing, read field by field up to the first check that it fails.
#pragma once

#include "vtmirror/core/listing.hpp"

#include <boost/json/value.hpp>

#include <string>
#include <variant>

namespace vtmirror::core {

struct Refused {
  FailedCheck failed;
  std::string words;  ///< the member that failed, and what is wrong with it. Never quotes a link.
};

/// An entry that is returned has passed every check that does not involve other entries.
std::variant<Entry, Refused> read_entry(const boost::json::value& json, Kind kind, const ListingRules& rules);

}  // namespace vtmirror::core
