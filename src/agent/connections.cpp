#include "agent/connections.hpp"

#include <utility>

namespace vtmirror::agent {

Connections::Place::Place(Connections& all, Transfer transfer)
    : all_(all), number_(all.decisions_.join(transfer.left(), transfer.first, all.clock_.steady())) {
  all_.transfers_.emplace(number_, std::move(transfer));
  all_.share();
}

Connections::Place::~Place() {
  all_.transfers_.erase(number_);
  all_.decisions_.leave(number_);
  all_.share();
}

bool Connections::Place::refused(const base::Error& error, base::Steady asked) {
  return all_.decisions_.refused(number_, error, asked, all_.running(), all_.clock_.steady());
}

void Connections::came(std::int64_t bytes) {
  const auto now = clock_.steady();
  if (!decisions_.came(bytes, now)) return;
  const bool hindered = std::exchange(hindered_, false) || blocks_.were_missing();
  decisions_.report(running(), hindered, now);
  share();
}

std::vector<core::Connections::Running> Connections::running() const {
  std::vector<core::Connections::Running> all;
  for (const auto& [number, transfer] : transfers_)
    all.push_back({number, transfer.left(), transfer.busy(), transfer.receives()});
  return all;
}

void Connections::share() {
  const auto shares = decisions_.share(running(), clock_.steady());
  blocks_.allow(shares.all, static_cast<int>(transfers_.size()));
  for (const auto& aim : shares.aims) transfers_.at(aim.transfer).aim(aim.connections, aim.at_once);
}

}  // namespace vtmirror::agent
