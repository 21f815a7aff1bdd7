#include "vtmirror/core/consumer.hpp"

#include "core/bulk_load.hpp"
#include "core/by_name.hpp"
#include "core/deltas.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace vtmirror::core {
namespace {

using base::Date;

bool is_absent(const Calendar& calendar, Date day) { return std::ranges::binary_search(calendar.absent, day); }

/// Whether `loaded` is the newest edition of the file that was ever held, and of that day.
bool is_newest_held(const ListedFile& file, const Held& loaded) {
  const bool same_bytes =
      file.sha256.empty() || loaded.sha256.empty() ? file.since == loaded.since : file.sha256 == loaded.sha256;
  return same_bytes && file.date == loaded.date;
}

/// Whether a file that has left the listing, or will, is known to have been the newest edition when it was held.
bool was_newest(const ListedFile& file) { return file.standing == Standing::held || file.standing == Standing::lost; }

/// The way from a position to the mirror's chain.
class Way {
 public:
  Way(const Position& from, const MirrorNow& mirror)
      : from_(from),
        mirror_(mirror),
        held_(mirror.held),
        loaded_(from.deltas),
        deltas_(deltas(mirror.calendar, from.start)),
        chain_start_(mirror.chain.files.empty() ? from.start : std::max(from.start, mirror.chain.files.front().date)),
        join_(chain_start_),
        bulk_(from.bulk ? find(from.bulk->name) : nullptr) {
    const auto own =
        std::ranges::find_if(deltas_, [this](const ListedFile* file) { return file->date >= chain_start_; });
    if (own != deltas_.end()) join_ = (*own)->date;
  }

  bool joins() const { return chain_start_ > from_.start; }
  const std::vector<Date>& assumes_absent() const { return assumes_absent_; }

  /// Why what was loaded must be loaded again from the bulk file; empty if it need not.
  std::optional<LoadWhy> objection() const {
    for (const Date day : from_.assumed)
      if (!deltas(mirror_.calendar, day, base::next_day(day)).empty())
        return LoadWhy{.reason = LoadReason::was_not_absent, .day = day};
    if (from_.bulk)
      if (auto why = objection_to(*from_.bulk, bulk_)) return why;
    for (const Held& delta : from_.deltas)
      if (auto why = objection_to(delta, find_delta(delta.name))) return why;
    return std::nullopt;
  }

  /// Goes as far as possible. Returns why it cannot continue from here: then only a bulk file helps.
  std::optional<LoadWhy> go() {
    Date day = from_.start;
    if (joins() && bulk_ != nullptr && !was_newest(*bulk_)) return gap_of(*bulk_);
    for (const ListedFile* delta : deltas_) {
      if (auto why = pass_to(day, delta->date)) return why;
      if (stop_) return std::nullopt;
      if (auto why = include(*delta)) return why;
      if (stop_) return std::nullopt;
      day = std::max(day, base::next_day(delta->date));
    }
    return joins() ? pass_to(day, join_) : std::nullopt;
  }

  /// To be called after `go`. A late delta waits until all that was loaded after it can follow it.
  Offer offer() && {
    if (next_.empty() || (stop_ && passed() < from_.deltas.size())) return nothing_to_load();
    Offer offer{.action = LoadAction::append, .through = next_.back().date};
    offer.why = {.reason = LoadReason::more, .day = from_.through, .count = static_cast<std::int64_t>(next_.size())};
    if (late_) offer.why = {.reason = LoadReason::late, .file = *late_, .count = offer.why.count};
    offer.files = next_;
    offer.assumes_absent = assumes_absent_;
    offer.after = std::move(*this).position();
    return offer;
  }

 private:
  const ListedFile* find(const std::string& name) const {
    const auto found = std::ranges::find(mirror_.calendar.files, name, &ListedFile::name);
    return found == mirror_.calendar.files.end() ? nullptr : &*found;
  }
  const ListedFile* find_delta(const std::string& name) const {
    const auto found = std::ranges::find_if(deltas_, [&name](const ListedFile* file) { return file->name == name; });
    return found == deltas_.end() ? nullptr : *found;
  }

