// The queued notices, the channels that they wait for, and the state of each delivery.

#include "vtmirror/catalogue/notices.hpp"

#include "catalogue/transaction.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace vtmirror::catalogue {
namespace {

struct Queued {
  Delivery delivery;
  std::string body;
};

Queued read_delivery(Row& row) {
  Queued read;
  read.delivery.channel = row.text(0);
  read.delivery.notice.id = row.text(1);
  read.delivery.notice.at = row.time(2);
  read.body = row.text(3);
  read.delivery.attempts = static_cast<int>(row.integer(4));
  read.delivery.due = row.time(5);
  read.delivery.cause = read_error(row, 6);
  return read;
}

/// Builds each notice from its body, which contains everything that has no column of its own.
base::Result<std::vector<Delivery>> with_notices(Connection& connection, std::vector<Queued> rows) {
  std::vector<Delivery> deliveries;
  for (auto& row : rows) {
    auto notice = core::parse_notice(row.body);
    if (!notice) return connection.driver->damaged(notice.error().detail);
    notice->id = row.delivery.notice.id;
    notice->at = row.delivery.notice.at;
    row.delivery.notice = std::move(*notice);
    deliveries.push_back(std::move(row.delivery));
  }
  return deliveries;
}

std::string_view next_in(core::DeliveryOrder order) {
  switch (order) {
    case core::DeliveryOrder::kept:
      return "SELECT channel, key, at, body, attempts, due, cause, detail, status FROM delivery JOIN notice ON "
             "notice.id = "
             "delivery.notice "
             "WHERE channel = $1 AND notice.generation <= (SELECT written FROM mirror_state) "
             "ORDER BY notice.id LIMIT 1";
    case core::DeliveryOrder::newest:
      return "SELECT channel, key, at, body, attempts, due, cause, detail, status FROM delivery JOIN notice ON "
             "notice.id = "
             "delivery.notice "
             "WHERE channel = $1 AND notice.generation <= (SELECT written FROM mirror_state) "
             "ORDER BY notice.id DESC LIMIT 1";
    case core::DeliveryOrder::by_due:
      break;
  }
  // In the wrong order, a problem that is over would look as if it persisted.
  return "SELECT channel, key, at, body, attempts, due, cause, detail, status FROM delivery JOIN notice ON notice.id = "
         "delivery.notice "
         "WHERE channel = $1 AND notice.generation <= (SELECT written FROM mirror_state) AND NOT (notice.stage = "
         "'over' AND EXISTS "
         "(SELECT 1 FROM delivery AS earlier JOIN notice AS begun ON begun.id = earlier.notice "
         "WHERE earlier.channel = delivery.channel AND begun.id < notice.id AND begun.stage = 'began' "
         "AND begun.code = notice.code)) ORDER BY due, notice.id LIMIT 1";
}

/// Earlier notices of the same problem become due with its newest one, and are sent before it.
void hasten_earlier(Transaction& write, const core::Notice& notice) {
  if (notice.stage == core::Stage::single) return;
  write.run(
      "UPDATE delivery SET due = $1 WHERE due > $1 AND notice IN "
      "(SELECT id FROM notice WHERE stage <> 'single' AND code = $2)",
      notice.at, notice.code);
}

}  // namespace

void drop_delivered_notices(Transaction& write) {
  write.run("DELETE FROM notice WHERE NOT EXISTS (SELECT 1 FROM delivery WHERE delivery.notice = notice.id)");
}

void queue(Transaction& write, const core::Notice& notice, std::int64_t generation) {
  const auto topic = core::name(notice.topic);
  if (!write.number("SELECT 1 FROM channel WHERE topic = $1 LIMIT 1", topic)) return;
  const auto id = write.number(
      "INSERT INTO notice (key, at, topic, code, stage, body, generation) VALUES ($1, $2, $3, $4, $5, $6, $7) "
      "RETURNING id",
      write.unique_key(), notice.at, topic, notice.code, core::name(notice.stage), core::notice_json(notice),
      generation);
  if (!id) return;
  hasten_earlier(write, notice);
  write.run("INSERT INTO delivery (channel, notice, due) SELECT name, $1, $2 FROM channel WHERE topic = $3", *id,
            notice.at, topic);
  write.announce();
}

