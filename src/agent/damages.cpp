#include "agent/damages.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace vtmirror::agent {

base::Result<void> add_damages(core::HealthFacts& facts, const catalogue::Files& catalogue) {
  auto damages = catalogue.damages();
  if (!damages) return damages.error();
  for (auto& damage : *damages) {
    damage.cause.subject = damage.name;
    const bool listed = std::ranges::find(facts.listed, damage.name, &core::Listed::name) != facts.listed.end();
    if (listed) damage.cause.fields.push_back({"listed", std::int64_t{1}});
    facts.damaged.push_back({core::FailureKind::lost, std::move(damage.cause)});
  }
  return {};
}

}  // namespace vtmirror::agent