  static std::optional<LoadWhy> objection_to(const Held& loaded, const ListedFile* now) {
    if (now == nullptr || now->date != loaded.date)
      return LoadWhy{.reason = LoadReason::misplaced, .file = loaded.name};
    if (!is_newest_held(*now, loaded)) return LoadWhy{.reason = LoadReason::replaced, .file = loaded.name};
    return std::nullopt;
  }

  static LoadWhy gap_of(const ListedFile& file) {
    return {.reason = LoadReason::gap, .file = file.name, .day = file.date};
  }

  /// A join needs to know of each day; within the chain, a later listing says more.
  std::optional<LoadWhy> pass_to(Date from, Date to) {
    for (Date day = from; day < to; day = base::next_day(day)) {
      const bool before_join = joins() && day < join_;
      if (is_absent(mirror_.calendar, day)) {
        if (before_join) assumes_absent_.push_back(day);
      } else if (before_join) {
        return LoadWhy{.reason = LoadReason::gap, .day = day};
      } else {
        stop_ = LoadWhy{.reason = LoadReason::not_known, .day = day};
        return std::nullopt;
      }
    }
    return std::nullopt;
  }

  std::optional<LoadWhy> include(const ListedFile& file) {
    const bool before_join = joins() && file.date < join_;
    if (before_join && !was_newest(file)) return gap_of(file);
    const Held* const loaded = loaded_.find(file.name);
    if (loaded != nullptr && next_.empty()) {
      done_.push_back(*loaded);
      return std::nullopt;
    }
    const Held* const copy = held_.find(file.name);
    if (copy == nullptr) {
      if (before_join) return gap_of(file);
      stop_ = why_missing(mirror_.chain, file.name, file.date);
      return std::nullopt;
    }
    if (loaded != nullptr && !late_) late_ = next_.front().name;
    next_.push_back(*copy);
    return std::nullopt;
  }

  Offer nothing_to_load() const {
    const auto why = stop_ ? stop_ : newer_edition();
    return {.action = why ? LoadAction::wait : LoadAction::none,
            .why = why.value_or(LoadWhy{.reason = LoadReason::nothing_new}),
            .through = from_.through};
  }

  /// How many of the deltas that were loaded are on the way so far.
  std::size_t passed() const {
    const auto once_more = [this](const Held& file) { return loaded_.contains(file.name); };
    return done_.size() + static_cast<std::size_t>(std::ranges::count_if(next_, once_more));
  }

  /// A file that was loaded in an older edition, or an entry that nobody can place.
  std::optional<LoadWhy> newer_edition() const {
    for (const Missing& file : mirror_.chain.missing) {
      const bool of_the_way = !file.date || (file.kind == Kind::delta && *file.date >= from_.start);
      if (of_the_way)
        return LoadWhy{.reason = LoadReason::missing, .file = file.name, .day = file.date, .missing = file.reason};
    }
    // While no bulk file is held, the chain names nothing that has left the listing. The next bulk file helps.
    const auto never_came = [](const ListedFile* file) { return file->standing == Standing::replaced; };
    const auto delta = std::ranges::find_if(deltas_, never_came);
    const bool is_bulk = bulk_ != nullptr && never_came(bulk_);
    if (!is_bulk && delta == deltas_.end()) return std::nullopt;
    return gap_of(is_bulk ? *bulk_ : **delta);
  }

  Position position() && {
    Position after{.session = mirror_.edition.session,
                   .generation = mirror_.edition.generation,
                   .start = chain_start_,
                   .assumed = from_.assumed,
                   .through = next_.back().date,
                   .reloaded = from_.reloaded};
    if (!joins()) after.bulk = from_.bulk;
    after.assumed.insert(after.assumed.end(), assumes_absent_.begin(), assumes_absent_.end());
    for (auto* files : {&done_, &next_})
      for (Held& file : *files)
        if (file.date >= chain_start_) after.deltas.push_back(std::move(file));
    return after;
  }

