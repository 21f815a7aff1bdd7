// What is known of the bytes of public files, and what was found when they were read again.
#include "catalogue/stock.hpp"
#include "catalogue/transaction.hpp"
#include "vtmirror/catalogue/files.hpp"
#include "vtmirror/core/consumer.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace vtmirror::catalogue {
namespace {

core::Damage read_damage(Row& row) {
  core::Damage damage{
      .name = row.text(0),
      .condition = row.text(1) == name(core::Condition::lost) ? core::Condition::lost : core::Condition::damaged,
      .cause = read_error(row, 3),
      .found_at = row.time(2)};
  damage.cause.fields = row.fields(6);
  return damage;
}

void note_damage(Transaction& write, const std::string& name, base::Time at, const core::Cause& why) {
  write.run(
      "INSERT INTO damage (name, at, cause, detail, status, fields) VALUES ($1, $2, $3, $4, $5, $6) "
      "ON CONFLICT (name) DO UPDATE SET at = excluded.at, cause = excluded.cause, detail = excluded.detail, "
      "status = excluded.status, fields = excluded.fields",
      name, at, code_column(why), why.detail, why.status, why.fields);
}

/// Records how the bytes of the public file are now. False if that is known already, or if no such version is public.
bool set_condition(Transaction& write, const std::string& name, core::Condition condition) {
  if (!write.number("SELECT 1 FROM version WHERE state = 'public' AND name = $1 AND condition <> $2", name,
                    core::name(condition)))
    return false;
  settle_standing(write);  // a file that came after it had left the listing was held, whatever becomes of it
  write.run("UPDATE version SET condition = $1 WHERE state = 'public' AND name = $2", core::name(condition), name);
  return true;
}

struct Offered {
  std::string consumer;
  std::string offer;
};
Offered read_offered(Row& row) { return {row.text(0), row.text(1)}; }

/// What a consumer was offered of that edition has the damaged bytes too, so it is no longer kept. The offer stays: the
/// consumer may have loaded it before.
void end_leases(Transaction& write, const core::FileRecord& damaged) {
  const auto is_it = [&damaged](const core::Held& file) {
    return file.name == damaged.name && file.since == damaged.since;
  };
  for (const auto& each :
       write.rows(read_offered, "SELECT name, offer FROM consumer WHERE offered_at IS NOT NULL ORDER BY name")) {
    const auto offer = core::parse_offer(each.offer);
    if (!offer || std::ranges::none_of(offer->files, is_it)) continue;
    write.run("UPDATE consumer SET offered_at = NULL WHERE name = $1", each.consumer);
  }
}

}  // namespace

base::Result<bool> Files::keep_condition(const std::string& name, core::Condition condition) {
  Transaction write(connection(), Purpose::writing);
  return write.end(set_condition(write, name, condition));
}

base::Result<std::optional<bool>> Files::keep_reading(const core::FileRecord& read, base::Time at,
                                                      core::Condition found, const core::Cause& why) {
  Transaction write(connection(), Purpose::writing);
  // A file that was published again meanwhile is another version, although its name is the same.
  const auto version = write.number(
      "SELECT id FROM version WHERE state = 'public' AND name = $1 AND since = $2 AND size = $3 AND sha256 = $4",
      read.name, read.since, read.size, read.sha256);
  if (!version) return write.end(std::optional<bool>());
  const bool changed = set_condition(write, read.name, found);
  if (found == core::Condition::whole) {
    write.run("UPDATE version SET read_at = $1 WHERE id = $2", at, *version);
    write.run("DELETE FROM damage WHERE name = $1", read.name);
  } else {
    note_damage(write, read.name, at, why);
    if (found == core::Condition::damaged) end_leases(write, read);
  }
  return write.end(std::optional(changed));
}

base::Result<std::vector<core::Damage>> Files::damages() const {
  Transaction read(connection(), Purpose::reading);
  return read.end(read.rows(read_damage,
                            "SELECT damage.name, version.condition, damage.at, damage.cause, damage.detail, "
                            "damage.status, damage.fields FROM damage "
                            "JOIN version ON version.name = damage.name AND version.state = 'public' "
                            "WHERE version.condition <> 'whole' ORDER BY damage.name"));
}

}  // namespace vtmirror::catalogue
