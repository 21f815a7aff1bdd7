#include "vtmirror/core/scrub.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <vector>

namespace vtmirror::core {
namespace {

constexpr auto one_night = std::chrono::days(1);
constexpr std::int64_t last_nights = 2;

/// A reading from the future does not count.
base::Time read_at(const FileRecord& file, base::Time now) { return file.read_at > now ? base::Time{} : file.read_at; }

struct Night {
  base::Time begins{};
  base::Time ends{};
};

Night night_of(base::Date day, const Zone& zone) {
  return {zone.instant(day, scrub_begins), zone.instant(day, scrub_ends)};
}

/// The bytes that a night reads, so that all of them have their turn in the last third of the time, and none is left
/// for its last nights, in which every file is read whatever the slice is.
std::int64_t slice_of(const std::vector<const FileRecord*>& files, std::chrono::seconds every) {
  std::int64_t bytes = 0;
  for (const auto* file : files) bytes += file->size;
  const std::int64_t nights = std::max<std::int64_t>(every / 3 / one_night - last_nights, 1);
  return (bytes + nights - 1) / nights;
}

/// What was read since the night began. A publication is no part of the slice.
std::int64_t read_since(const std::vector<const FileRecord*>& files, base::Time begin, base::Time now) {
  std::int64_t bytes = 0;
  for (const auto* file : files) {
    const auto read = read_at(*file, now);
    if (read >= begin && read > file->published_at) bytes += file->size;
  }
  return bytes;
}

}  // namespace

ScrubTurn next_to_scrub(std::span<const FileRecord> files, std::chrono::seconds every, const Zone& zone, base::Time now,
                        const std::set<std::string>& left_alone) {
  const auto today = zone.day_of(now);
  const auto tonight = night_of(today, zone);
  const auto tomorrow = night_of(base::next_day(today), zone);
  const auto next_night = now < tonight.begins ? tonight.begins : tomorrow.begins;
  std::vector<const FileRecord*> known;
  for (const auto& file : files)
    if (file.condition == Condition::whole && !left_alone.contains(file.name)) known.push_back(&file);
  if (known.empty() || every <= std::chrono::seconds::zero()) return {.again = next_night};
  const auto order = [now](const FileRecord* file) {
    return std::tuple(read_at(*file, now), file->date, std::string_view(file->name));
  };
  const auto* oldest = *std::ranges::min_element(known, {}, order);
  const auto read = read_at(*oldest, now);
  const auto ends = read + every;
  ScrubTurn turn{.file = oldest->name, .again = now};
  if (ends <= now) return turn;
  if (now < tonight.begins || now >= tonight.ends) return {.again = std::min<base::Time>(next_night, ends)};
  const auto the_night_after_next = night_of(base::next_day(base::next_day(today)), zone);
  if (ends < the_night_after_next.begins) return turn;
  const bool may_be_read = read + every * 2 / 3 <= now;
  if (may_be_read && read_since(known, tonight.begins, now) < slice_of(known, every)) return turn;
  return {.again = next_night};
}

}  // namespace vtmirror::core
