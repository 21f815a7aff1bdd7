#include "catalogue/row.hpp"

namespace vtmirror::catalogue {

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

}  // namespace vtmirror::catalogue
