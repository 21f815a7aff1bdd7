#include "vtmirror/core/forecast.hpp"

#include "core/by_name.hpp"
#include "vtmirror/core/retention.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <set>

namespace vtmirror::core {
namespace {

/// Settings to choose from: few chains, and a quarter of a year, half a year and whole years of weeks.
constexpr std::array choices{104, 52, 26, 13, 8, 6, 5, 4, 3, 2, 1};

/// A file was held if one of its editions was; of a pruned one the calendar still knows the size.
bool was_held(const ListedFile& file) {
  return file.size > 0 && (file.since > 0 || file.standing == Standing::held || file.standing == Standing::lost);
}

base::Date plus(base::Date date, int days) { return std::chrono::sys_days(date) + std::chrono::days(days); }

std::set<base::Date> bulk_dates(const Calendar& calendar, base::Date since, base::Date today) {
  std::set<base::Date> dates;
  for (const ListedFile& file : calendar.files)
    if (file.kind == Kind::bulk && was_held(file) && since <= file.date && file.date <= today) dates.insert(file.date);
  return dates;
}

/// The middle one of the distances: a week in which the machine was off must not count as a long chain.
int usual_distance(const std::set<base::Date>& dates) {
  std::vector<int> distances;
  for (auto at = dates.begin(), next = std::next(at); next != dates.end(); ++at, ++next)
    distances.push_back(static_cast<int>(base::days_between(*at, *next)));
  std::ranges::sort(distances);
  return distances[distances.size() / 2];
}

std::int64_t bytes_on_disk(const Held& file, const Stock& stock) {
  return std::ranges::find(stock.gone, file.name) == stock.gone.end() ? file.size : 0;
}

/// The mirror's chains from today on, day by day.
class Future {
 public:
  Future(const Growth& growth, const Calendar& calendar, const Stock& stock, const Policy& policy, std::int64_t room)
      : growth_(growth), keep_(policy.keep_cycles), room_(room) {
    auto known = stock.held;
    known.insert(known.end(), stock.lost.begin(), stock.lost.end());
    for (const HeldChain& cycle : held_chains_of(that_have_come(calendar, known))) {
      std::int64_t bytes = 0;
      for (const Held& file : cycle.files) bytes += bytes_on_disk(file, stock);
      chains_.push_back({bytes, cycle.has_bulk});
    }
    if (chains_.empty()) chains_.push_back({});
  }

  /// False if the day's files do not fit.
  bool lives_through(bool with_bulk) {
    room_ += leaving_;
    leaving_ = 0;
    if (with_bulk) {
      room_ -= growth_.bulk;
      chains_.push_front({growth_.bulk, true});
    }
    room_ -= growth_.deltas;
    chains_.front().bytes += growth_.deltas;
    release();
    return room_ >= 0;
  }

 private:
  struct Chain {
    std::int64_t bytes = 0;
    bool has_bulk = false;
  };

  void release() {
    if (keep_ <= 0) return;
    int kept = 0;
    for (auto at = chains_.begin(); at != chains_.end();) {
      if (kept >= keep_) {
        leaving_ += at->bytes;
        at = chains_.erase(at);
        continue;
      }
      kept += at->has_bulk ? 1 : 0;
      ++at;
    }
  }

