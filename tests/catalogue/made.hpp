// Plausible values for the catalogue's tests, numbered so that two of them differ in every field.
#pragma once

#include "vtmirror/catalogue/catalogue.hpp"

#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace vtmirror::test {

inline base::Time at(int minute) {
  return base::Time{std::chrono::sys_days{std::chrono::year{2026} / 11 / 18}} + std::chrono::minutes{minute} +
         base::Milliseconds{123};
}

inline base::Date day(int number) {
  return base::Date{std::chrono::sys_days{std::chrono::year{2026} / 11 / 15} + std::chrono::days{number}};
}

inline std::string delta_name(int number) { return "v1/public/delta/file-" + std::to_string(number) + ".zip"; }

inline core::Listed listed(int number) {
  return {.kind = core::Kind::delta, .name = delta_name(number), .date = day(number), .size = 1000 + number};
}

/// Deltas alone: the catalogue takes any listing at its word.
inline core::Listing listing(const std::vector<core::Listed>& files) {
  core::Listing made;
  for (const auto& each : files) made.entries.push_back({each.kind, each.name, each.size, each.date, {}});
  return made;
}

inline core::FileRecord file(int number) {
  return {.kind = core::Kind::delta,
          .name = delta_name(number),
          .date = day(number),
          .size = 1000 + number,
          .sha256 = "digest-" + std::to_string(number),
          .etag = "\"tag-" + std::to_string(number) + "\"",
          .published_at = at(number)};
}

/// As the catalogue has a file that came with that generation: what was just checked is neither asked for nor read
/// again.
inline core::FileRecord published(core::FileRecord record, std::int64_t since) {
  record.since = since;
  record.probed_at = record.read_at = record.published_at;
  return record;
}
inline core::FileRecord file(int number, std::int64_t since) { return published(file(number), since); }

/// As a catalogue has it that was made anew from what is on disk.
inline core::FileRecord restored(int number, std::int64_t since) {
  auto record = file(number);
  record.since = since;
  return record;
}

inline core::FileEdition edition_of(const core::FileRecord& file) {
  return {.date = file.date, .size = file.size, .sha256 = file.sha256};
}

/// What happened to that version of a file, as the catalogue reports it.
inline core::Change change(std::int64_t generation, core::ChangeKind kind, const core::FileRecord& file,
                           base::Time at) {
  core::Change made{.generation = generation, .kind = kind, .name = file.name, .at = at, .file_kind = file.kind};
  made.file = edition_of(file);
  return made;
}

inline core::Unfit unfit(int number) {
  return {.name = delta_name(number), .needed = 1000 + number, .free = number, .reserve = std::int64_t{7} * number};
}

inline core::PartialRecord partial(int number) {
  const core::Range durable[] = {{0, 100}, {200, 300 + number}};
  return {.name = delta_name(number),
          .kind = core::Kind::delta,
          .date = day(number),
          .size = 1000 + number,
          .etag = "\"tag-" + std::to_string(number) + "\"",
          .durable = core::RangeSet(durable),
          .verified = number % 2 == 1,
          .sha256 = number % 2 == 1 ? "digest-" + std::to_string(number) : ""};
}

inline core::QuarantinedFile quarantined(int number) {
  return {.name = delta_name(number),
          .size = 1000 + number,
          .cause = {.code = base::Errc::integrity, .detail = "member " + std::to_string(number) + " is damaged"},
          .at = at(number)};
}

inline core::CycleRecord finished(std::int64_t id, int number) {
  return {.id = id,
          .started = at(number),
          .finished = at(number + 5),
          .outcome = core::Outcome::partial,
          .files = number,
          .bytes = 5'000'000'000 + number,
          .failure = core::Failure{.cause = {.code = base::Errc::unreachable, .detail = "store.example"}},
          .with = {.settings = "print " + std::to_string(number), .service = "api " + std::to_string(number)},
          .not_before = at(number + 60)};
}

inline core::Notice notice(int number) {
  core::Notice made{.topic = core::Topic::cycle, .code = "cycle"};
  made.message = "cycle number " + std::to_string(number);
  made.at = at(number);
  made.fields = {{"files", std::int64_t{number}}, {"reason", "it's \"quoted\"; --"}};
  return made;
}

inline const std::vector<core::Topic> every_topic{core::Topic::chain, core::Topic::published, core::Topic::cycle,
                                                  core::Topic::warning};

/// The catalogue, or the test ends with the reason.
inline catalogue::Catalogue opened(const std::string& path, catalogue::Access access = catalogue::Access::read_write) {
  auto catalogue = catalogue::Catalogue::open(path, access);
  if (!catalogue) throw std::runtime_error(catalogue.error().message());
  return std::move(*catalogue);
}

}  // namespace vtmirror::test
