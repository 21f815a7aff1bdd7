// A row in this project's types: times, days and kinds instead of numbers and strings; and the conversion of
// parameters.
#pragma once

#include "catalogue/driver.hpp"
#include "vtmirror/base/time.hpp"
#include "vtmirror/core/cause.hpp"
#include "vtmirror/core/listing.hpp"

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::catalogue {

inline Value value_of(std::integral auto number) { return std::int64_t{number}; }
inline Value value_of(std::string_view text) { return std::string(text); }
inline Value value_of(base::Time time) { return std::int64_t{time.time_since_epoch().count()}; }
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

}  // namespace vtmirror::catalogue
