// What becomes of consumers with the time: their loans end, and those that never ask again are dropped.
// Promises that no file is kept for a consumer longer than `consumers.lease` and a cycle. Also the consumers and the
// channels that lag behind.
#pragma once

#include "agent/off_loop.hpp"
#include "vtmirror/agent/agent.hpp"
#include "vtmirror/core/health.hpp"

#include <vector>

namespace vtmirror::agent {

/// Whether the files of the consumer's offer are kept: for the lease, unless one of them was found damaged.
bool has_lease(const core::ConsumerRecord& consumer, base::Milliseconds lease, base::Time now);

/// Takes back what was lent to consumers without an offer, or with one that is older than the lease. Errors: catalogue,
/// io.
boost::asio::awaitable<base::Result<void>> take_back_loans(Ports ports, CatalogueCalls& calls,
                                                           core::ConsumerRules rules);

/// Takes back only what was lent for offers whose lease has ended early. Errors: catalogue, io.
boost::asio::awaitable<base::Result<void>> take_back_damaged_loans(Ports ports, CatalogueCalls& calls);

/// As `take_back_loans`, after the consumers that have not asked for `consumers.forget` were dropped, each with a
/// notice.
boost::asio::awaitable<base::Result<void>> tend_consumers(Ports ports, CatalogueCalls& calls,
                                                          core::ConsumerRules rules);

struct Laggards {
  std::vector<core::FailingChannel> channels;   ///< for longer than `core::longest_silence`
  std::vector<core::BehindConsumer> consumers;  ///< for longer than the lease
};
base::Result<Laggards> read_laggards(const catalogue::Catalogue& catalogue, const core::ConsumerRules& rules,
                                     base::Time now);

}  // namespace vtmirror::agent
