#include "vtmirror/core/connections.hpp"

#include <algorithm>
#include <utility>

namespace vtmirror::core {
namespace {

/// From so many on, each connection is slower than the line.
constexpr int many = 4;
/// Bytes a second of one connection. One that is faster is near, and needs no time to become so.
constexpr std::int64_t near = std::int64_t{100} << 20;
/// New connections of a line of 80 ms need nearly one second of these to become as fast as they can.
constexpr std::chrono::seconds short_transfer{4};

/// Failures of a store that has too many connections, or of one object.
bool may_be_crowding(const base::Error& error) {
  using base::Errc;
  return error.code == Errc::rate_limited || error.code == Errc::unreachable || error.code == Errc::timed_out ||
         error.code == Errc::http_status;
}

/// Nor does any receive, this one included.
bool no_other_asks(int transfer, Connections::Transfers transfers) {
  return std::ranges::none_of(transfers, [&](const Connections::Running& each) {
    return each.receives || (each.number != transfer && each.busy > 0);
  });
}

int busy(Connections::Transfers transfers) {
  int all = 0;
  for (const auto& transfer : transfers) all += transfer.busy;
  return all;
}

}  // namespace

Connections::Connections(int for_each, int most) : for_each_(std::min(for_each, most)), most_(most), count_(most) {}

void Connections::begin(FoundConnections before) {
  if (!finds() || count_.found()) return;
  count_ = ConnectionCount(most_, before);
  began_with_ = before;
}

TransferRules Connections::rules(int attempts) const {
  const auto& found = count_.found();
  const int received_over = finds() && found ? std::max(began_with_.number, found->number) : began_with_.number;
  return {.attempts = attempts,
          .connections = for_one_more(),
          .found = finds(),
          .splits_rest = true,
          .expects_parts = received_over > 1};
}

int Connections::for_one_more() const {
  const auto running = static_cast<int>(members_.size());
  if (!finds()) return std::clamp(most_ - running * for_each_, 1, for_each_);
  return std::max(count_.target() / (running + 1), 1);
}

std::optional<FoundConnections> Connections::found() const { return finds() ? count_.found() : std::nullopt; }

bool Connections::is_short(std::int64_t left) const {
  const auto known = count_.found().value_or(began_with_);
  const bool is_far = known.number >= many && known.rate / known.number < near;
  return finds() && is_far && left < short_transfer.count() * known.rate;
}

int Connections::join(std::int64_t left, bool first, base::Steady now) {
  if (members_.empty()) doubled_until_ = is_short(left) ? now + short_transfer : now;
  members_[++newest_] = {.first = first, .left_at_first = left};
  return newest_;
}

bool Connections::came(std::int64_t bytes, base::Steady now) {
  bytes_ += bytes;
  came_ = now;
  return now - reported_ >= connection_tick;
}

void Connections::report(Transfers transfers, bool hindered, base::Steady now) {
  reported_ = now;
  remember_who_receives(transfers);
  if (finds()) count_.tick({now, std::exchange(bytes_, 0), busy(transfers), hindered});
}

void Connections::remember_who_receives(Transfers transfers) {
  for (const auto& transfer : transfers)
    if (transfer.receives) members_.at(transfer.number).refused_alone = false;
}

bool Connections::is_crowded(base::Steady now) const {
  return finds() ? count_.is_crowded(now) : room_.at(now).has_value();
}

void Connections::disbelieve_refusals(base::Steady now) {
  if (finds())
    count_.disbelieve_refusals(now);
  else
    room_.disbelieve();
}

bool Connections::refused(int transfer, const base::Error& error, base::Steady asked, Transfers transfers,
                          base::Steady now) {
  remember_who_receives(transfers);
  auto& member = members_.at(transfer);
  const bool is_later = !refused_ || asked > *refused_;
  const bool others_gave_way =
      is_later && is_crowded(now) && transfers.size() > 1 && no_other_asks(transfer, transfers);
  if (others_gave_way && may_be_crowding(error)) {
    member.refused_alone = true;
    disbelieve_refusals(now);
  }
  const bool flows = now - came_ < connection_tick;
  const bool too_many = error.code == base::Errc::rate_limited || (error.code == base::Errc::unreachable && flows);
  if (!too_many || member.refused_alone) return false;
  const bool beside_others =
      std::ranges::any_of(transfers, [&](const Running& other) { return other.number != transfer && other.receives; });
  const bool crowded = beside_others && is_later;
  refused_ = now;
  if (finds())
    count_.refused(now, busy(transfers), crowded);
  else if (beside_others)
    room_.refused(now, busy(transfers), in_all(now), crowded ? 1 : static_cast<int>(members_.size()));
  return beside_others;
}

int Connections::in_all(base::Steady now) const {
  if (finds()) {
    const int target = count_.target();
    return now < doubled_until_ ? std::max(target, std::min(2 * target, count_.ceiling(now))) : target;
  }
  const int wanted = std::min(static_cast<int>(members_.size()) * for_each_, most_);
  return std::min(wanted, room_.at(now).value_or(wanted));
}

Connections::Shares Connections::share(Transfers transfers, base::Steady now) {
  const auto running = static_cast<int>(members_.size());
  if (finds()) count_.at_least(now, running);
  const int all = in_all(now);
  std::vector<Wanting> files;
  for (const auto& transfer : transfers) {
    const auto& member = members_.at(transfer.number);
    files.push_back({finds() ? transfer.left : member.left_at_first, member.first});
  }
  const auto given = core::shares(all, files, finds() ? most_ : for_each_);
  // Together if those that get more open them before the others give way.
  int meanwhile = 0;
  for (std::size_t n = 0; n < given.size(); ++n) meanwhile += std::max(transfers[n].busy, given[n]);
  const bool at_once = meanwhile > all && (!finds() || all >= most_ || is_crowded(now));
  Shares shares{.all = std::max(all, running)};
  for (const bool grows : {false, true}) {
    for (std::size_t n = 0; n < given.size(); ++n) {
      const auto& transfer = transfers[n];
      if ((given[n] > transfer.busy) != grows) continue;
      const bool as_before = given[n] == std::exchange(members_.at(transfer.number).given, given[n]);
      if (as_before && !finds() && !(at_once && transfer.busy > given[n])) continue;
      shares.aims.push_back({transfer.number, given[n], at_once});
    }
  }
  return shares;
}

}  // namespace vtmirror::core
