// Several statements, all or nothing. The first failure ends the transaction: later statements do not run, and `end`
// returns the failure. A transaction that was not ended successfully is rolled back.
#pragma once

#include "catalogue/connection.hpp"
#include "catalogue/row.hpp"
#include "vtmirror/base/result.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace vtmirror::catalogue {

class Transaction {
 public:
  Transaction(Connection& connection, Purpose purpose);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  /// The result of `read` for each row.
  template <class Read, class... Values>
  auto rows(Read read, std::string_view sql, const Values&... values) {
    std::vector<std::invoke_result_t<Read, Row&>> taken;
    const std::array<Value, sizeof...(Values)> parameters{value_of(values)...};
    const auto cursor = start(sql, parameters);
    while (next(cursor.get())) {
      Row row(driver(), *cursor);
      taken.push_back(read(row));
      failure_ = row.failure();
    }
    return taken;
  }

  /// The number of rows that an INSERT, UPDATE or DELETE changed; 0 after a failure.
  template <class... Values>
  std::int64_t run(std::string_view sql, const Values&... values) {
    rows([](Row&) { return 0; }, sql, values...);
    return failure_ ? 0 : driver().last_change_count();
  }

  /// The first column of the first row; empty if there is no row.
  template <class... Values>
  std::optional<std::int64_t> number(std::string_view sql, const Values&... values) {
    const auto numbers = rows([](Row& row) { return row.integer(0); }, sql, values...);
    return numbers.empty() ? std::nullopt : std::optional(numbers.front());
  }

  std::string unique_key() { return driver().unique_key(); }

  /// Records a failure that the engine does not detect.
  void refuse(std::string_view why);

  /// The connection's `queued` callback runs once this has been committed.
  void announce() { announced_ = true; }

  /// Commits, or returns the first failure. A write is durable when this succeeds.
  base::Result<void> end();
  template <class T>
  base::Result<T> end(T value) {
    if (const auto ended = end(); !ended) return ended.error();
    return value;
  }

 private:
  Driver& driver() { return *connection_.driver; }
  /// Null after a failure.
  std::unique_ptr<Cursor> start(std::string_view sql, std::span<const Value> parameters);
  bool next(Cursor* cursor);

  Connection& connection_;
  std::optional<base::Error> failure_;
  bool announced_ = false;
};

}  // namespace vtmirror::catalogue
