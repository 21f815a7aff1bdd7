// The files for which the newest plan had no room.
#include "catalogue/transaction.hpp"
#include "vtmirror/catalogue/files.hpp"

namespace vtmirror::catalogue {
namespace {

core::Unfit read_unfit(Row& row) {
  return {.name = row.text(0), .needed = row.integer(1), .free = row.integer(2), .reserve = row.integer(3)};
}

}  // namespace

base::Result<void> Files::keep_unfit(const std::vector<core::Unfit>& files) {
  Transaction write(connection(), Purpose::writing);
  write.run("DELETE FROM unfit");
  for (const auto& file : files)
    write.run("INSERT INTO unfit (name, needed, free, reserve) VALUES ($1, $2, $3, $4)", file.name, file.needed,
              file.free, file.reserve);
  return write.end();
}

base::Result<std::vector<core::Unfit>> Files::unfit() const {
  Transaction read(connection(), Purpose::reading);
  return read.end(read.rows(read_unfit, "SELECT name, needed, free, reserve FROM unfit ORDER BY name"));
}

}  // namespace vtmirror::catalogue
