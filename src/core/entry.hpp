// One file entry of the listing, field by field. An entry that is returned has passed every check that does not involve
// other entries.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/core/listing.hpp"

#include <boost/json/value.hpp>

namespace vtmirror::core {

/// Errors: protocol, with the field and what is wrong with it. Never quotes a link.
base::Result<Entry> read_entry(const boost::json::value& json, Kind kind, const ListingRules& rules);

}  // namespace vtmirror::core
