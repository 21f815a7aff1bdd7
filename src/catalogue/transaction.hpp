// All of several statements, or nothing. The first failure ends it: later statements are not run, and `end` tells it.
// Whatever was not ended successfully is rolled back.
#pragma once

#include "catalogue/database.hpp"
#include "catalogue/statement.hpp"
#include "vtmirror/base/result.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

namespace vtmirror::catalogue {

/// A read transaction sees one state of the catalogue, whatever another process writes meanwhile. A write transaction
/// takes the writer's lock at its start, so that it cannot fail for a lock half-way.
enum class Purpose { reading, writing };

class Transaction {
 public:
  Transaction(Database& database, Purpose purpose);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  template <class... Values>
  void run(std::string_view sql, const Values&... values) {
    rows([](Statement&) { return 0; }, sql, values...);
  }

  /// What `read` makes of each row.
  template <class Read, class... Values>
  auto rows(Read read, std::string_view sql, const Values&... values) {
    std::vector<std::invoke_result_t<Read, Statement&>> taken;
    if (failure_) return taken;
    Statement statement(database_, sql, values...);
    while (statement.step()) taken.push_back(read(statement));
    failure_ = statement.failure();
    return taken;
  }

  /// The first column of the first row; empty where there is none.
  template <class... Values>
  std::optional<std::int64_t> number(std::string_view sql, const Values&... values) {
    const auto numbers = rows([](Statement& row) { return row.integer(0); }, sql, values...);
    return numbers.empty() ? std::nullopt : std::optional(numbers.front());
  }

  /// A failure that SQLite does not see.
  void refuse(std::string_view why);

  /// Whoever has asked the database for it is told, when this has been committed.
  void announce() { announced_ = true; }

  /// Commits, and tells the first failure if there was one. A write is durable when this succeeds.
  base::Result<void> end();
  template <class T>
  base::Result<T> end(T value) {
    if (const auto ended = end(); !ended) return ended.error();
    return value;
  }

 private:
  Database& database_;
  std::optional<base::Error> failure_;
  bool announced_ = false;
};

}  // namespace vtmirror::catalogue