void queue(Transaction& write, const std::vector<core::Notice>& notices) {
  for (const auto& notice : notices) queue(write, notice);
}

void Notices::on_queued(std::function<void()> queued) { connection().queued = std::move(queued); }

base::Result<std::vector<Delivery>> Notices::deliveries() const {
  Transaction read(connection(), Purpose::reading);
  auto rows = read.rows(read_delivery,
                        "SELECT channel, key, at, body, attempts, due, cause, detail, status FROM delivery "
                        "JOIN notice ON notice.id = delivery.notice ORDER BY notice.id, channel");
  if (const auto ended = read.end(); !ended) return ended.error();
  return with_notices(connection(), std::move(rows));
}

base::Result<std::optional<Delivery>> Notices::next_delivery(const std::string& channel,
                                                             core::DeliveryOrder order) const {
  Transaction read(connection(), Purpose::reading);
  auto rows = read.rows(read_delivery, next_in(order), channel);
  if (const auto ended = read.end(); !ended) return ended.error();
  auto deliveries = with_notices(connection(), std::move(rows));
  if (!deliveries) return deliveries.error();
  if (deliveries->empty()) return std::optional<Delivery>();
  return std::optional(std::move(deliveries->front()));
}

base::Result<std::vector<core::FailingChannel>> Notices::failing_channels(base::Time until) const {
  Transaction read(connection(), Purpose::reading);
  // A single failed attempt may be chance. A short-lived process makes one attempt in each run, each time for another
  // notice.
  return read.end(read.rows(
      [](Row& row) {
        return core::FailingChannel{row.text(0), row.time(1), row.integer(2), read_error(row, 3)};
      },
      "SELECT delivery.channel, notice.at, "
      "(SELECT count(*) FROM delivery AS waiting WHERE waiting.channel = delivery.channel), cause, detail, status "
      "FROM delivery JOIN notice ON notice.id = delivery.notice "
      "WHERE delivery.attempts > 0 AND notice.at < $1 AND "
      "(SELECT sum(attempts) FROM delivery AS tried WHERE tried.channel = delivery.channel) > 1 AND NOT EXISTS "
      "(SELECT 1 FROM delivery AS older JOIN notice AS since ON since.id = older.notice "
      "WHERE older.channel = delivery.channel AND older.attempts > 0 AND "
      "(since.at < notice.at OR (since.at = notice.at AND since.id < notice.id))) ORDER BY delivery.channel",
      until));
}

base::Result<void> Notices::keep_delivered(const std::string& channel, const std::string& id, core::DeliveryOrder order,
                                           base::Time at) {
  Transaction write(connection(), Purpose::writing);
  const auto notice = write.number("SELECT id FROM notice WHERE key = $1", id);
  if (notice && order == core::DeliveryOrder::newest) {
    write.run("DELETE FROM delivery WHERE channel = $1 AND notice <= $2", channel, *notice);
  } else if (notice) {
    write.run("DELETE FROM delivery WHERE channel = $1 AND notice = $2", channel, *notice);
  }
  write.run("UPDATE delivery SET due = $1 WHERE due > $1 AND channel = $2", at, channel);
  drop_delivered_notices(write);
  return write.end();
}

base::Result<void> Notices::keep_undelivered(const std::string& channel, const std::string& id, base::Time due,
                                             const core::Cause& cause) {
  Transaction write(connection(), Purpose::writing);
  write.run(
      "UPDATE delivery SET attempts = attempts + 1, due = $1, cause = $2, detail = $3, status = $4 "
      "WHERE channel = $5 AND notice = (SELECT id FROM notice WHERE key = $6)",
      due, code_column(cause), cause.detail, cause.status, channel, id);
  return write.end();
}

