#include "architecture/sql.hpp"

#include <algorithm>
#include <cctype>
#include <regex>

namespace vtmirror::architecture {
namespace {

struct Rule {
  std::regex pattern;
  std::string instead;
};

std::regex words(const std::string& pattern) { return std::regex(pattern, std::regex::icase); }

const std::vector<Rule>& rules() {
  static const std::vector<Rule> all{
      {words("\\?"), "parameters are $1, $2 and so on"},
      {words("\\bPRAGMA\\b|\\bpragma_|\\bsqlite_|\\browid\\b"), "what is SQLite's own belongs to its driver"},
      {words("^(BEGIN|COMMIT|ROLLBACK|CREATE|ALTER|DROP)\\b"), "transactions and the schema belong to the driver"},
      {words("\\bINSERT OR\\b|\\bREPLACE INTO\\b"), "a conflict ends in ON CONFLICT"},
      {words("->|\\bjson_?\\w*\\("), "what a query needs of a JSON text has a column of its own"},
      {words("\\b(randomblob|hex|random|ifnull|iif|printf|typeof|total|group_concat|changes|last_insert_rowid)\\("),
       "this function is not one of both engines"},
      {words("\\b(date|time|datetime|julianday|strftime|unixepoch)\\("), "times are made in C++"},
      {words("\\b(min|max)\\([^()]*,"), "the smaller of two values is a CASE or a WHERE"},
      {words("\\bGLOB\\b|\\bREGEXP\\b|\\bLIKE\\b|=="), "the engines compare texts in other ways"},
      {words("\\bIS (?!NULL\\b|NOT NULL\\b)"), "IS compares with NULL alone"},
  };
  return all;
}

/// The parts of a list, by the commas outside of brackets.
std::vector<std::string> parts_of(const std::string& list) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : list) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth == 0) {
      parts.emplace_back();
    } else if (c != ' ' || !parts.back().empty()) {
      parts.back() += c;
    }
  }
  return parts;
}

/// Where the first FROM stands that is in no brackets; the text's end where there is none.
std::size_t from_of(const std::string& sql) {
  int depth = 0;
  for (std::size_t at = 0; at < sql.size(); ++at) {
    depth += sql[at] == '(' ? 1 : sql[at] == ')' ? -1 : 0;
    if (depth == 0 && sql.compare(at, 6, " FROM ") == 0) return at;
  }
  return sql.size();
}

/// SQLite takes a column beside an aggregate from any row.
bool has_bare_column(const std::string& sql) {
  static const auto aggregate = words("^(coalesce\\()?(min|max|sum|count|avg)\\(");
  if (sql.compare(0, 7, "SELECT ") != 0) return false;
  const auto parts = parts_of(sql.substr(7, from_of(sql) - 7));
  const auto is_aggregate = [](const std::string& part) { return std::regex_search(part, aggregate); };
  if (std::none_of(parts.begin(), parts.end(), is_aggregate)) return false;
  const auto group = sql.find(" GROUP BY ");
  const auto grouped = group == std::string::npos ? std::string() : sql.substr(group);
  return std::any_of(parts.begin(), parts.end(), [&](const std::string& part) {
    return !is_aggregate(part) && grouped.find(part) == std::string::npos;
  });
}

bool begins_as_sql(const std::string& text) {
  static const auto verb = words(
      "^(SELECT|INSERT|UPDATE|DELETE|WITH|REPLACE|PRAGMA|BEGIN|COMMIT|ROLLBACK|CREATE TABLE|ALTER TABLE|DROP "
      "TABLE)\\b");
  return std::regex_search(text, verb);
}

/// The literal that begins at the quote `at`; `at` then stands behind it.
std::string literal(std::string_view text, std::size_t& at) {
  std::string inside;
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
    inside += text[at];
  }
  ++at;
  return inside;
}

}  // namespace

std::vector<Statement> sql_of(std::string_view text) {
  std::vector<Statement> found;
  int line = 1;
  bool joins = false;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"') {
      if (!joins) found.push_back({"", line});
      found.back().text += literal(text, at);
      joins = true;
      continue;
    }
    if (text.substr(at, 2) == "//") at = std::min(text.find('\n', at), text.size() - 1);
    if (text[at] == '\n') ++line;
    if (std::isspace(static_cast<unsigned char>(text[at])) == 0) joins = false;
    at += text.substr(at, 3) == "'\"'" ? 3 : 1;
  }
  std::erase_if(found, [](const Statement& each) { return !begins_as_sql(each.text); });
  return found;
}

std::vector<Finding> check_sql(const Source& file) {
  std::vector<Finding> found;
  for (const auto& statement : sql_of(file.text)) {
    for (const auto& rule : rules())
      if (std::regex_search(statement.text, rule.pattern)) found.push_back({file.path, statement.line, rule.instead});
    if (has_bare_column(statement.text))
      found.push_back({file.path, statement.line, "a column beside an aggregate is in the GROUP BY"});
  }
  return found;
}

}  // namespace vtmirror::architecture
