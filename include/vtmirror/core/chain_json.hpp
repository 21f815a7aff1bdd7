// The members by which manifest.json and `vtmirror coverage --json` say what a chain is (vtmirror-api(7)).
// Promises that both say the same, in the same order.
#pragma once

#include "vtmirror/core/chain.hpp"

#include <boost/json/object.hpp>

#include <span>
#include <string>

namespace vtmirror::core {

/// The version of the form of these members.
inline constexpr int manifest_schema = 2;

/// Adds `chain`, `complete`, `through`, `missing`, `absent_upstream`, `unaccounted` and `continues`. `details`: a
/// sentence for each missing file, in their order, "" for none; may be empty as a whole.
void put_chain(boost::json::object& object, const Chain& chain, std::span<const std::string> details = {});

}  // namespace vtmirror::core