namespace {

using Names = std::vector<std::string>;

/// "hook" of "hook load-mirror 1f2e3d4c".
std::string_view kind_of(std::string_view channel) { return channel.substr(0, channel.find(' ')); }

/// The first channel of that kind, if it is the only one.
std::string only_one(const Names& channels, std::string_view kind) {
  const auto is_such = [kind](const std::string& channel) { return kind_of(channel) == kind; };
  if (std::count_if(channels.begin(), channels.end(), is_such) != 1) return {};
  return *std::find_if(channels.begin(), channels.end(), is_such);
}

Names without(Names channels, const Names& others) {
  std::erase_if(channels, [&](const std::string& channel) {
    return std::find(others.begin(), others.end(), channel) != others.end();
  });
  return channels;
}

Names known_channels(Transaction& write) {
  return write.rows([](Row& row) { return row.text(0); },
                    "SELECT name FROM channel UNION SELECT channel FROM delivery ORDER BY 1");
}

/// What is stored already is not written again, so that a full disk does not refuse it.
void subscribe(Transaction& write, const std::vector<Subscription>& channels) {
  using Entry = std::pair<std::string, std::string>;
  std::set<Entry> wanted;
  for (const auto& channel : channels)
    for (const auto topic : channel.topics) wanted.emplace(channel.name, core::name(topic));
  const auto known =
      write.rows([](Row& row) { return Entry(row.text(0), row.text(1)); }, "SELECT name, topic FROM channel");
  if (std::set<Entry>(known.begin(), known.end()) == wanted) return;
  write.run("DELETE FROM channel");
  for (const auto& [name, topic] : wanted) write.run("INSERT INTO channel (name, topic) VALUES ($1, $2)", name, topic);
}

/// Moves the waiting notices that the successor subscribes to, as if they had never been tried.
void hand_over(Transaction& write, const std::string& channel, const std::string& successor) {
  write.run(
      "UPDATE delivery SET channel = $1, attempts = 0, cause = '', detail = '', status = 0, "
      "due = (SELECT at FROM notice WHERE notice.id = delivery.notice) "
      "WHERE channel = $2 AND EXISTS (SELECT 1 FROM notice JOIN channel ON channel.topic = notice.topic "
      "WHERE notice.id = delivery.notice AND channel.name = $1)",
      successor, channel);
}

/// Empty if nothing waited for it.
std::optional<EndedChannel> end(Transaction& write, const std::string& channel, const std::string& successor) {
  constexpr std::string_view count = "SELECT count(*) FROM delivery WHERE channel = $1";
  EndedChannel ended{.name = channel, .deliveries = write.number(count, channel).value_or(0)};
  if (ended.deliveries == 0) return std::nullopt;
  if (!successor.empty()) hand_over(write, channel, successor);
  const auto undelivered = write.number(count, channel).value_or(0);
  if (undelivered < ended.deliveries) ended.successor = successor;
  ended.handed_over = ended.deliveries - undelivered;
  write.run("DELETE FROM delivery WHERE channel = $1", channel);
  return ended;
}

}  // namespace

base::Result<std::vector<EndedChannel>> Notices::set_channels(const std::vector<Subscription>& channels) {
  Transaction write(connection(), Purpose::writing);
  Names set;
  for (const auto& channel : channels) set.push_back(channel.name);
  const auto known = known_channels(write);
  subscribe(write, channels);
  const auto gone = without(known, set);
  const auto fresh = without(set, known);
  std::vector<EndedChannel> all;
  for (const auto& channel : gone) {
    const bool alone = only_one(gone, kind_of(channel)) == channel;
    auto ended = end(write, channel, alone ? only_one(fresh, kind_of(channel)) : std::string());
    if (ended) all.push_back(std::move(*ended));
  }
  drop_delivered_notices(write);
  return write.end(std::move(all));
}

}  // namespace vtmirror::catalogue
