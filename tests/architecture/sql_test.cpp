#include "architecture/sql.hpp"

#include <doctest/doctest.h>

#include <regex>

namespace vtmirror::architecture {
namespace {

std::size_t findings(const std::string& sql) { return check_sql({"x.cpp", "run(\"" + sql + "\")"}).size(); }

TEST_CASE("the catalogue's SQL is what SQLite and PostgreSQL both understand") {
  std::vector<Finding> found;
  std::size_t statements = 0;
  for (const auto& file : sources({"src/catalogue"}, {".cpp", ".hpp"})) {
    // One engine's driver, and what makes its schema.
    if (file.path.find("/sqlite_") != std::string::npos) continue;
    statements += sql_of(file.text).size();
    add(found, check_sql(file));
  }
  INFO(listed(found));
  CHECK(found.empty());
  CHECK(statements > 50);
}

/// What only SQLite's own files may know: its library, the files that it keeps, and their beginning. One file beside
/// them chooses the engine.
std::vector<Finding> check_engine(const Source& file) {
  static const std::regex known(R"re(sqlite3|"-(wal|shm|journal)"|"SQLite format|\bSqlite\w+|"catalogue/sqlite_)re");
  const bool is_its_own = file.path.find("src/catalogue/sqlite_") == 0;
  const bool chooses = file.path == "src/catalogue/catalogue.cpp";
  std::vector<Finding> found;
  if (is_its_own || chooses) return found;
  each_line(file, [&](const std::string& line, int number) {
    if (std::regex_search(line, known)) found.push_back({file.path, number, "ask the engine (catalogue/engine.hpp)"});
  });
  return found;
}

TEST_CASE("nothing but its own files knows SQLite, so that another engine is a driver and not another catalogue") {
  std::vector<Finding> found;
  for (const auto& file : sources({"include", "src"}, {".cpp", ".hpp"})) add(found, check_engine(file));
  INFO(listed(found));
  CHECK(found.empty());
}

TEST_CASE("SQLite's library, files and classes are found outside of its driver") {
  for (const std::string line : {"#include <sqlite3.h>", "rename(path + \"-wal\");", "unlink(path + \"-shm\");",
                                 "SqliteDriver::open(path);", "#include \"catalogue/sqlite_driver.hpp\""}) {
    CAPTURE(line);
    CHECK(check_engine({"src/wiring/x.cpp", line + '\n'}).size() == 1);
    CHECK(check_engine({"src/catalogue/sqlite_x.cpp", line + '\n'}).empty());
  }
}

TEST_CASE("no other room contains SQL") {
  std::vector<Finding> found;
  for (const auto& file : sources({"src"}, {".cpp", ".hpp"})) {
    if (file.path.find("src/catalogue/") == 0) continue;
    for (const auto& statement : sql_of(file.text)) {
      const bool asks = statement.text.find(" FROM ") != std::string::npos;
      const bool writes = statement.text.find("INSERT INTO") != std::string::npos;
      if (asks || writes) found.push_back({file.path, statement.line, "SQL stands in the catalogue alone"});
    }
  }
  INFO(listed(found));
  CHECK(found.empty());
}

TEST_CASE("SQL that one engine alone understands is refused") {
  for (const std::string sql :
       {"SELECT a FROM t WHERE b = ?", "PRAGMA user_version", "SELECT a FROM pragma_table_info", "BEGIN IMMEDIATE",
        "INSERT OR IGNORE INTO t (a) VALUES ($1)", "SELECT body ->> 'event' FROM notice",
        "INSERT INTO t (a) VALUES (lower(hex($1)))", "SELECT a FROM t WHERE date(b) = $1",
        "UPDATE t SET a = min(a, $1)", "SELECT a FROM t WHERE b LIKE $1", "SELECT a FROM t WHERE b IS $1",
        "SELECT a, max(b) FROM t", "SELECT a, c, count(*) FROM t GROUP BY a"}) {
    CAPTURE(sql);
    CHECK(findings(sql) >= 1);
  }
}

TEST_CASE("SQL that both engines understand passes") {
  for (const std::string sql :
       {"SELECT a, max(b) FROM t GROUP BY a", "SELECT coalesce(max(a), 0) FROM t",
        "SELECT a, (SELECT count(*) FROM u) FROM t WHERE b IS NOT NULL",
        "INSERT INTO t (a) VALUES ($1) ON CONFLICT (a) DO UPDATE SET b = excluded.b RETURNING a"}) {
    CAPTURE(sql);
    CHECK(findings(sql) == 0);
  }
  CHECK(check_sql({"x.cpp", "say(\"what is this?\")"}).empty());
}

TEST_CASE("a statement is found over several literals, with its first line") {
  const auto found = sql_of("// \"SELECT 1\"\nrun(\"SELECT a \"  // why\n    \"FROM t\", \"b\");\n");
  REQUIRE(found.size() == 1);
  CHECK(found[0].text == "SELECT a FROM t");
  CHECK(found[0].line == 2);
}

}  // namespace
}  // namespace vtmirror::architecture
