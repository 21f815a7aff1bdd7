// What a chain lacks, in words for people: a file and why it is missing, and days of which nothing is known.
// Pure.
#pragma once

#include "vtmirror/core/chain.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::report {

/// "not downloaded yet", "quarantined"
std::string_view phrase(core::MissingReason reason);
/// What the phrase does not say: "a member is cut", "it needs 40.0 GB, and ..."; may be empty.
std::string detail(const core::Missing& file);
/// "quarantined: a member is cut"
std::string phrase(const core::Missing& file);
/// The details of all missing files, in their order, as far as a generation states them: those of a manifest.
std::vector<std::string> lasting_details(const core::Chain& chain);

/// "no listing said whether there is a delta of 16 and 17 Nov"
std::string unaccounted(const std::vector<base::Date>& days);

}  // namespace vtmirror::report
