// One attempt to tell one channel, and its record.
// Promises that what was delivered is recorded before anything else is done with it, however long the catalogue
// refuses.
#pragma once

#include "agent/ledger.hpp"
#include "vtmirror/ports/channel.hpp"
#include "vtmirror/ports/clock.hpp"
#include "vtmirror/ports/journal.hpp"
#include "vtmirror/ports/stop.hpp"

#include <memory>

namespace vtmirror::agent {

/// Borrowed.
struct DeliveryParts {
  Ledger& ledger;
  ports::Clock& clock;
  ports::Journal& journal;
  ports::Stop& stop;
};

/// An attempt that the stop ended leaves no trace; any other one is recorded and told. False when the failure was the
/// channel's and not the notice's: nobody answered, so that another notice fares no better now.
boost::asio::awaitable<bool> attempt(DeliveryParts parts, std::shared_ptr<ports::Channel> channel,
                                     catalogue::Delivery delivery);

/// Deliveries that ended untold, or are another channel's now.
void tell_ended(ports::Journal& journal, const catalogue::EndedChannel& channel);
/// The catalogue does not say what is to be told.
void tell_refused(ports::Journal& journal, const base::Error& error);

}  // namespace vtmirror::agent
