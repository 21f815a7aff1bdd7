// A new catalogue for an existing mirror.
#include "catalogue/transaction.hpp"
#include "vtmirror/catalogue/files.hpp"

namespace vtmirror::catalogue {

base::Result<void> Files::restore(const Restored& restored) {
  Transaction write(connection(), Purpose::writing);
  if (write.number("SELECT 1 FROM version LIMIT 1")) write.refuse("it already has files: nothing was restored");
  write.run("INSERT INTO restored (id, generation, at) VALUES (1, $1, $2)", restored.generation, restored.at);
  for (const auto& file : restored.files) {
    const auto version = write.number(
        "INSERT INTO version (state, kind, name, date, size, sha256, etag, published_at) "
        "VALUES ('public', $1, $2, $3, $4, $5, $6, $7) RETURNING id",
        file.kind, file.name, file.date, file.size, file.sha256, file.etag, file.published_at);
    if (version)
      write.run("INSERT INTO change (generation, version, kind, at) VALUES ($1, $2, 'published', $3)",
                restored.generation, *version, restored.at);
  }
  for (const auto& day : restored.absent)
    write.run("INSERT INTO absent_day (date) VALUES ($1) ON CONFLICT DO NOTHING", day);
  return write.end();
}

}  // namespace vtmirror::catalogue
