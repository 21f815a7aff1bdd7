// The interface between the catalogue's roles and the database engine that stores them.
// Promises that every failure of the engine becomes one Error that names the database. Knows nothing about the tables.
// Used from one thread at a time.
//
// The roles use only SQL that SQLite and PostgreSQL both understand: parameters are $1, $2 and so on, conflicts end in
// ON CONFLICT, an id is returned by RETURNING, and texts are ordered by their bytes. Everything specific to an engine
// stays behind this interface. The roles share one connection to it.
#pragma once

#include "vtmirror/base/result.hpp"

#include <cstdint>
#include <functional>
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
/// takes the writer's lock at its start, so that it cannot fail on a lock half-way.
enum class Purpose { reading, writing };

/// A running statement. It must be destroyed before its driver.
class Cursor {
 public:
  Cursor() = default;
  virtual ~Cursor() = default;
  Cursor(const Cursor&) = delete;
  Cursor& operator=(const Cursor&) = delete;

  /// True if there is a (further) row. A statement that changes rows has changed all of them once this returns false.
  /// Errors: those of the driver.
  virtual base::Result<bool> next() = 0;

  /// For the current row, columns from 0. A column of another type yields 0 or "".
  virtual bool is_null(int column) const = 0;
  virtual std::int64_t integer(int column) const = 0;
  virtual std::string text(int column) const = 0;
};

/// Errors of every call: no_space, io, catalogue_damaged, catalogue_busy (another process holds the lock for longer
/// than a call waits for it), catalogue (everything else: a broken constraint).
class Driver {
 public:
  Driver() = default;
  virtual ~Driver() = default;
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  /// From now on, calls wait for another process's lock only for a moment. May be called from any thread.
  virtual void hurry() = 0;

  virtual base::Result<void> begin(Purpose purpose) = 0;
  /// A write is durable when this succeeds.
  virtual base::Result<void> commit() = 0;
  /// Ends the transaction without any of its changes. Does nothing if no transaction is open.
  virtual void roll_back() = 0;

  /// Starts one statement with its parameters. Statements are prepared once and kept, so `sql` is one of few texts:
  /// what varies is a parameter. Two uses of one text must not overlap.
  virtual base::Result<std::unique_ptr<Cursor>> run(std::string_view sql, std::span<const Value> parameters) = 0;
  /// The number of rows that the last INSERT, UPDATE or DELETE changed.
  virtual std::int64_t last_change_count() const = 0;

  /// A string that cannot be guessed and was never returned before.
  virtual std::string unique_key() = 0;

  /// An Error for damage that the engine did not find itself: a value that no write of the program could have left. It
  /// counts as damage.
  virtual base::Error damaged(std::string_view what) = 0;
  /// The last damage that a call found; empty if there was none.
  virtual const std::optional<base::Error>& damage() const = 0;
  /// Whether that is only that the database has lost its place to another one, or to none.
  virtual bool is_replaced() const = 0;
  /// The database's name in errors.
  virtual const std::string& name() const = 0;
};

/// What the catalogue's roles share: the engine, and the callback for queued notices.
struct Connection {
  std::unique_ptr<Driver> driver;
  std::function<void()> queued{};  ///< called after each transaction that has queued a notice; may be empty
};

}  // namespace vtmirror::catalogue
