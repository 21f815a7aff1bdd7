// What becomes of consumers with the time: their loans end, and those that never ask again are dropped.
// Promises that no file is kept for a consumer longer than `consumers.lease` and a cycle. Also the consumers and the
// channels that lag behind.
#pragma once

#include "agent/off_loop.hpp"
#include "vtmirror/agent/agent.hpp"
#include "vtmirror/core/health.hpp"

#include <vector>

namespace vtmirror::agent {

/// Takes back what was lent to consumers without an offer, or with one that is older than the lease. Errors: catalogue,
/// io.
boost::asio::awaitable<base::Result<void>> take_back_loans(Ports ports, CatalogueCalls& calls,
                                                           core::ConsumerRules rules);

/// The same, after the consumers that have not asked for `consumers.forget` were dropped, each with a notice.
boost::asio::awaitable<base::Result<void>> tend_consumers(Ports ports, CatalogueCalls& calls,
                                                          core::ConsumerRules rules);

struct Laggards {
  std::vector<core::FailingChannel> channels;   ///< for longer than `core::longest_silence`
  std::vector<core::BehindConsumer> consumers;  ///< for longer than the lease
};
base::Result<Laggards> read_laggards(const catalogue::Catalogue& catalogue, const core::ConsumerRules& rules,
                                     base::Time now);

}  // namespace vtmirror::agent
