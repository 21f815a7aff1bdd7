// The consumers: what each has acknowledged, and what it was offered.
// Promises that an offer stands until it is acknowledged or dropped, and that no ticket is given twice. Never decides
// what is offered.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/catalogue/role.hpp"
#include "vtmirror/core/consumer.hpp"
#include "vtmirror/core/notice.hpp"

#include <optional>
#include <string>
#include <vector>

namespace vtmirror::catalogue {

class Consumers : Role {
 public:
  explicit Consumers(Connection& connection) : Role(connection) {}

  base::Result<std::vector<core::ConsumerRecord>> consumers() const;  ///< by name
  base::Result<std::optional<core::ConsumerRecord>> consumer(const std::string& name) const;

  /// Session and generation, as they are. The session is empty until a call that writes needs one.
  base::Result<core::Edition> edition_now() const;

  // What these calls keep of a consumer's time is no earlier than its last question and the newest cycle, so that a
  // clock that was set back makes nobody look silent.

  /// Records that it is answered now. Adds an unknown consumer, which counts as up to date from now on.
  base::Result<void> keep_asked(const std::string& name, base::Time now);
  /// Records that it is answered now, and has all that it can load. Errors: catalogue, for a consumer that is not
  /// known.
  base::Result<void> keep_up_to_date(const std::string& name, base::Time now);
  /// Records what it is offered, instead of what it was offered before, and returns the ticket. Empty, and nothing is
  /// recorded, if a file of the offer is no longer public and whole in the edition that is offered. Errors: catalogue,
  /// for a consumer that is not known.
  base::Result<std::optional<std::string>> keep_offer(const std::string& name, const core::Offer& offer,
                                                      base::Time now);
  /// Times of a clock that was ahead count as `now`, which must be right. What is asked after that by a clock that is
  /// behind `now` counts as asked at `now`.
  base::Result<void> correct_times(base::Time now);
  /// The same offer stands, from now on as if it were new.
  base::Result<void> renew_offer(const std::string& name, base::Time now);
  /// The offer no longer stands; it stays known, since it may have been loaded. Ok if there is none.
  base::Result<void> drop_offer(const std::string& name);

  /// The consumer has loaded what it was offered under that ticket. The last ticket once more changes nothing.
  base::Result<core::Acknowledgement> acknowledge(const std::string& name, const std::string& ticket, base::Time now);

  /// Drops a consumer, and queues the notice about it. False if it is not known.
  base::Result<bool> forget(const std::string& name, const std::vector<core::Notice>& notices = {});
};

}  // namespace vtmirror::catalogue
