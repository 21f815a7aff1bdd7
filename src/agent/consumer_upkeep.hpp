// Expiry of consumers and their leases: leases end, and consumers that no longer ask are dropped. Promises that no file
// is kept for a consumer longer than `consumers.lease` and a cycle. Also the consumers and the channels that lag
// behind.
#pragma once

#include "agent/off_loop.hpp"
#include "vtmirror/agent/agent.hpp"
#include "vtmirror/core/consumer.hpp"
#include "vtmirror/core/health.hpp"
#include "vtmirror/report/status.hpp"

#include <vector>

namespace vtmirror::agent {

/// Whether the files of the consumer's offer are kept: for the lease, unless one of them was found damaged.
bool has_lease(const core::ConsumerRecord& consumer, base::Milliseconds lease, base::Time now);

/// Takes back what was lent to consumers without an offer, or with one that is older than the lease. Errors: catalogue,
/// io.
boost::asio::awaitable<base::Result<void>> withdraw_loans(Ports ports, CatalogueCalls& calls,
                                                          core::ConsumerRules rules);

/// Takes back only what was lent for offers that are over: acknowledged, dropped, or with a file that was found
/// damaged. Follows no clock. Errors: catalogue, io.
boost::asio::awaitable<base::Result<void>> withdraw_ended_loans(Ports ports, CatalogueCalls& calls);

/// Called while this machine's clock is known to be right. As `withdraw_loans`, after the consumers that have not asked
/// for `consumers.forget` were dropped, each with a notice.
boost::asio::awaitable<base::Result<void>> tend_consumers(Ports ports, CatalogueCalls& calls,
                                                          core::ConsumerRules rules);

/// How far the consumers were at a look, and what that followed from.
struct ConsumersSeen {
  core::Edition edition;
  std::vector<core::ConsumerRecord> records;
  std::vector<report::ConsumerStatus> statuses;
  base::Time reckoned_at{};
  base::Time read_at{};  ///< the records and the edition
};
struct Laggards {
  std::vector<core::FailingChannel> channels;   ///< for longer than `core::longest_silence`
  std::vector<core::BehindConsumer> consumers;  ///< for longer than the lease
  ConsumersSeen seen{};
};
/// A consumer may be behind for weeks: what consumers have asked and acknowledged is read every five minutes, and how
/// far they are is recomputed only if that or the mirror's generation has changed, or after an hour. Errors: catalogue,
/// io.
base::Result<Laggards> read_laggards(const catalogue::Catalogue& catalogue, const core::ConsumerRules& rules,
                                     base::Time now, ConsumersSeen seen);

}  // namespace vtmirror::agent
