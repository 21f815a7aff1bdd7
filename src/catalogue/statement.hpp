// One use of a prepared statement: values are bound in order, rows are stepped through, and it is ready for the next
// use when it goes. The first failure stays: from then on there are no rows. Two uses of one text must not overlap.
#pragma once

#include "catalogue/database.hpp"
#include "vtmirror/base/result.hpp"
#include "vtmirror/base/time.hpp"
#include "vtmirror/core/listing.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace vtmirror::catalogue {

class Statement {
 public:
  template <class... Values>
  Statement(Database& database, std::string_view sql, const Values&... values) : Statement(database, sql, Bare{}) {
    (bind(values), ...);
  }
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  /// True when there is a (further) row.
  bool step();
  const std::optional<base::Error>& failure() const { return failure_; }

  bool is_null(int column) const;
  std::int64_t integer(int column) const;
  std::string text(int column) const;
  base::Time time(int column) const;
  core::Kind kind(int column) const;
  /// A text that is no date is damage: a failure.
  base::Date date(int column);

 private:
  struct Bare {};
  Statement(Database& database, std::string_view sql, Bare);

  void bind(std::int64_t value);
  void bind(std::string_view value);
  void bind(base::Time value);
  void bind(base::Date value);
  void bind(core::Kind value);
  void check(int code);

  Database& database_;
  sqlite3_stmt* statement_;
  int bound_ = 0;
  std::optional<base::Error> failure_;
};

}  // namespace vtmirror::catalogue
