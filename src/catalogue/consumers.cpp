// What each consumer has loaded and was offered.

#include "vtmirror/catalogue/consumers.hpp"

#include "catalogue/stock.hpp"
#include "catalogue/transaction.hpp"

#include <algorithm>

namespace vtmirror::catalogue {
namespace {

/// A position or an offer that cannot be read counts as none: the consumer loads the bulk file, or is asked again. An
/// offer without a ticket was dropped.
core::ConsumerRecord read_consumer(Row& row) {
  core::ConsumerRecord record{.name = row.text(0), .created = row.time(1), .asked = row.time(2)};
  record.kept_up = row.time(9);
  record.acknowledged = row.text(3);
  if (!row.is_null(4)) record.acknowledged_at = row.time(4);
  if (auto position = core::parse_position(row.text(5))) record.position = std::move(*position);
  if (auto offer = core::parse_offer(row.text(8))) {
    record.offer = std::move(*offer);
    record.ticket = row.text(6);
    if (!row.is_null(7)) record.offered_at = row.time(7);
  }
  return record;
}

std::optional<core::ConsumerRecord> find(Transaction& read, const std::string& name) {
  auto found = read.rows(read_consumer,
                         "SELECT name, created, asked, acknowledged, acknowledged_at, loaded, ticket, offered_at, "
                         "offer, kept_up FROM consumer WHERE name = $1",
                         name);
  if (found.empty()) return std::nullopt;
  return std::move(found.front());
}

/// The first number is made from the clock: a new catalogue must not repeat the tickets of one that was lost.
std::int64_t next_number(Transaction& write, base::Time now) {
  constexpr std::int64_t most = 1'000'000;
  const auto first = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count() % most;
  return write
      .number(
          "INSERT INTO consumer_ticket (id, newest) VALUES (1, $1) "
          "ON CONFLICT (id) DO UPDATE SET newest = consumer_ticket.newest + 1 RETURNING newest",
          first)
      .value_or(0);
}

bool is_public(Transaction& read, const core::Held& file) {
  return read
      .number(
          "SELECT 1 FROM version WHERE state = 'public' AND condition = 'whole' AND name = $1 AND since = $2 "
          "AND size = $3",
          file.name, file.since, file.size)
      .has_value();
}

/// `now`, but no earlier than what is known of that consumer, of the newest cycle, and of the last time that the clock
/// was right: a clock that was set back must not make a consumer look silent, or its lease look old.
base::Time no_earlier(Transaction& read, const std::string& name, base::Time now) {
  const auto known = read.number(
      "SELECT max(at) FROM (SELECT started AS at FROM cycle WHERE id = (SELECT max(id) FROM cycle) "
      "UNION ALL SELECT asked FROM consumer WHERE name = $1 UNION ALL SELECT right_at FROM clock) AS known",
      name);
  return known ? std::max(now, base::Time(base::Milliseconds(*known))) : now;
}

void must_know(Transaction& write, std::int64_t changed) {
  if (changed == 0) write.refuse("no consumer has that name");
}

}  // namespace

base::Result<std::vector<core::ConsumerRecord>> Consumers::consumers() const {
  Transaction read(connection(), Purpose::reading);
  return read.end(read.rows(read_consumer,
                            "SELECT name, created, asked, acknowledged, acknowledged_at, loaded, ticket, offered_at, "
                            "offer, kept_up FROM consumer ORDER BY name"));
}

base::Result<std::optional<core::ConsumerRecord>> Consumers::consumer(const std::string& name) const {
  Transaction read(connection(), Purpose::reading);
  return read.end(find(read, name));
}

base::Result<core::Edition> Consumers::edition_now() const {
  Transaction read(connection(), Purpose::reading);
  return read.end(read_edition(read));
}

base::Result<void> Consumers::keep_asked(const std::string& name, base::Time now) {
  Transaction write(connection(), Purpose::writing);
  const auto at = no_earlier(write, name, now);
  write.run(
      "INSERT INTO consumer (name, created, asked, kept_up) VALUES ($1, $2, $2, $2) "
      "ON CONFLICT (name) DO UPDATE SET asked = $2",
      name, at);
  return write.end();
}

base::Result<void> Consumers::keep_up_to_date(const std::string& name, base::Time now) {
  Transaction write(connection(), Purpose::writing);
  const auto at = no_earlier(write, name, now);
  must_know(write, write.run("UPDATE consumer SET asked = $1, kept_up = $1 WHERE name = $2", at, name));
  return write.end();
}

base::Result<std::optional<std::string>> Consumers::keep_offer(const std::string& name, const core::Offer& offer,
                                                               base::Time now) {
  Transaction write(connection(), Purpose::writing);
  const bool all = std::ranges::all_of(offer.files, [&](const core::Held& file) { return is_public(write, file); });
  if (!all) return write.end(std::optional<std::string>());
  const auto ticket = std::to_string(offer.after.generation) + '-' + std::to_string(next_number(write, now));
  must_know(write, write.run("UPDATE consumer SET ticket = $1, offered_at = $2, offer = $3 WHERE name = $4", ticket,
                             no_earlier(write, name, now), core::text_of(offer), name));
  return write.end(std::optional(ticket));
}

base::Result<void> Consumers::renew_offer(const std::string& name, base::Time now) {
  Transaction write(connection(), Purpose::writing);
  write.run("UPDATE consumer SET offered_at = $1 WHERE name = $2 AND ticket <> ''", no_earlier(write, name, now), name);
  return write.end();
}

/// What was offered stays known: it may have been loaded.
base::Result<void> Consumers::drop_offer(const std::string& name) {
  Transaction write(connection(), Purpose::writing);
  write.run("UPDATE consumer SET ticket = '', offered_at = NULL WHERE name = $1", name);
  return write.end();
}

base::Result<core::Acknowledgement> Consumers::acknowledge(const std::string& name, const std::string& ticket,
                                                           base::Time now) {
  using core::Acknowledgement;
  Transaction write(connection(), Purpose::writing);
  const auto known = find(write, name);
  if (!known) return write.end(Acknowledgement::unknown_consumer);
  if (ticket.empty() || !known->offer || known->ticket != ticket)
    return write.end(!ticket.empty() && known->acknowledged == ticket ? Acknowledgement::repeated
                                                                      : Acknowledgement::unknown_ticket);
  const auto at = no_earlier(write, name, now);
  const auto position = core::acknowledged(*known->offer, at);
  // The offer was all that it could load then.
  const auto kept_up = std::max(known->kept_up, known->offered_at.value_or(known->kept_up));
  write.run(
      "UPDATE consumer SET asked = $1, acknowledged = $2, acknowledged_at = $1, loaded = $3, kept_up = $4, "
      "ticket = '', offered_at = NULL, offer = '' WHERE name = $5",
      at, ticket, core::text_of(position), kept_up, name);
  return write.end(Acknowledgement::done);
}

base::Result<void> Consumers::correct_times(base::Time now) {
  Transaction write(connection(), Purpose::writing);
  write.run("INSERT INTO clock (id, right_at) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET right_at = $1", now);
  write.run("UPDATE consumer SET asked = $1 WHERE asked > $1", now);
  write.run("UPDATE consumer SET kept_up = $1 WHERE kept_up > $1", now);
  write.run("UPDATE consumer SET offered_at = $1 WHERE offered_at > $1", now);
  return write.end();
}

base::Result<bool> Consumers::forget(const std::string& name, const std::vector<core::Notice>& notices) {
  Transaction write(connection(), Purpose::writing);
  const auto gone = write.run("DELETE FROM consumer WHERE name = $1", name);
  if (gone > 0) queue(write, notices);
  return write.end(gone > 0);
}

}  // namespace vtmirror::catalogue
