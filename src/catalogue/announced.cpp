// The chain of which the channels were notified last.
#include "catalogue/stock.hpp"
#include "catalogue/transaction.hpp"
#include "vtmirror/catalogue/notices.hpp"

namespace vtmirror::catalogue {
namespace {

core::Held read_announced(Row& row) {
  return {.kind = row.kind(0),
          .name = row.text(1),
          .date = row.date(2),
          .size = row.integer(3),
          .sha256 = row.text(4),
          .since = row.integer(5)};
}

}  // namespace

void keep_announced_before(Transaction& write) {
  write.run("UPDATE mirror_state SET announced = content");
  write.run(
      "INSERT INTO announced_file (name, kind, date, size, sha256, since) "
      "SELECT name, kind, date, size, sha256, since FROM version WHERE state = 'public' AND date >= "
      "(SELECT max(date) FROM version WHERE state = 'public' AND kind = 'bulk')");
}

base::Result<void> Notices::announce_chain(const core::Chain& chain, const std::string& content, base::Time at) {
  Transaction write(connection(), Purpose::writing);
  const auto due = write.number(
      "SELECT 1 FROM mirror_state "
      "WHERE generation > 0 AND settled = generation AND content = $1 AND announced <> $1",
      content);
  if (!due) return write.end();
  const auto edition = read_edition(write);
  const auto before = write.rows(
      read_announced, "SELECT kind, name, date, size, sha256, since FROM announced_file ORDER BY kind, date, name");
  queue(write, core::chain_notice(before, chain, edition, at), edition.generation);
  write.run("UPDATE mirror_state SET announced = $1", content);
  write.run("DELETE FROM announced_file");
  for (const auto& file : chain.files)
    write.run("INSERT INTO announced_file (name, kind, date, size, sha256, since) VALUES ($1, $2, $3, $4, $5, $6)",
              file.name, file.kind, file.date, file.size, file.sha256, file.since);
  return write.end();
}

}  // namespace vtmirror::catalogue