  Growth growth_;
  int keep_;
  std::int64_t room_;
  std::int64_t leaving_ = 0;  ///< removed, and held for readers of older manifests for a day
  std::deque<Chain> chains_;  ///< newest first
};

Forecast forecast(const Growth& growth, const Calendar& calendar, const Stock& stock, std::int64_t room,
                  const Policy& policy, base::Date today) {
  Forecast found{.chain_bytes = growth.bulk + growth.deltas * growth.days, .chain_days = growth.days};
  auto next_bulk = plus(growth.newest, growth.days);
  // A bulk file that is late comes tomorrow.
  if (next_bulk <= today) next_bulk = plus(today, 1);
  const auto after_two = plus(next_bulk, 2 * growth.days);
  if (room < 0) found.full_on = today;
  Future future(growth, calendar, stock, policy, room);
  for (auto day = plus(today, 1); !found.full_on && day <= plus(today, static_cast<int>(horizon.count()));
       day = plus(day, 1)) {
    const bool with_bulk = day == next_bulk;
    if (with_bulk) next_bulk = plus(next_bulk, growth.days);
    if (!future.lives_through(with_bulk)) found.full_on = day;
  }
  found.soon = found.full_on && *found.full_on < after_two;
  return found;
}

}  // namespace

std::vector<Saving> savings(const Calendar& calendar, const Stock& stock) {
  const Calendar known = with_stock(calendar, stock.held, stock.lost);
  const auto chains = held_chains_of(that_have_come(known, stock.held));
  const auto count = std::ranges::count_if(chains, &HeldChain::has_bulk);
  const ByName<Held> held(stock.held);
  const ByName<Held> lost(stock.lost);
  std::vector<Saving> found;
  for (const int keep : choices) {
    if (keep >= count) continue;
    Saving saving{keep, 0};
    for (const auto& name : prune(known, stock.held, keep, stock.lost))
      saving.bytes += bytes_on_disk(held.contains(name) ? *held.find(name) : *lost.find(name), stock);
    if (saving.bytes > 0) found.push_back(saving);
  }
  return found;
}

std::optional<Growth> growth(const Calendar& calendar, base::Date today) {
  const base::Date since = std::chrono::sys_days(today) - measured_for;
  const auto bulks = bulk_dates(calendar, since, today);
  if (std::ssize(bulks) <= measured_chains) return std::nullopt;
  Growth growth{.days = usual_distance(bulks), .newest = *bulks.rbegin()};
  if (base::days_between(growth.newest, today) > std::int64_t{2} * growth.days) return std::nullopt;
  std::int64_t deltas = 0;
  std::set<base::Date> with_delta;
  for (const ListedFile& file : calendar.files) {
    if (!was_held(file)) continue;
    if (file.kind == Kind::bulk && file.date == growth.newest) growth.bulk = std::max(growth.bulk, file.size);
    const bool measured = file.kind == Kind::delta && *bulks.begin() <= file.date && file.date < growth.newest;
    if (!measured) continue;
    deltas += file.size;
    with_delta.insert(file.date);
  }
  // Days on which the machine was off had no delta, and others will.
  const auto days = std::max<std::int64_t>(1, std::ssize(with_delta));
  growth.deltas = (deltas + days - 1) / days;
  return growth;
}

Outlook outlook(const Calendar& calendar, const Stock& stock, const std::vector<Saving>& possible, std::int64_t free,
                const Policy& policy, base::Date today) {
  Outlook outlook{.today = today, .free = free, .reserve = policy.reserve, .keep_cycles = policy.keep_cycles};
  const Calendar known = with_stock(calendar, stock.held, stock.lost);
  if (const auto measured = growth(known, today))
    outlook.forecast = forecast(*measured, known, stock, free - policy.reserve, policy, today);
  for (const Saving& saving : possible)
    if (policy.keep_cycles == 0 || saving.keep_cycles < policy.keep_cycles) outlook.savings.push_back(saving);
  return outlook;
}

std::optional<Cause> full_soon(const Outlook& outlook) {
  if (!outlook.forecast || !outlook.forecast->soon) return std::nullopt;
  const Forecast& forecast = *outlook.forecast;
  Cause cause{.fields = {{"full_on", base::iso8601(*forecast.full_on)},
                         {"left", base::days_between(outlook.today, *forecast.full_on)},
                         {"free", outlook.free},
                         {"reserve", outlook.reserve},
                         {"chain_bytes", forecast.chain_bytes},
                         {"chain_days", std::int64_t{forecast.chain_days}}}};
  if (outlook.savings.empty()) return cause;
  const auto short_by = 2 * forecast.chain_bytes - (outlook.free - outlook.reserve);
  const auto enough = std::ranges::find_if(outlook.savings, [&](const Saving& each) { return each.bytes >= short_by; });
  const Saving& saving = enough == outlook.savings.end() ? outlook.savings.back() : *enough;
  cause.fields.push_back({"keep", std::int64_t{saving.keep_cycles}});
  cause.fields.push_back({"frees", saving.bytes});
  return cause;
}

}  // namespace vtmirror::core
