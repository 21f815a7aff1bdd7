#include "catalogue/statement.hpp"

#include <sqlite3.h>

namespace vtmirror::catalogue {

Statement::Statement(Database& database, std::string_view sql, Bare)
    : database_(database), statement_(database.prepared(sql)) {
  if (statement_ == nullptr) failure_ = database.refusal();
}

Statement::~Statement() {
  if (statement_ == nullptr) return;  // clear_bindings takes no null
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

void Statement::check(int code) {
  if (code != SQLITE_OK && !failure_) failure_ = database_.refusal();
}

void Statement::bind(std::int64_t value) {
  if (!failure_) check(sqlite3_bind_int64(statement_, ++bound_, value));
}

void Statement::bind(std::string_view value) {
  // A null pointer would bind NULL; and the copy is needed, since a date's text does not outlive its binding.
  const char* bytes = value.data() == nullptr ? "" : value.data();
  if (!failure_) {
    check(sqlite3_bind_text64(statement_, ++bound_, bytes, value.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
  }
}

void Statement::bind(base::Time value) { bind(std::int64_t{value.time_since_epoch().count()}); }
void Statement::bind(base::Date value) { bind(std::string_view(base::iso8601(value))); }
void Statement::bind(core::Kind value) { bind(core::name(value)); }

bool Statement::step() {
  if (failure_) return false;
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) failure_ = database_.refusal();
  return false;
}

bool Statement::is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_, column); }

std::string Statement::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  if (bytes == nullptr) return {};
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

base::Time Statement::time(int column) const { return base::Time{base::Milliseconds{integer(column)}}; }

core::Kind Statement::kind(int column) const {
  return text(column) == core::name(core::Kind::bulk) ? core::Kind::bulk : core::Kind::delta;
}

base::Date Statement::date(int column) {
  const auto date = base::parse_date(text(column));
  if (date) return *date;
  if (!failure_) failure_ = database_.damaged(date.error().detail);
  return {};
}

}  // namespace vtmirror::catalogue
