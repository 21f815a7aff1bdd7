// Unfinished files and their watermarks.

#include "vtmirror/catalogue/files.hpp"

#include "catalogue/transaction.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace vtmirror::catalogue {
namespace {

struct Stored {
  std::int64_t id = 0;
  core::PartialRecord partial;
};

Stored read_partial(Row& row) {
  return {.id = row.integer(0),
          .partial = {.name = row.text(1),
                      .kind = row.kind(2),
                      .date = row.date(3),
                      .size = row.integer(4),
                      .etag = row.text(5),
                      .durable = {},
                      .verified = row.integer(6) != 0,
                      .sha256 = row.text(7)}};
}

core::Range read_range(Row& row) { return {.begin = row.integer(0), .end = row.integer(1)}; }

std::vector<core::Range> ranges_of(Transaction& transaction, std::int64_t partial) {
  return transaction.rows(read_range, "SELECT starts, ends FROM partial_range WHERE partial = $1 ORDER BY starts",
                          partial);
}

std::vector<core::Range> only_in_first(const std::vector<core::Range>& first, const std::vector<core::Range>& second) {
  std::vector<core::Range> only;
  std::set_difference(
      first.begin(), first.end(), second.begin(), second.end(), std::back_inserter(only),
      [](const core::Range& a, const core::Range& b) { return std::tie(a.begin, a.end) < std::tie(b.begin, b.end); });
  return only;
}

/// Writes only the differences: a watermark moves every second, and usually one range grows. Deletions come first,
/// because a range that grew keeps its start.
void store_ranges(Transaction& write, std::int64_t partial, const core::RangeSet& durable) {
  const auto& wanted = durable.ranges();
  const auto stored = ranges_of(write, partial);
  for (const auto& range : only_in_first(stored, wanted)) {
    write.run("DELETE FROM partial_range WHERE partial = $1 AND starts = $2", partial, range.begin);
  }
  for (const auto& range : only_in_first(wanted, stored)) {
    write.run("INSERT INTO partial_range (partial, starts, ends) VALUES ($1, $2, $3)", partial, range.begin, range.end);
  }
}

core::FoundConnections read_found(Row& row) {
  return {.number = static_cast<int>(row.integer(0)), .rate = row.integer(1)};
}

}  // namespace

void drop_partial(Transaction& write, const std::string& name) {
  write.run("DELETE FROM partial WHERE name = $1", name);
}

base::Result<std::vector<core::PartialRecord>> Downloads::partials() const {
  Transaction read(connection(), Purpose::reading);
  std::vector<core::PartialRecord> partials;
  for (auto& [id, partial] :
       read.rows(read_partial,
                 "SELECT id, name, kind, date, size, etag, verified, sha256 FROM partial ORDER BY kind, date, name")) {
    partial.durable = core::RangeSet(ranges_of(read, id));
    partials.push_back(std::move(partial));
  }
  return read.end(std::move(partials));
}

base::Result<void> Downloads::keep_partial(const core::PartialRecord& partial) {
  Transaction write(connection(), Purpose::writing);
  const auto id = write.number(
      "INSERT INTO partial (name, kind, date, size, etag, verified, sha256) VALUES ($1, $2, $3, $4, $5, $6, $7) "
      "ON CONFLICT (name) DO UPDATE SET kind = excluded.kind, date = excluded.date, size = excluded.size, "
      "etag = excluded.etag, verified = excluded.verified, sha256 = excluded.sha256 RETURNING id",
      partial.name, partial.kind, partial.date, partial.size, partial.etag, std::int64_t{partial.verified},
      partial.sha256);
  if (partial.durable.end() > partial.size)
    write.refuse("durable bytes beyond the end of " + core::short_name(partial.name));
  if (id) store_ranges(write, *id, partial.durable);
  return write.end();
}

base::Result<void> Downloads::keep_durable(const std::string& name, const core::RangeSet& durable) {
  Transaction write(connection(), Purpose::writing);
  const auto id = write.number("SELECT id FROM partial WHERE name = $1", name);
  const auto size = write.number("SELECT size FROM partial WHERE name = $1", name);
  if (!id || !size) {
    write.refuse("no unfinished file " + core::short_name(name));
  } else if (durable.end() > *size) {
    write.refuse("durable bytes beyond the end of " + core::short_name(name));
  } else {
    store_ranges(write, *id, durable);
  }
  return write.end();
}

base::Result<void> Downloads::forget_partial(const std::string& name) {
  Transaction write(connection(), Purpose::writing);
  drop_partial(write, name);
  return write.end();
}

base::Result<std::optional<core::FoundConnections>> Downloads::found_connections(const std::string& host) const {
  Transaction read(connection(), Purpose::reading);
  const auto found = read.rows(read_found, "SELECT connections, rate FROM store_connections WHERE host = $1", host);
  return read.end(found.empty() ? std::nullopt : std::optional(found.front()));
}

base::Result<void> Downloads::keep_found_connections(const std::string& host, const core::FoundConnections& found,
                                                     base::Time at) {
  Transaction write(connection(), Purpose::writing);
  write.run(
      "INSERT INTO store_connections (host, connections, rate, at) VALUES ($1, $2, $3, $4) "
      "ON CONFLICT (host) DO UPDATE SET connections = excluded.connections, rate = excluded.rate, at = excluded.at",
      host, found.number, found.rate, at);
  return write.end();
}

}  // namespace vtmirror::catalogue
