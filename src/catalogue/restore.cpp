// A new catalogue for a mirror that is there.
#include "catalogue/body.hpp"

namespace vtmirror::catalogue {

base::Result<void> Catalogue::restore(const Restored& restored) {
  Transaction write(body_->database, Purpose::writing);
  if (write.number("SELECT 1 FROM version LIMIT 1")) write.refuse("it knows files already: nothing is restored");
  write.run("INSERT INTO restored (id, generation, at) VALUES (1, ?, ?)", restored.generation, restored.at);
  for (const auto& file : restored.files) {
    const auto version = write.number(
        "INSERT INTO version (state, kind, name, date, size, sha256, etag, published_at) "
        "VALUES ('public', ?, ?, ?, ?, ?, ?, ?) RETURNING id",
        file.kind, file.name, file.date, file.size, file.sha256, file.etag, file.published_at);
    if (version)
      write.run("INSERT INTO change (generation, version, kind, at) VALUES (?, ?, 'published', ?)", restored.generation,
                *version, restored.at);
  }
  for (const auto& day : restored.absent) write.run("INSERT OR IGNORE INTO absent_day (date) VALUES (?)", day);
  return write.end();
}

}  // namespace vtmirror::catalogue
