// All that a catalogue remembers as one text, so that two states can be compared and a difference can be read.
#pragma once

#include "vtmirror/catalogue/catalogue.hpp"

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::test {

/// Everything that the class Catalogue answers.
struct Memory {
  std::optional<base::Time> listed_at;
  core::Calendar calendar;
  std::vector<core::FileRecord> files;
  std::vector<core::Unfit> unfit;
  std::vector<core::PartialRecord> partials;
  std::vector<core::QuarantinedFile> quarantined;
  std::vector<core::Change> changes;
  std::vector<core::CycleRecord> cycles;
  std::vector<catalogue::Delivery> deliveries;
  std::vector<core::ConsumerRecord> consumers;
  std::optional<base::Time> key_use;
  std::int64_t generation = 0;
};

/// `value()` throws on an error, which fails the test.
inline Memory remembered(const catalogue::Catalogue& catalogue) {
  const auto listing = catalogue.last_listing().value();
  const auto calendar = catalogue.calendar().value();
  if (listing && listing->calendar != calendar) throw std::runtime_error("the listing's calendar is another one");
  return {.listed_at = listing ? std::optional(listing->at) : std::nullopt,
          .calendar = calendar,
          .files = catalogue.files().value(),
          .unfit = catalogue.unfit().value(),
          .partials = catalogue.partials().value(),
          .quarantined = catalogue.quarantined().value(),
          .changes = catalogue.changes_since(0).value(),
          .cycles = catalogue.history(1'000'000).value(),
          .deliveries = catalogue.deliveries().value(),
          .consumers = catalogue.consumers().value(),
          .key_use = catalogue.last_key_use().value(),
          .generation = catalogue.generation().value()};
}

/// Fields of one line, each with a bar behind it.
class Line {
 public:
  explicit Line(std::string& text) : text_(text) {}
  ~Line() { text_ += "\n"; }
  Line& operator<<(const std::string& field) {
    // A zero byte would end the text where it is printed.
    for (const char c : field) c == '\0' ? text_ += "\\0" : text_ += c;
    text_ += "|";
    return *this;
  }
  Line& operator<<(std::string_view field) { return *this << std::string(field); }
  Line& operator<<(const char* field) { return *this << std::string(field); }
  Line& operator<<(std::int64_t field) { return *this << std::to_string(field); }
  Line& operator<<(base::Time field) { return *this << std::int64_t{field.time_since_epoch().count()}; }
  Line& operator<<(base::Date field) { return *this << base::iso8601(field); }

 private:
  std::string& text_;
};

inline std::string ranges_of(const core::RangeSet& set) {
  std::string text;
  for (const auto& range : set.ranges()) text += std::to_string(range.begin) + "-" + std::to_string(range.end) + " ";
  return text;
}

inline std::string shown(const core::Cause& cause) {
  return std::string(cause.code ? base::name(*cause.code) : "") + "," + cause.subject + "," + cause.detail + "," +
         std::to_string(cause.status) + "," + core::fields_json(cause.fields);
}

inline std::string shown(const core::FileEdition& edition) {
  return base::iso8601(edition.date) + "," + std::to_string(edition.size) + "," + edition.sha256;
}

inline std::string shown(const Memory& memory) {
  std::string text;
  Line(text) << "generation" << memory.generation;
  if (memory.key_use) Line(text) << "key" << *memory.key_use;
  if (memory.listed_at) Line(text) << "listing" << *memory.listed_at;
  for (const auto& file : memory.calendar.files)
    Line(text) << (file.listed ? "listed" : "known") << core::name(file.kind) << file.name << file.date << file.size
               << core::stored_refusal(file.failed, file.refused) << (file.changed ? "changed" : "")
               << core::name(file.standing) << file.since << file.sha256;
  for (const auto& date : memory.calendar.absent) Line(text) << "absent" << date;
  for (const auto& entry : memory.calendar.undated)
    Line(text) << "undated" << core::name(entry.kind) << entry.name << core::stored_refusal(entry.failed, entry.why);
  for (const auto& file : memory.files)
    Line(text) << "file" << core::name(file.kind) << file.name << file.date << file.size << file.sha256 << file.etag
               << file.published_at << file.since << core::name(file.condition) << file.probed_at << file.read_at;
  for (const auto& file : memory.unfit) Line(text) << "unfit" << file.name << file.needed << file.free << file.reserve;
  for (const auto& partial : memory.partials)
    Line(text) << "partial" << core::name(partial.kind) << partial.name << partial.date << partial.size << partial.etag
               << ranges_of(partial.durable) << (partial.verified ? "verified" : "") << partial.sha256;
  for (const auto& file : memory.quarantined)
    Line(text) << "quarantined" << file.name << file.size << shown(file.cause) << file.at
               << (file.left_at ? "left " + base::iso8601(*file.left_at) : "listed");
  for (const auto& change : memory.changes)
    Line(text) << "change" << change.generation << name(change.kind) << change.name << change.at
               << core::name(change.file_kind) << shown(change.file) << (change.before ? shown(*change.before) : "");
  for (const auto& cycle : memory.cycles)
    Line(text) << "cycle" << cycle.id << cycle.started << (cycle.finished ? "finished" : "cut")
               << cycle.finished.value_or(base::Time{}) << name(cycle.outcome) << std::int64_t{cycle.files}
               << cycle.bytes << (cycle.failure ? core::name(cycle.failure->kind) : "")
               << (cycle.failure ? shown(cycle.failure->cause) : "") << cycle.with.settings << cycle.with.service
               << cycle.not_before.value_or(base::Time{});
  // Without the notices' ids, which are chance.
  for (const auto& delivery : memory.deliveries)
    Line(text) << "delivery" << delivery.channel << core::name(delivery.notice.topic) << delivery.notice.message
               << delivery.notice.at << std::int64_t{delivery.attempts} << delivery.due << shown(delivery.cause);
  // Without the tickets, whose first number is made from the clock.
  for (const auto& consumer : memory.consumers)
    Line(text) << "consumer" << consumer.name << consumer.created << consumer.asked
               << consumer.acknowledged_at.value_or(base::Time{})
               << (consumer.position ? core::text_of(*consumer.position) : "")
               << consumer.offered_at.value_or(base::Time{}) << (consumer.offer ? core::text_of(*consumer.offer) : "");
  return text;
}

inline std::string shown(const catalogue::Catalogue& catalogue) { return shown(remembered(catalogue)); }

}  // namespace vtmirror::test
