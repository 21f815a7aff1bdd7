// Refused files in the quarantine, and the checks in which the process died.
#include "catalogue/transaction.hpp"
#include "vtmirror/catalogue/files.hpp"

#include <optional>

namespace vtmirror::catalogue {
namespace {

core::QuarantinedFile read_quarantined(Row& row) {
  core::QuarantinedFile file{.name = row.text(0),
                             .size = row.integer(1),
                             .cause = read_error(row, 3),
                             .at = row.time(2),
                             .left_at = row.is_null(6) ? std::nullopt : std::optional(row.time(6))};
  file.cause.fields = row.fields(7);
  return file;
}

}  // namespace

base::Result<void> Files::keep_quarantined(const core::QuarantinedFile& file) {
  Transaction write(connection(), Purpose::writing);
  write.run(
      "INSERT INTO quarantine (name, size, at, cause, detail, status, fields) VALUES ($1, $2, $3, $4, $5, $6, $7) "
      "ON CONFLICT (name) DO UPDATE SET size = excluded.size, at = excluded.at, cause = excluded.cause, "
      "detail = excluded.detail, status = excluded.status, fields = excluded.fields, left_at = NULL",
      file.name, file.size, file.at, code_column(file.cause), file.cause.detail, file.cause.status, file.cause.fields);
  if (core::is_deadly(file.cause))
    write.run("UPDATE begun_check SET times = $1 WHERE name = $2", core::deadly_checks - 1, file.name);
  drop_partial(write, file.name);
  return write.end();
}

base::Result<std::vector<core::QuarantinedFile>> Files::quarantined() const {
  Transaction read(connection(), Purpose::reading);
  return read.end(read.rows(
      read_quarantined, "SELECT name, size, at, cause, detail, status, left_at, fields FROM quarantine ORDER BY name"));
}

base::Result<int> Files::begin_check(const std::string& name, std::int64_t size, base::Time at) {
  Transaction write(connection(), Purpose::writing);
  write.run("DELETE FROM begun_check WHERE name = $1 AND size <> $2", name, size);
  write.run("UPDATE begun_check SET times = times - 1, at = $1 WHERE name = $2 AND times > 1 AND at <= $3", at, name,
            at - core::deadly_check_rest);
  const auto begun = write.number("SELECT times FROM begun_check WHERE name = $1", name).value_or(0);
  if (begun < core::deadly_checks)
    write.run(
        "INSERT INTO begun_check (name, size, times, at) VALUES ($1, $2, 1, $3) "
        "ON CONFLICT (name) DO UPDATE SET times = begun_check.times + 1, at = excluded.at",
        name, size, at);
  return write.end(static_cast<int>(begun));
}

base::Result<bool> Files::has_begun_checks(base::Time since) const {
  Transaction read(connection(), Purpose::reading);
  const auto found = read.number("SELECT 1 FROM begun_check WHERE at > $1 LIMIT 1", since);
  return read.end(found.has_value());
}

base::Result<void> Files::end_check(const std::string& name) {
  Transaction write(connection(), Purpose::writing);
  write.run("DELETE FROM begun_check WHERE name = $1", name);
  return write.end();
}

base::Result<void> Files::forget_quarantined(const std::string& name) {
  Transaction write(connection(), Purpose::writing);
  write.run("DELETE FROM quarantine WHERE name = $1", name);
  return write.end();
}

}  // namespace vtmirror::catalogue
