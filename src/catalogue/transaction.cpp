#include "catalogue/transaction.hpp"

namespace vtmirror::catalogue {

Transaction::Transaction(Connection& connection, Purpose purpose) : connection_(connection) {
  if (const auto begun = driver().begin(purpose); !begun) failure_ = begun.error();
}

Transaction::~Transaction() { driver().roll_back(); }

std::unique_ptr<Cursor> Transaction::start(std::string_view sql, std::span<const Value> parameters) {
  if (failure_) return nullptr;
  auto cursor = driver().run(sql, parameters);
  if (cursor) return std::move(*cursor);
  failure_ = cursor.error();
  return nullptr;
}

bool Transaction::next(Cursor* cursor) {
  if (failure_) return false;
  const auto more = cursor->next();
  if (!more) failure_ = more.error();
  return more && *more;
}

void Transaction::refuse(std::string_view why) {
  if (failure_) return;
  failure_ = base::Error{.code = base::Errc::catalogue, .detail = driver().name() + ": " + std::string(why)};
}

base::Result<void> Transaction::end() {
  if (failure_) return *failure_;
  if (auto committed = driver().commit(); !committed) return committed;
  if (announced_ && connection_.queued) connection_.queued();
  return {};
}

core::Kind Row::kind(int column) const {
  return text(column) == core::name(core::Kind::bulk) ? core::Kind::bulk : core::Kind::delta;
}

base::Date Row::date(int column) {
  const auto date = base::parse_date(text(column));
  if (date) return *date;
  if (!failure_) failure_ = driver_.damaged(date.error().detail);
  return {};
}

std::vector<core::Field> Row::fields(int column) {
  auto fields = core::parse_fields(text(column));
  if (fields) return std::move(*fields);
  if (!failure_) failure_ = driver_.damaged(fields.error().detail);
  return {};
}

std::string_view code_column(const core::Cause& cause) { return cause.code ? base::name(*cause.code) : ""; }

core::Cause read_error(Row& row, int first) {
  core::Cause cause;
  cause.code = base::errc_of(row.text(first));
  cause.detail = row.text(first + 1);
  cause.status = static_cast<int>(row.integer(first + 2));
  return cause;
}

core::Cause read_cause(Row& row, int first) {
  auto cause = read_error(row, first);
  cause.subject = row.text(first + 3);
  cause.fields = row.fields(first + 4);
  return cause;
}

}  // namespace vtmirror::catalogue
