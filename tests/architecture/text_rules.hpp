// Rules that look at a file's text alone: its length, its header comment, what a test must not do, what a paper must
// not promise.
#pragma once

#include "architecture/source_tree.hpp"

#include <set>
#include <string>

namespace vtmirror::architecture {

inline constexpr int longest_file = 300;

std::vector<Finding> check_length(const Source& file, int longest = longest_file);

/// A header opens with a comment and has #pragma once.
std::vector<Finding> check_header(const Source& file);

/// The opening comment of a public header (include/) says what it promises, what it never does, or that it is pure or
/// has only values: one of the words "Promises", "Never", "Pure", "Only values", or "Changes", "Reveals" or "Writes"
/// before "nothing" stands in it.
std::vector<Finding> check_contract(const Source& file);

/// No test sleeps, reads the wall clock, binds a port of its own choice, skips a case without a reason, walks an
/// enumeration by numbers, or has a name of fewer than three words.
std::vector<Finding> check_test(const Source& file);

/// The verbs of ./dev: the functions dev_NAME of the script.
std::set<std::string> verbs(const Source& script);

/// Every `./dev VERB` in a paper is one of `verbs`, and every path in backticks exists.
std::vector<Finding> check_paper(const Source& paper, const std::set<std::string>& verbs);

}  // namespace vtmirror::architecture
