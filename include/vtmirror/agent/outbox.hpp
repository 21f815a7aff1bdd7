// Delivers the notices that the catalogue has queued: each channel independently, for as long as it takes, over
// restarts.
// Promises that a notice is delivered at least once to each channel that subscribed when it was queued, twice only if
// the process ends between delivery and record, and never twice at the same time. Sends no notice about its own
// failures: they are logged, and Health reports those that last.
#pragma once

#include "vtmirror/agent/agent.hpp"
#include "vtmirror/ports/channel.hpp"
#include "vtmirror/ports/clock.hpp"
#include "vtmirror/ports/journal.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <memory>
#include <vector>

namespace vtmirror::agent {

using Channels = std::vector<std::shared_ptr<ports::Channel>>;

class Outbox {
 public:
  /// Borrowed; all of it must outlive the outbox.
  struct Ports {
    boost::asio::any_io_executor loop;
    ports::Clock& clock;
    ports::Journal& journal;
    ports::Stop& stop;
    CatalogueStrand& catalogue;
  };
  Outbox(Ports ports, Channels channels);
  ~Outbox();
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  /// Sets the catalogue's subscriptions. Must be called before anything can be queued. Errors: catalogue, io.
  boost::asio::awaitable<base::Result<void>> begin();

  /// Delivers until the stop. While nothing is queued it waits without a timer.
  boost::asio::awaitable<void> run();

  /// Tries everything that is due once, the channels side by side, and ends with the last attempt. If a channel does
  /// not answer at all, its other notices are left to the next call. So they are if the catalogue cannot record the
  /// result of one, which is then sent again. For short-lived processes; never beside `run`.
  boost::asio::awaitable<void> deliver_due();

  /// Replaces the channels. A running attempt continues; notices that wait for a removed channel are dropped.
  void use(Channels channels);

  /// Something may have been queued. Call on the loop's thread.
  void wake();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace vtmirror::agent
