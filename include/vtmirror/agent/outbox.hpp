// Tells what the catalogue has queued: each channel by itself, for as long as it takes, over restarts.
// Promises that a notice is delivered at least once to each channel that wanted it when it became true, twice only when
// the process ends between delivery and record, and never at the same time twice. Makes no notice of its own troubles:
// they go to the journal, and what lasts is found by Health.
#pragma once

#include "vtmirror/agent/catalogue_strand.hpp"
#include "vtmirror/ports/channel.hpp"
#include "vtmirror/ports/clock.hpp"
#include "vtmirror/ports/journal.hpp"
#include "vtmirror/ports/stop.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <memory>
#include <vector>

namespace vtmirror::agent {

using Channels = std::vector<std::shared_ptr<ports::Channel>>;

class Outbox {
 public:
  /// Borrowed; all of it outlives the outbox.
  struct Parts {
    boost::asio::any_io_executor loop;
    ports::Clock& clock;
    ports::Journal& journal;
    ports::Stop& stop;
    CatalogueStrand& catalogue;
  };
  Outbox(Parts parts, Channels channels);
  ~Outbox();
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  /// Says to the catalogue who is told of what; to be called before anything can be queued. Errors: catalogue, io.
  boost::asio::awaitable<base::Result<void>> begin();

  /// Delivers until the stop. While nothing is queued it waits without a timer.
  boost::asio::awaitable<void> run();

  /// Tries all that is due once, each channel beside the others, and ends with the last attempt; where nobody answers
  /// at all, the rest is left to the next time. For a process that does not stay; never beside `run`.
  boost::asio::awaitable<void> deliver_due();

  /// Other channels from now on. An attempt that runs goes on; what waits for a channel that is no more ends.
  void take(Channels channels);

  /// Something may have been queued. On the loop's thread.
  void wake();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace vtmirror::agent
