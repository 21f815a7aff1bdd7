// What was published, superseded and removed, generation by generation.

#include "catalogue/stock.hpp"
#include "catalogue/transaction.hpp"
#include "vtmirror/catalogue/files.hpp"

namespace vtmirror::catalogue {
namespace {

core::Change read_change(Row& row) {
  core::Change change{.generation = row.integer(0),
                      .kind = core::change_kind(row.text(1)).value_or(core::ChangeKind::removed),
                      .name = row.text(2)};
  change.at = row.time(3);
  change.file_kind = row.kind(4);
  change.file = {.date = row.date(5), .size = row.integer(6), .sha256 = row.text(7)};
  if (!row.is_null(8)) change.before = {.date = row.date(8), .size = row.integer(9), .sha256 = row.text(10)};
  return change;
}

}  // namespace

base::Result<std::vector<core::Change>> Files::changes_since(std::int64_t generation) const {
  Transaction read(connection(), Purpose::reading);
  // A rebuilt catalogue knows what is held, and not how it came.
  const auto known_from = read.number("SELECT generation FROM restored").value_or(0);
  const auto now = read_edition(read);
  if (generation > now.generation || (0 < generation && generation < known_from)) {
    core::Change reset{.generation = now.generation, .kind = core::ChangeKind::reset, .name = "", .at = now.at};
    reset.session = now.session;
    return read.end(std::vector{reset});
  }
  return read.end(read.rows(
      read_change,
      "SELECT change.generation, change.kind, version.name, change.at, version.kind, version.date, version.size, "
      "version.sha256, older.date, older.size, older.sha256 "
      "FROM change JOIN version ON version.id = change.version "
      "LEFT JOIN change AS ended ON ended.generation = change.generation AND ended.kind = 'superseded' "
      "AND change.kind = 'published' "
      "LEFT JOIN version AS older ON older.id = ended.version AND older.name = version.name "
      "WHERE change.generation > $1 ORDER BY change.generation, change.version",
      generation));
}

}  // namespace vtmirror::catalogue
