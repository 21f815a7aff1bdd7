// The members by which manifest.json and `vtmirror coverage --json` say what a chain is (vtmirror-api(7)).
// Promises that both say the same, in the same order.
#pragma once

#include "vtmirror/core/chain.hpp"

#include <boost/json/object.hpp>

namespace vtmirror::core {

/// Of the form of these members.
inline constexpr int manifest_schema = 2;

/// Adds `chain`, `complete`, `through`, `missing`, `absent_upstream`, `unaccounted` and `continues`, with the details
/// of a manifest.
void put_chain(boost::json::object& object, const Chain& chain);

}  // namespace vtmirror::core
