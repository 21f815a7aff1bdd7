#include "vtmirror/catalogue/chain_now.hpp"

#include "vtmirror/core/space.hpp"

#include <utility>

namespace vtmirror::catalogue {
namespace {

base::Result<std::vector<core::Obstacle>> obstacles_of(const Files& catalogue,
                                                       const std::vector<core::FileRecord>& files) {
  auto quarantined = catalogue.quarantined();
  if (!quarantined) return quarantined.error();
  const auto unfit = catalogue.unfit();
  if (!unfit) return unfit.error();
  std::vector<core::Obstacle> obstacles;
  for (auto& file : *quarantined)
    obstacles.push_back({file.name, core::MissingReason::quarantined, std::move(file.cause)});
  for (const auto& file : *unfit) {
    const core::Fit fit{.needs = file.needed, .free = file.free};
    obstacles.push_back({file.name, core::MissingReason::does_not_fit, core::no_room(fit, file.reserve)});
  }
  for (const auto& file : files)
    if (file.condition == core::Condition::damaged) obstacles.push_back({file.name, core::MissingReason::damaged, {}});
  return obstacles;
}

}  // namespace

base::Result<ChainNow> chain_now(const Files& catalogue) {
  auto files = catalogue.files();
  if (!files) return files.error();
  auto calendar = catalogue.calendar();
  if (!calendar) return calendar.error();
  const auto listed_at = catalogue.listed_at();
  if (!listed_at) return listed_at.error();
  const auto obstacles = obstacles_of(catalogue, *files);
  if (!obstacles) return obstacles.error();
  auto stock = core::stock_of(*files);
  auto chain = core::chain_of(*calendar, stock.held, *obstacles);
  return ChainNow{.chain = std::move(chain),
                  .held = std::move(stock.held),
                  .lost = std::move(stock.lost),
                  .calendar = std::move(*calendar),
                  .listed_at = *listed_at,
                  .files = std::move(*files)};
}

}  // namespace vtmirror::catalogue
