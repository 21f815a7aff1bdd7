// What people read in a file, as one text in which a sentence is not broken by lines, comment signs or quotes.
// Promises that each place of it knows its line in the file. Names in backticks are left out: they are not English.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::architecture {

struct Prose {
  std::string text;
  std::vector<int> lines;  ///< of each character of `text`

  int line_of(std::size_t place) const { return lines.at(place); }
};

/// The comments and the string literals of C++. Code between two of them parts their sentences; white space does not.
Prose prose_of_code(std::string_view code);

/// The comments of C++ alone. A string literal between two of them parts their sentences, as other code does.
Prose prose_of_comments(std::string_view code);

/// The string literals of C++ alone. Adjacent ones belong together, with or without a comment between them.
Prose prose_of_literals(std::string_view code);

/// All of a paper: a manual page, Markdown, or a file with # comments.
Prose prose_of_paper(std::string_view paper);

}  // namespace vtmirror::architecture
