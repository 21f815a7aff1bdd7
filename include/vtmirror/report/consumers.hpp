// What consumers are answered, and how far each is: as JSON and as text.
// Pure, except that it reads the catalogue. Never decides what a consumer loads.
#pragma once

#include "vtmirror/catalogue/catalogue.hpp"
#include "vtmirror/catalogue/chain_now.hpp"
#include "vtmirror/core/consumer.hpp"
#include "vtmirror/report/days.hpp"
#include "vtmirror/report/status.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::report {

/// The schema of the JSON of `next` and `consumers`.
inline constexpr int consumer_schema = 1;

/// "2 deltas since 16 Nov", "delta 17 Nov is missing: not downloaded yet"
std::string sentence(const core::LoadWhy& why);

/// An answer to `vtmirror next`.
struct NextAnswer {
  std::string consumer;
  core::Offer offer;
  core::Edition edition;
  std::string ticket{};              ///< empty: null
  std::vector<std::string> paths{};  ///< of the offer's files
};
/// Also the body of GET /v1/next.
std::string next_json(const NextAnswer& answer);
/// What `vtmirror next NAME` prints: the action and why, a path a line, and how to acknowledge it. `json` is the output
/// of `next_json`. Errors: protocol.
base::Result<std::string> next_text(std::string_view json);

/// Why a ticket was refused; empty if it was accepted.
std::string refusal_of(core::Acknowledgement outcome, const std::string& consumer, const std::string& ticket);
/// {"consumer": "warehouse", "ticket": "43-7", "acknowledged": true}
std::string acknowledged_json(const std::string& consumer, const std::string& ticket);

/// {"consumer": "warehouse", "forgotten": true}
std::string forgotten_json(const std::string& consumer);

/// An answer to `vtmirror wait`: the day that is waited for, and how far the chain is complete.
struct ChainWait {
  base::Date day{};
  std::optional<base::Date> complete_through{};

  bool is_over() const { return complete_through && *complete_through >= day; }
};
/// {"schema": 1, "day": "2026-11-18", "complete": true, "complete_through": "2026-11-18"}. Also the body of GET
/// /v1/wait.
std::string wait_json(const ChainWait& wait);
/// Parses the output of `wait_json`; skips unknown keys. Errors: protocol.
base::Result<ChainWait> parse_wait(std::string_view json);

/// How far each consumer is, by name. Errors: catalogue, io.
base::Result<std::vector<ConsumerStatus>> consumer_statuses(const catalogue::Catalogue& catalogue);
/// The same by a chain that was read just before.
base::Result<std::vector<ConsumerStatus>> consumer_statuses(const catalogue::Catalogue& catalogue,
                                                            const catalogue::ChainNow& now);
/// Also the body of GET /v1/consumers.
std::string consumers_json(const std::vector<ConsumerStatus>& consumers);
std::string consumers_text(const std::vector<ConsumerStatus>& consumers, std::size_t width, base::Time now,
                           const UtcOffset& offset = {});
/// Parses the output of `consumers_json`; skips unknown keys. Errors: protocol.
base::Result<std::vector<ConsumerStatus>> parse_consumers(std::string_view json);

/// "3 files to load, for 2d 4h", "up to date", or "nothing to load yet" if nothing was ever loaded
std::string lag_of(const ConsumerStatus& consumer, base::Time now);

}  // namespace vtmirror::report