  const Position& from_;
  const MirrorNow& mirror_;
  ByName<Held> held_;
  ByName<Held> loaded_;
  std::vector<const ListedFile*> deltas_;
  Date chain_start_;
  Date join_;               ///< the day from which the chain's own deltas follow
  const ListedFile* bulk_;  ///< the bulk file that was loaded; null if it was joined on to, or nobody knows it
  std::vector<Held> done_;
  std::vector<Held> next_;
  std::vector<Date> assumes_absent_;
  std::optional<std::string> late_;
  std::optional<LoadWhy> stop_;
};

/// Empty while no bulk load is due.
std::optional<LoadWhy> bulk_load_due(const Position& position, const ConsumerRules& rules, base::Time now) {
  if (rules.reload_every.count() <= 0 || !position.reloaded || now - *position.reloaded < rules.reload_every)
    return std::nullopt;
  const auto days = std::chrono::floor<std::chrono::days>(now - *position.reloaded).count();
  return LoadWhy{.reason = LoadReason::due, .count = days};
}

struct Course {
  std::optional<LoadWhy> bulk_load;  ///< why only that helps; empty: `offer` counts
  Offer offer{};
};

Course course_of(const Position& position, const MirrorNow& mirror, const ConsumerRules& rules, base::Time now) {
  if (position.session != mirror.edition.session) return {LoadWhy{.reason = LoadReason::other_session}};
  Way way(position, mirror);
  if (auto why = way.objection()) return {std::move(why)};
  if (auto why = bulk_load_due(position, rules, now)) return {std::move(why)};
  if (auto why = way.go()) return {std::move(why)};
  if (rules.strict && !way.assumes_absent().empty())
    return {LoadWhy{.reason = LoadReason::assumes_absent, .day = way.assumes_absent().front()}};
  return {std::nullopt, std::move(way).offer()};
}

}  // namespace

std::optional<LoadWhy> why_bulk_load(const Position& position, const MirrorNow& mirror, const ConsumerRules& rules,
                                     base::Time now) {
  return course_of(position, mirror, rules, now).bulk_load;
}

LoadWhy why_missing(const Chain& chain, const std::string& name, Date day) {
  const auto row = std::ranges::find(chain.missing, name, &Missing::name);
  const auto reason = row == chain.missing.end() ? MissingReason::not_downloaded : row->reason;
  return {.reason = LoadReason::missing, .file = name, .day = day, .missing = reason};
}

bool is_consumer_name(std::string_view name) noexcept {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  };
  return !name.empty() && name.size() <= 64 && std::ranges::all_of(name, fits) && name != "." && name != "..";
}

Offer next_offer(const std::optional<Position>& position, const MirrorNow& mirror, const ConsumerRules& rules,
                 base::Time now) {
  if (!position) return bulk_load(position, mirror, {.reason = LoadReason::first});
  auto course = course_of(*position, mirror, rules, now);
  return course.bulk_load ? bulk_load(position, mirror, std::move(*course.bulk_load)) : std::move(course.offer);
}

bool is_same_edition(const Held& one, const Held& other) noexcept {
  const bool digests = !one.sha256.empty() && !other.sha256.empty();
  const bool same_bytes = digests ? one.sha256 == other.sha256 : one.since == other.since;
  return one.name == other.name && one.size == other.size && one.date == other.date && same_bytes;
}

bool is_held(const Offer& offer, std::span<const Held> held) {
  const ByName names(held);
  return std::ranges::all_of(offer.files, [&names](const Held& file) {
    const Held* const copy = names.find(file.name);
    return copy != nullptr && is_same_edition(file, *copy);
  });
}

Position acknowledged(const Offer& offer, base::Time now) {
  Position position = offer.after;
  if (offer.action == LoadAction::reload) position.reloaded = now;
  return position;
}

std::optional<Date> complete_through(const Chain& chain) {
  auto through = chain.through;
  for (const Missing& file : chain.missing) {
    const bool is_older = file.date && !chain.files.empty() && *file.date < chain.files.front().date;
    if (is_older || !through) continue;
    if (!file.date) return std::nullopt;
    through = std::min(*through, base::previous_day(*file.date));
  }
  return through;
}

}  // namespace vtmirror::core
