#include "agent/connections.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace vtmirror::agent {

Connections::Place::Place(Connections& all, Transfer transfer)
    : all_(all), at_(all.transfers_.insert(all.transfers_.end(), std::move(transfer))) {
  at_->left_at_first = at_->left();
  all_.share();
}

Connections::Place::~Place() {
  all_.transfers_.erase(at_);
  all_.share();
}

bool Connections::Place::refused(const base::Error& error, base::Steady asked) {
  return all_.refused(*at_, error, asked);
}

Connections::Connections(ports::Clock& clock, Blocks& blocks, int for_each, int most)
    : clock_(clock), blocks_(blocks), for_each_(std::min(for_each, most)), most_(most), count_(most) {}

void Connections::begin(core::FoundConnections before) {
  if (!finds() || count_.found()) return;
  count_ = core::ConnectionCount(most_, before);
  began_with_ = before.number;
}

core::TransferRules Connections::rules(int attempts) const {
  const auto known = finds() ? count_.found() : std::nullopt;
  return {.attempts = attempts,
          .connections = for_one_more(),
          .found = finds(),
          .takes_over = true,
          .expects_parts = began_with_ > 1 || (known && known->number > 1)};
}

int Connections::for_one_more() const {
  const auto running = static_cast<int>(transfers_.size());
  if (!finds()) return std::clamp(most_ - running * for_each_, 1, for_each_);
  return std::max(count_.target() / (running + 1), 1);
}

std::optional<core::FoundConnections> Connections::found() const { return finds() ? count_.found() : std::nullopt; }

void Connections::came(std::int64_t bytes) {
  bytes_ += bytes;
  const auto now = clock_.steady();
  came_ = now;
  if (now - reported_ < core::connection_tick) return;
  reported_ = now;
  if (!finds()) return share();
  const bool hindered = std::exchange(hindered_, false) || blocks_.were_missing();
  count_.tick({now, std::exchange(bytes_, 0), busy(), hindered});
  share();
}

bool Connections::refused(const Transfer& transfer, const base::Error& error, base::Steady asked) {
  const auto now = clock_.steady();
  // In an outage nothing comes over any connection: it says nothing about their number.
  const bool flows = now - came_ < core::connection_tick;
  const bool too_many = error.code == base::Errc::rate_limited || (error.code == base::Errc::unreachable && flows);
  if (!too_many) return false;
  const bool beside_others =
      std::ranges::any_of(transfers_, [&](const auto& other) { return &other != &transfer && other.receives(); });
  const bool crowded = beside_others && (!refused_ || asked > *refused_);
  refused_ = now;
  if (finds())
    count_.refused(now, busy(), crowded);
  else if (beside_others)
    room_.refused(now, busy(), in_all(), crowded ? 1 : static_cast<int>(transfers_.size()));
  return beside_others;
}

int Connections::busy() const {
  int all = 0;
  for (const auto& transfer : transfers_) all += transfer.busy();
  return all;
}

int Connections::in_all() const {
  if (finds()) return count_.target();
  const int wanted = std::min(static_cast<int>(transfers_.size()) * for_each_, most_);
  return std::min(wanted, room_.at(clock_.steady()).value_or(wanted));
}

void Connections::share() {
  const auto now = clock_.steady();
  const auto running = static_cast<int>(transfers_.size());
  if (finds()) count_.at_least(now, running);
  const int all = in_all();
  blocks_.allow(std::max(all, running), running);
  std::vector<core::Wanting> files;
  for (const auto& transfer : transfers_)
    files.push_back({finds() ? transfer.left() : transfer.left_at_first, transfer.first});
  const auto shares = core::shares(all, files, finds() ? most_ : for_each_);
  // Together if those that get more open them before the others give way.
  int meanwhile = 0;
  auto share = shares.begin();
  for (auto& transfer : transfers_) {
    transfer.share = *share++;
    meanwhile += std::max(transfer.busy(), transfer.share);
  }
  const bool at_once = meanwhile > all && (!finds() || all >= most_ || count_.is_crowded(now));
  // Those that give way go first. A transfer may open connections at once; none ends meanwhile.
  for (const bool grows : {false, true}) {
    for (auto& transfer : transfers_) {
      if ((transfer.share > transfer.busy()) != grows) continue;
      // Where the number is fixed, a connection that was refused beside others does not come back at once.
      const bool as_before = transfer.share == std::exchange(transfer.given, transfer.share);
      if (as_before && !finds() && !(at_once && transfer.busy() > transfer.share)) continue;
      transfer.aim(transfer.share, at_once);
    }
  }
}

}  // namespace vtmirror::agent
