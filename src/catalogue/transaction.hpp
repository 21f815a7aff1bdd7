// Several statements, all or nothing. The first failure ends the transaction: later statements do not run, and `end`
// returns the failure. A transaction that was not ended successfully is rolled back. Also the rows that statements
// return, and the steps that several roles share.
#pragma once

#include "catalogue/driver.hpp"
#include "vtmirror/base/result.hpp"
#include "vtmirror/base/time.hpp"
#include "vtmirror/core/cause.hpp"
#include "vtmirror/core/listing.hpp"
#include "vtmirror/core/notice.hpp"

#include <array>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace vtmirror::catalogue {

// A row in this project's types: times, days and kinds instead of numbers and strings; and the conversion of
// parameters.

inline Value value_of(std::integral auto number) { return std::int64_t{number}; }
inline Value value_of(std::string_view text) { return std::string(text); }
inline Value value_of(base::Time time) { return std::int64_t{time.time_since_epoch().count()}; }
inline Value value_of(std::optional<base::Time> time) { return time ? value_of(*time) : Value(nullptr); }
inline Value value_of(base::Date date) { return base::iso8601(date); }
inline Value value_of(const std::vector<core::Field>& fields) { return core::fields_json(fields); }
inline Value value_of(core::Kind kind) { return std::string(core::name(kind)); }

/// The current row of a cursor.
class Row {
 public:
  Row(Driver& driver, const Cursor& cursor) : driver_(driver), cursor_(cursor) {}

  bool is_null(int column) const { return cursor_.is_null(column); }
  std::int64_t integer(int column) const { return cursor_.integer(column); }
  std::string text(int column) const { return cursor_.text(column); }
  base::Time time(int column) const { return base::Time{base::Milliseconds{integer(column)}}; }
  core::Kind kind(int column) const;
  /// A string that is not a date means a damaged file: a failure.
  base::Date date(int column);

  /// A string that is not a JSON object means a damaged file: a failure.
  std::vector<core::Field> fields(int column);

  const std::optional<base::Error>& failure() const { return failure_; }

 private:
  Driver& driver_;
  const Cursor& cursor_;
  std::optional<base::Error> failure_;
};

// A cause as columns of a row, and back. An error's code is stored by name, so that adding or removing a code does not
// change what older rows mean.

/// The value of the column `cause`; "" if no error caused it.
std::string_view code_column(const core::Cause& cause);

/// From the columns `cause, detail, status`, of which `first` is the first. An unknown code is read as none.
core::Cause read_error(Row& row, int first);
/// From `cause, detail, status, subject, fields`.
core::Cause read_cause(Row& row, int first);

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

// Steps that several roles perform inside their own transactions.
// Promises that a notice is queued for each subscribed channel exactly when the transaction of its event is committed,
// and is not visible before.

/// Does nothing if no channel subscribes to its topic. Assigns the notice its id.
void queue(Transaction& write, const core::Notice& notice, std::int64_t generation = 0);
void queue(Transaction& write, const std::vector<core::Notice>& notices);
/// The chain that is known now was announced by an earlier catalogue.
void keep_announced_before(Transaction& write);
/// Removes the notices for which no channel waits any longer.
void drop_delivered_notices(Transaction& write);

/// Drops the partial of that name with its durable ranges; does nothing if there is none.
void drop_partial(Transaction& write, const std::string& name);

}  // namespace vtmirror::catalogue
