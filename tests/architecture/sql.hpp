// The SQL in C++ text, and what of it only one database engine understands.
// Not a parser: it knows the few forms that the catalogue uses.
#pragma once

#include "architecture/source_tree.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::architecture {

struct Statement {
  std::string text;  ///< literals that follow one another, joined
  int line = 0;      ///< of the first of them
};

/// The string literals of a file that begin with a word of SQL.
std::vector<Statement> sql_of(std::string_view text);

/// What SQLite or PostgreSQL alone understands.
std::vector<Finding> check_sql(const Source& file);

}  // namespace vtmirror::architecture
