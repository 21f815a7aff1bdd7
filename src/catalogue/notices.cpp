// What is to be told, to whom, and how far that has come.
#include "catalogue/body.hpp"
#include "catalogue/queue.hpp"

namespace vtmirror::catalogue {
namespace {

struct Row {
  Delivery delivery;
  std::string body;
};

Row read_delivery(Statement& row) {
  Row read;
  read.delivery.channel = row.text(0);
  read.delivery.notice.id = row.text(1);
  read.delivery.notice.at = row.time(2);
  read.body = row.text(3);
  read.delivery.attempts = static_cast<int>(row.integer(4));
  read.delivery.due = row.time(5);
  read.delivery.error = row.text(6);
  return read;
}

/// The body says all but what has columns of its own.
base::Result<std::vector<Delivery>> with_notices(const Database& database, std::vector<Row> rows) {
  std::vector<Delivery> deliveries;
  for (auto& row : rows) {
    auto notice = core::parse_notice(row.body);
    if (!notice) return database.damaged(notice.error().detail);
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
      return "SELECT channel, key, at, body, attempts, due, error FROM delivery JOIN notice ON notice.id = notice "
             "WHERE channel = ? ORDER BY notice.id LIMIT 1";
    case core::DeliveryOrder::newest:
      return "SELECT channel, key, at, body, attempts, due, error FROM delivery JOIN notice ON notice.id = notice "
             "WHERE channel = ? ORDER BY notice.id DESC LIMIT 1";
    case core::DeliveryOrder::by_due:
      break;
  }
  // Told the wrong way round, a problem that is over would stand as one that goes on.
  return "SELECT channel, key, at, body, attempts, due, error FROM delivery JOIN notice ON notice.id = notice "
         "WHERE channel = ? AND NOT (body ->> 'stage' IS 'over' AND EXISTS "
         "(SELECT 1 FROM delivery AS earlier JOIN notice AS begun ON begun.id = earlier.notice "
         "WHERE earlier.channel = delivery.channel AND begun.id < notice.id AND begun.body ->> 'stage' IS 'began' "
         "AND begun.body ->> 'code' IS notice.body ->> 'code')) ORDER BY due, notice.id LIMIT 1";
}

/// What waits of the same problem is due with its newest notice, and comes before it.
void hasten_earlier(Transaction& write, const core::Notice& notice) {
  if (notice.stage == core::Stage::single) return;
  write.run(
      "UPDATE delivery SET due = min(due, ?) WHERE notice IN "
      "(SELECT id FROM notice WHERE body ->> 'stage' IS NOT NULL AND body ->> 'code' IS ?)",
      notice.at, notice.code);
}

}  // namespace

void drop_told_notices(Transaction& write) {
  write.run("DELETE FROM notice WHERE NOT EXISTS (SELECT 1 FROM delivery WHERE delivery.notice = notice.id)");
}

void queue(Transaction& write, const core::Notice& notice) {
  const auto topic = core::name(notice.topic);
  if (!write.number("SELECT 1 FROM channel WHERE topic = ? LIMIT 1", topic)) return;
  const auto id =
      write.number("INSERT INTO notice (key, at, body) VALUES (lower(hex(randomblob(16))), ?, ?) RETURNING id",
                   notice.at, core::notice_json(notice));
  if (!id) return;
  hasten_earlier(write, notice);
  write.run("INSERT INTO delivery (channel, notice, due) SELECT name, ?, ? FROM channel WHERE topic = ?", *id,
            notice.at, topic);
  write.announce();
}

void queue(Transaction& write, const std::vector<core::Notice>& notices) {
  for (const auto& notice : notices) queue(write, notice);
}

void Catalogue::on_queued(std::function<void()> queued) { body_->database.on_announced(std::move(queued)); }

base::Result<std::vector<Delivery>> Catalogue::deliveries() const {
  Transaction read(body_->database, Purpose::reading);
  auto rows = read.rows(read_delivery,
                        "SELECT channel, key, at, body, attempts, due, error FROM delivery "
                        "JOIN notice ON notice.id = notice ORDER BY notice.id, channel");
  if (const auto ended = read.end(); !ended) return ended.error();
  return with_notices(body_->database, std::move(rows));
}

base::Result<std::optional<Delivery>> Catalogue::next_delivery(const std::string& channel,
                                                               core::DeliveryOrder order) const {
  Transaction read(body_->database, Purpose::reading);
  auto rows = read.rows(read_delivery, next_in(order), channel);
  if (const auto ended = read.end(); !ended) return ended.error();
  auto deliveries = with_notices(body_->database, std::move(rows));
  if (!deliveries) return deliveries.error();
  if (deliveries->empty()) return std::optional<Delivery>();
  return std::optional(std::move(deliveries->front()));
}

base::Result<std::vector<core::FailingChannel>> Catalogue::failing_channels(base::Time until) const {
  Transaction read(body_->database, Purpose::reading);
  // Beside min() SQLite takes the other columns from the row that has it. One attempt may have met a bad moment; a
  // process that does not stay makes one at each of its runs, and of another notice each time.
  return read.end(read.rows(
      [](Statement& row) {
        return core::FailingChannel{row.text(0), row.time(1), row.integer(2), row.text(3)};
      },
      "SELECT channel, min(at) AS oldest, "
      "(SELECT count(*) FROM delivery AS waiting WHERE waiting.channel = delivery.channel), error "
      "FROM delivery JOIN notice ON notice.id = notice WHERE attempts > 0 "
      "GROUP BY channel HAVING oldest < ? AND sum(attempts) > 1 ORDER BY channel",
      until));
}

base::Result<void> Catalogue::keep_delivered(const std::string& channel, const std::string& id,
                                             core::DeliveryOrder order, base::Time at) {
  Transaction write(body_->database, Purpose::writing);
  const auto notice = write.number("SELECT id FROM notice WHERE key = ?", id);
  if (notice && order == core::DeliveryOrder::newest) {
    write.run("DELETE FROM delivery WHERE channel = ? AND notice <= ?", channel, *notice);
  } else if (notice) {
    write.run("DELETE FROM delivery WHERE channel = ? AND notice = ?", channel, *notice);
  }
  write.run("UPDATE delivery SET due = min(due, ?) WHERE channel = ?", at, channel);
  drop_told_notices(write);
  return write.end();
}

base::Result<void> Catalogue::keep_undelivered(const std::string& channel, const std::string& id, base::Time due,
                                               const std::string& error) {
  Transaction write(body_->database, Purpose::writing);
  write.run(
      "UPDATE delivery SET attempts = attempts + 1, due = ?, error = ? "
      "WHERE channel = ? AND notice = (SELECT id FROM notice WHERE key = ?)",
      due, error, channel, id);
  return write.end();
}

}  // namespace vtmirror::catalogue
