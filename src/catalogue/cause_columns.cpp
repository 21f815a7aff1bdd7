#include "catalogue/cause_columns.hpp"

namespace vtmirror::catalogue {

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
