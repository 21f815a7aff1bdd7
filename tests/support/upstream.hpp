// An upstream that lives day by day: weekly bulk files, daily deltas, some absent, some late.
// Everything it does follows from its seed. For tests of the core: it lists files and has no bytes.
#pragma once

#include "vtmirror/core/chain.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace vtmirror::test {

using Random = std::mt19937_64;

/// True in `percent` of all cases.
inline bool chance(Random& random, std::uint64_t percent) { return random() % 100 < percent; }

/// A number in [low, high].
inline std::int64_t between(Random& random, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
}

/// A time in [low, high], in whole units: time_between<std::chrono::minutes>(random, 12h, 30h).
template <class Unit>
Unit time_between(Random& random, Unit low, Unit high) {
  return Unit(between(random, low.count(), high.count()));
}

/// Day 0 is Sunday, 2026-11-15.
inline base::Date day(int number) {
  return std::chrono::sys_days(base::Date{std::chrono::year(2026), std::chrono::month(11), std::chrono::day(15)}) +
         std::chrono::days(number);
}

inline std::string file_name(core::Kind kind, int number) {
  const base::Date date = day(number);
  const auto padded = [](unsigned value) { return (value < 10 ? "0" : "") + std::to_string(value); };
  const std::string word = kind == core::Kind::bulk ? "bulk" : "delta";
  const std::string year = std::to_string(int(date.year()));
  const unsigned month = unsigned(date.month());
  const unsigned in_month = unsigned(date.day());
  return "v1/public/" + word + "/year=" + year + "/month=" + std::to_string(month) +
         "/day=" + std::to_string(in_month) + "/" + word + "-light-vehicle_" + padded(in_month) + "-" + padded(month) +
         "-" + year + ".zip";
}

inline core::Listed bulk(int number, std::int64_t size = 37'718'225'291) {
  return {core::Kind::bulk, file_name(core::Kind::bulk, number), day(number), size};
}

inline core::Listed delta(int number, std::int64_t size = 80'100'000) {
  return {core::Kind::delta, file_name(core::Kind::delta, number), day(number), size};
}

inline core::Held held(const core::Listed& file) { return {file.kind, file.name, file.date, file.size, "digest", 1}; }

inline std::vector<core::Held> held(const std::vector<core::Listed>& files) {
  std::vector<core::Held> all;
  for (const core::Listed& file : files) all.push_back(held(file));
  return all;
}

/// The listing that names these files, and refuses those of size 0.
inline core::Listing listing_of(const std::vector<core::Listed>& files) {
  core::Listing listing;
  for (const core::Listed& file : files) {
    if (file.size > 0)
      listing.entries.push_back({file.kind, file.name, file.size, file.date, base::Secret("https://store.example/")});
    else
      listing.refused.push_back({file.kind, file.name, "fileSize: it is missing", file.date});
  }
  return listing;
}

/// What is known after one listing.
inline core::Calendar shown(const std::vector<core::Listed>& files, const std::vector<core::Held>& held = {},
                            core::Calendar before = {}) {
  return core::observe(std::move(before), listing_of(files), held, {});
}

class Upstream {
 public:
  explicit Upstream(Random& random) : random_(random) {}

  /// What is listed on the next day, in any order.
  std::vector<core::Listed> next_listing() {
    ++today_;
    if (today_ == next_bulk_) roll_over();
    if (late_) deltas_.push_back(*late_);
    late_.reset();
    if (!chance(random_, 15)) generate_delta();
    std::vector<core::Listed> listing{bulk_};
    listing.insert(listing.end(), deltas_.begin(), deltas_.end());
    std::shuffle(listing.begin(), listing.end(), random_);
    return listing;
  }

 private:
  /// A bulk file of today, or one of yesterday that comes a day late; its deltas begin on its day or on the day before.
  void roll_over() {
    const int date = today_ > 0 && chance(random_, 30) ? today_ - 1 : today_;
    const int first = today_ > 0 && chance(random_, 30) ? today_ - 1 : date;
    next_bulk_ = today_ + static_cast<int>(between(random_, 6, 8));
    bulk_ = bulk(date, between(random_, 20'000'000'000, 40'000'000'000));
    const auto is_over = [first](const core::Listed& file) { return file.date < day(first); };
    std::erase_if(deltas_, is_over);
    if (late_ && is_over(*late_)) late_.reset();
  }

  void generate_delta() {
    const core::Listed file = delta(today_, between(random_, 4'000'000, 99'000'000));
    if (chance(random_, 10))
      late_ = file;
    else
      deltas_.push_back(file);
  }

  Random& random_;
  int today_ = -1;
  int next_bulk_ = 0;
  core::Listed bulk_;
  std::vector<core::Listed> deltas_;
  std::optional<core::Listed> late_;  ///< generated, listed a day later
};

}  // namespace vtmirror::test
