// Checks the form of a download link. Its signature is checked by the store alone.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/core/listing.hpp"

#include <string_view>

namespace vtmirror::core {

/// Ok if `link` is an https address (or http, if the rules allow it) with a host and without a user part, in
/// printable ASCII. Errors: protocol, with a reason that never quotes the link.
base::Result<void> check_link(std::string_view link, const ListingRules& rules);

}  // namespace vtmirror::core
