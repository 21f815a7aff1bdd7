#include "vtmirror/report/consumers.hpp"

#include "report/answer.hpp"
#include "report/json_value.hpp"
#include "vtmirror/base/json.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/core/listing.hpp"
#include "vtmirror/core/unheard_offer.hpp"
#include "vtmirror/report/missing.hpp"
#include "vtmirror/report/table.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <utility>

namespace vtmirror::report {
namespace {

namespace json = boost::json;

std::string day_of(const core::LoadWhy& why) { return why.day ? day_words(*why.day) : std::string("that day"); }

std::string gap(const core::LoadWhy& why) {
  if (why.file.empty()) return "the deltas do not join on: no listing covered " + day_of(why);
  return "the deltas do not join on: the latest edition of " + core::short_name(why.file) + " is not held";
}

json::object object_of(const core::Held& file, const std::string& path) {
  json::object object{{"path", text_or_null(path)}, {"name", file.name}, {"kind", core::name(file.kind)}};
  object["date"] = base::iso8601(file.date);
  object["size"] = file.size;
  object["sha256"] = text_or_null(file.sha256);
  return object;
}

base::Result<core::Calendar> calendar_of(const core::ConsumerRecord& record, const catalogue::Catalogue& catalogue,
                                         const catalogue::ChainNow& now) {
  const auto since = core::needed_from(record);
  if (!since) return now.calendar;
  return catalogue.calendar_since(*since);
}

/// Without the rules of the settings: a bulk load that is due does not mean that data is missing.
base::Result<ConsumerStatus> status_of(const core::ConsumerRecord& record, const catalogue::Catalogue& catalogue,
                                       const core::Edition& edition, const catalogue::ChainNow& now) {
  const auto calendar = calendar_of(record, catalogue, now);
  if (!calendar) return calendar.error();
  const auto offer = core::next_offer(record, {edition, *calendar, now.held, now.chain}, {}, record.created);
  ConsumerStatus status{.name = record.name, .created = record.created, .asked = record.asked};
  status.acknowledged = record.acknowledged;
  status.acknowledged_at = record.acknowledged_at;
  if (record.position) status.through = record.position->through;
  if (!offer.files.empty()) {
    const auto changes = catalogue.changes_since(core::known_generation(record.position, offer));
    if (!changes) return changes.error();
    status.behind_since = core::behind_since(record.position, offer, now.files, *changes);
  }
  if (status.behind_since) status.behind_since = std::max(*status.behind_since, record.kept_up);
  status.files = std::ssize(offer.files);
  for (const auto& file : offer.files) status.bytes += file.size;
  status.ticket = record.ticket;
  status.offered_at = record.offered_at;
  return status;
}

}  // namespace

std::string sentence(const core::LoadWhy& why) {
  using core::LoadReason;
  const auto file = core::short_name(why.file);
  switch (why.reason) {
    case LoadReason::nothing_new:
      return "everything is loaded";
    case LoadReason::more:
      return base::counted(why.count, "delta") + (why.day ? " since " + day_words(*why.day) : "");
    case LoadReason::late:
      return file + " was listed late; load it and the later deltas again";
    case LoadReason::first:
      return "nothing was acknowledged yet";
    case LoadReason::other_session:
      return "the mirror has a new session: its catalogue was rebuilt";
    case LoadReason::replaced:
      return file + " was replaced by another edition after it was loaded";
    case LoadReason::misplaced:
      return file + " is no longer where it was in the load order";
    case LoadReason::gap:
      return gap(why);
    case LoadReason::was_not_absent:
      return "a delta of " + day_of(why) + " was listed after all";
    case LoadReason::assumes_absent:
      return "the deltas would rest on the absence of a delta of " + day_of(why) + " (consumers.strict)";
    case LoadReason::due:
      return "the last bulk load was " + base::counted(why.count, "day") + " ago (consumers.reload_every)";
    case LoadReason::nothing_held:
      return "no bulk file is held yet";
    case LoadReason::missing:
      return file + " is missing: " + std::string(phrase(why.missing.value_or(core::MissingReason::not_downloaded)));
    case LoadReason::not_known:
      return "no listing has covered " + day_of(why) + " yet";
  }
  return {};
}

std::string next_json(const NextAnswer& answer) {
  const auto& offer = answer.offer;
  json::object object{{"schema", consumer_schema}, {"session", answer.edition.session}, {"consumer", answer.consumer}};
  object["generation"] = offer.files.empty() ? answer.edition.generation : offer.after.generation;
  object["ticket"] = text_or_null(answer.ticket);
  object["action"] = core::name(offer.action);
  object["why"] = sentence(offer.why);
  json::array files;
  for (std::size_t i = 0; i < offer.files.size(); ++i)
    files.push_back(object_of(offer.files[i], i < answer.paths.size() ? answer.paths[i] : std::string()));
  object["files"] = std::move(files);
  object["through"] = text_or_null(offer.through);
  json::array absent;
  for (const auto day : offer.assumes_absent) absent.push_back(json::string(base::iso8601(day)));
  object["assumes_absent"] = std::move(absent);
  return json::serialize(object) + '\n';
}

namespace {

std::string text_of(const base::JsonObject& fields) {
  const auto word = fields.text("action");
  const std::string consumer(fields.text("consumer"));
  std::string lines = std::string(word) + ": " + std::string(fields.text("why")) + '\n';
  const auto files = fields.objects("files");
  for (const auto& file : files) lines += std::string(file.optional_text("path").value_or("")) + '\n';
  const auto ticket = fields.optional_text("ticket");
  if (!files.empty() && ticket)
    lines += "When they are loaded: vtmirror ack " + consumer + ' ' + std::string(*ticket) + '\n';
  if (!files.empty() && !ticket) lines += "This is a preview: only root and the daemon's user get a ticket.\n";
  return lines;
}

}  // namespace

base::Result<std::string> next_text(std::string_view json) {
  return read_answer(json, "the answer", text_of, {.any_bytes = true});
}

std::string refusal_of(core::Acknowledgement outcome, const std::string& consumer, const std::string& ticket) {
  if (outcome == core::Acknowledgement::unknown_consumer)
    return "no consumer is called " + consumer + ": `vtmirror consumers` lists them";
  if (outcome == core::Acknowledgement::unknown_ticket)
    return base::printable(ticket, 80) + " is not the current ticket of " + consumer +
           ": nothing was acknowledged; run `vtmirror next " + consumer + "` again";
  return {};
}

std::string acknowledged_json(const std::string& consumer, const std::string& ticket) {
  return json::serialize(json::object{
             {"schema", consumer_schema}, {"consumer", consumer}, {"ticket", ticket}, {"acknowledged", true}}) +
         '\n';
}

std::string forgotten_json(const std::string& consumer) {
  return json::serialize(json::object{{"schema", consumer_schema}, {"consumer", consumer}, {"forgotten", true}}) + '\n';
}

std::string wait_json(const ChainWait& wait) {
  return json::serialize(json::object{{"schema", consumer_schema},
                                      {"day", base::iso8601(wait.day)},
                                      {"complete", wait.is_over()},
                                      {"complete_through", text_or_null(wait.complete_through)}}) +
         '\n';
}

base::Result<ChainWait> parse_wait(std::string_view json) {
  const auto read = [](const base::JsonObject& fields) {
    return ChainWait{fields.date("day"), fields.optional_date("complete_through")};
  };
  return read_answer(json, "the answer", read, {.any_bytes = true});
}

base::Result<std::vector<ConsumerStatus>> consumer_statuses(const catalogue::Catalogue& catalogue) {
  const auto now = catalogue::chain_now(catalogue);
  if (!now) return now.error();
  return consumer_statuses(catalogue, *now);
}

base::Result<std::vector<ConsumerStatus>> consumer_statuses(const catalogue::Catalogue& catalogue,
                                                            const catalogue::ChainNow& now) {
  const auto records = catalogue.consumers();
  if (!records) return records.error();
  std::vector<ConsumerStatus> statuses;
  if (records->empty()) return statuses;
  const auto edition = catalogue.edition_now();
  if (!edition) return edition.error();
  for (const auto& record : *records) {
    auto status = status_of(record, catalogue, *edition, now);
    if (!status) return status.error();
    statuses.push_back(std::move(*status));
  }
  return statuses;
}

json::object object_of(const ConsumerStatus& consumer) {
  json::object object{{"name", consumer.name}, {"through", text_or_null(consumer.through)}};
  object["behind_since"] = text_or_null(consumer.behind_since);
  object["files"] = consumer.files;
  object["bytes"] = consumer.bytes;
  object["acknowledged"] = text_or_null(consumer.acknowledged);
  object["acknowledged_at"] = text_or_null(consumer.acknowledged_at);
  object["ticket"] = text_or_null(consumer.ticket);
  object["offered_at"] = text_or_null(consumer.offered_at);
  object["asked_at"] = base::iso8601(consumer.asked);
  object["created_at"] = base::iso8601(consumer.created);
  return object;
}

ConsumerStatus consumer_status_of(const base::JsonObject& fields) {
  ConsumerStatus consumer{.name = std::string(fields.text("name"))};
  consumer.through = fields.optional_date("through");
  consumer.behind_since = fields.optional_time("behind_since");
  consumer.files = fields.integer("files");
  consumer.bytes = fields.integer("bytes");
  consumer.acknowledged = fields.optional_text("acknowledged").value_or("");
  consumer.acknowledged_at = fields.optional_time("acknowledged_at");
  consumer.ticket = fields.optional_text("ticket").value_or("");
  consumer.offered_at = fields.optional_time("offered_at");
  consumer.asked = fields.time("asked_at");
  consumer.created = fields.time("created_at");
  return consumer;
}

std::string consumers_json(const std::vector<ConsumerStatus>& consumers) {
  json::array array;
  for (const auto& consumer : consumers) array.push_back(object_of(consumer));
  return json::serialize(json::object{{"schema", consumer_schema}, {"consumers", std::move(array)}}) + '\n';
}

base::Result<std::vector<ConsumerStatus>> parse_consumers(std::string_view text) {
  return read_answer(text, "the answer",
                     [](const base::JsonObject& fields) {
                       std::vector<ConsumerStatus> consumers;
                       for (const auto& consumer : fields.objects("consumers"))
                         consumers.push_back(consumer_status_of(consumer));
                       return consumers;
                     },
                     {.any_bytes = true});
}

std::string lag_of(const ConsumerStatus& consumer, base::Time now) {
  if (consumer.files == 0) return consumer.through ? "up to date" : "nothing to load yet";
  const auto lag = std::max(std::chrono::floor<std::chrono::seconds>(now - consumer.behind_since.value_or(now)),
                            std::chrono::seconds(0));
  return base::counted(consumer.files, "file") + " to load, for " + base::human_duration(lag);
}

std::string consumers_text(const std::vector<ConsumerStatus>& consumers, std::size_t width, base::Time now,
                           const UtcOffset& offset) {
  // The ticket is what one copies for `vtmirror ack`.
  Table table({{"CONSUMER"},
               {"LOADED THROUGH", Align::left, 2},
               {"LAG", Align::left, 3},
               {"ASKED", Align::left, 1},
               {"TICKET"}});
  for (const auto& consumer : consumers)
    table.add({consumer.name, consumer.through ? base::iso8601(*consumer.through) : "nothing", lag_of(consumer, now),
               local_time(consumer.asked, offset), consumer.ticket});
  return table.narrowed(width).text(0);
}

}  // namespace vtmirror::report
