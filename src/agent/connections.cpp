#include "agent/connections.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace vtmirror::agent {

Connections::Place::Place(Connections& all, Transfer transfer)
    : all_(all), at_(all.transfers_.insert(all.transfers_.end(), std::move(transfer))) {
  all_.share();
}

Connections::Place::~Place() {
  all_.transfers_.erase(at_);
  all_.share();
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
  if (!finds()) return;
  bytes_ += bytes;
  const auto now = clock_.steady();
  came_ = now;
  if (now - reported_ < core::connection_tick) return;
  reported_ = now;
  const bool hindered = std::exchange(hindered_, false) || blocks_.were_missing();
  count_.tick({now, std::exchange(bytes_, 0), busy(), hindered});
  share();
}

void Connections::refused(const base::Error& error) {
  // In an outage nothing comes over any connection: it says nothing about their number.
  const bool flows = clock_.steady() - came_ < core::connection_tick;
  const bool too_many = error.code == base::Errc::rate_limited || (error.code == base::Errc::unreachable && flows);
  if (!finds() || !too_many) return;
  count_.refused(clock_.steady(), busy());
  share();
}

int Connections::busy() const {
  int all = 0;
  for (const auto& transfer : transfers_) all += transfer.busy();
  return all;
}

void Connections::share() {
  const auto running = static_cast<int>(transfers_.size());
  if (!finds()) {
    blocks_.allow(std::min(running * for_each_, std::max(most_, running)), running);
    return;
  }
  count_.at_least(running);
  blocks_.allow(std::max(count_.target(), running), running);
  std::vector<std::int64_t> left;
  for (const auto& transfer : transfers_) left.push_back(transfer.left());
  const auto each = core::shares(count_.target(), left);
  // A transfer may open connections at once; none ends meanwhile.
  auto transfer = transfers_.begin();
  for (const int connections : each) (transfer++)->aim(connections);
}

}  // namespace vtmirror::agent
