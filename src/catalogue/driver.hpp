// What the catalogue asks of a database engine: the one seam between its roles and the engine that stores them.
// Promises that whatever the engine refuses becomes one Error that names the database. Knows nothing of the tables.
// Used from one thread at a time.
//
// The roles' SQL is what SQLite and PostgreSQL both understand: parameters are $1, $2 and so on, conflicts end in ON
// CONFLICT, an id comes back by RETURNING, and whatever is an engine's own stays behind this seam.
#pragma once

#include "vtmirror/base/result.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace vtmirror::catalogue {

/// A parameter, or NULL. Times are milliseconds since 1970, days "YYYY-MM-DD".
using Value = std::variant<std::nullptr_t, std::int64_t, std::string>;

/// A read transaction sees one state of the catalogue, whatever another process writes meanwhile. A write transaction
/// takes the writer's lock at its start, so that it cannot fail for a lock half-way.
enum class Purpose { reading, writing };

/// A statement that runs. It must go before its driver does.
class Cursor {
 public:
  Cursor() = default;
  virtual ~Cursor() = default;
  Cursor(const Cursor&) = delete;
  Cursor& operator=(const Cursor&) = delete;

  /// True when there is a (further) row; a statement that changes rows has changed them all once it says that there is
  /// none. Errors: as the driver's.
  virtual base::Result<bool> next() = 0;

  /// Of the row, columns from 0. A column of another type gives 0 or "".
  virtual bool is_null(int column) const = 0;
  virtual std::int64_t integer(int column) const = 0;
  virtual std::string text(int column) const = 0;
};

/// Errors, whatever the call: no_space, io, catalogue_damaged, catalogue (all else: a broken constraint, a lock that
/// was not let go).
class Driver {
 public:
  Driver() = default;
  virtual ~Driver() = default;
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  virtual base::Result<void> begin(Purpose purpose) = 0;
  /// A write is durable when this succeeds.
  virtual base::Result<void> commit() = 0;
  /// Ends the transaction as if nothing had been done in it. Nothing where none is open.
  virtual void roll_back() = 0;

  /// Begins one statement with its parameters. `sql` must live as long as the driver (a literal), since statements are
  /// prepared once; and two uses of one text must not overlap.
  virtual base::Result<std::unique_ptr<Cursor>> run(std::string_view sql, std::span<const Value> parameters) = 0;
  /// The rows that the last INSERT, UPDATE or DELETE changed.
  virtual std::int64_t last_change_count() const = 0;

  /// A text that nobody can guess and that was never given before.
  virtual std::string unique_key() = 0;

  /// An Error about this database that the engine itself did not find: a value that none of our writes could have
  /// left. It counts as damage found.
  virtual base::Error damaged(std::string_view what) = 0;
  /// The last damage that a call has met; empty while there is none.
  virtual const std::optional<base::Error>& damage() const = 0;
  /// The database, as errors name it.
  virtual const std::string& name() const = 0;
};

}  // namespace vtmirror::catalogue
