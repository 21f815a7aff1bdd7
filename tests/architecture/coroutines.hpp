// The forms of co_await that every compiler that we build with gets right, and that drop no result.
// GCC 12.2 destroys some temporaries of a co_await expression twice: so one a statement, no brace in its operand, none
// in a condition or ?:.
#pragma once

#include "architecture/source_tree.hpp"

#include <compare>
#include <set>
#include <string>
#include <vector>

namespace vtmirror::architecture {

/// Names of coroutines that are declared to return awaitable<void>, and nowhere anything else: `co_await name(...);`
/// drops nothing.
std::set<std::string> void_coroutines(const std::vector<Source>& files);

/// A member function that returns awaitable<void>.
struct Wait {
  std::string type;
  std::string name;
  auto operator<=>(const Wait&) const = default;
};
/// "turn_.take" for every `Slots turn_` that the files declare and {"Slots", "take"} in `waits`.
std::set<std::string> calls(const std::vector<Source>& files, const std::set<Wait>& waits);

/// `may_stand_alone`: callees whose co_await may be a statement of its own, as their text ends ("async_wait",
/// "turn_.take").
std::vector<Finding> check_coroutines(const Source& file, const std::set<std::string>& may_stand_alone);

}  // namespace vtmirror::architecture
