#include "agent/texts.hpp"

#include "vtmirror/catalogue/chain_now.hpp"
#include "vtmirror/core/chain.hpp"
#include "vtmirror/report/missing.hpp"

#include <algorithm>
#include <utility>

namespace vtmirror::agent {

namespace {

void put_stamps(ports::Manifest& manifest, base::Time listed_at, const core::Calendar& calendar,
                const std::optional<NextCheck>& next) {
  manifest.checked_at = listed_at;
  if (!next) return;
  manifest.next_check = next->at;
  const auto day = core::day_served(next->schedule, *next->zone, listed_at);
  const bool todays_listed = std::ranges::any_of(calendar.files, [day](const core::ListedFile& file) {
    return file.listed && file.kind == core::Kind::delta && file.date == day;
  });
  manifest.stale_after = core::stale_after(listed_at, todays_listed, next->schedule, *next->zone);
}

}  // namespace

base::Result<Texts> compose(catalogue::Files& catalogue, base::Time now, const std::optional<NextCheck>& next) {
  auto chain = catalogue::chain_now(catalogue);
  if (!chain) return chain.error();
  const auto edition = catalogue.settle(core::content_of(chain->chain, chain->lost), now);
  if (!edition) return edition.error();
  auto details = report::lasting_details(chain->chain);
  Texts texts{.manifest = {.edition = *edition, .chain = std::move(chain->chain), .details = std::move(details)},
              .held = std::move(chain->held)};
  if (chain->listed_at) put_stamps(texts.manifest, *chain->listed_at, chain->calendar, next);
  return texts;
}

}  // namespace vtmirror::agent
