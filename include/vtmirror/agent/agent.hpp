// One synchronisation cycle from listing to publication, over the seams of `ports`. Whoever makes it holds the lock.
// Promises that a cycle cut at any instant leaves every public file whole, and that the next one goes on where it was.
// Never prints anything and never reads a clock, a file or an address but through its ports.
#pragma once

#include "vtmirror/agent/catalogue_strand.hpp"
#include "vtmirror/base/result.hpp"
#include "vtmirror/base/secret.hpp"
#include "vtmirror/core/cycle_report.hpp"
#include "vtmirror/core/health.hpp"
#include "vtmirror/core/reconcile.hpp"
#include "vtmirror/ports/clock.hpp"
#include "vtmirror/ports/http.hpp"
#include "vtmirror/ports/journal.hpp"
#include "vtmirror/ports/partials.hpp"
#include "vtmirror/ports/shelf.hpp"
#include "vtmirror/ports/stop.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/thread_pool.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace vtmirror::agent {

/// Where the service is and who we are (vtmirror-service(7) 2.4).
struct ServiceSettings {
  std::string base_url;
  std::string token_url;
  std::string scope;
  std::string listing_path = "/v1/trade/vehicles/bulk-download";
  bool allow_http = false;
  std::string client_id;
  base::Secret client_secret;
  base::Secret api_key;
};

struct CycleSettings {
  int parallel_files = 3;
  int connections = 0;          ///< for each file; 0: `default_connections`
  std::int64_t rate_limit = 0;  ///< bytes a second over all; 0 is none
  int attempts = 8;
  ports::CheckRules check{};
  core::Policy policy{};
};
inline constexpr int default_connections = 4;

/// Borrowed; all of it outlives the agent. The loop is run by one thread, and the agent lives there.
struct Parts {
  boost::asio::any_io_executor loop;
  ports::Clock& clock;
  ports::Dice& dice;
  ports::Http& http;
  ports::Partials& partials;
  ports::Shelf& shelf;
  ports::Journal& journal;
  ports::Stop& stop;
  CatalogueStrand& catalogue;
  boost::asio::thread_pool& pool;  ///< for all that blocks; at least four threads, since long checks run beside writes
};

/// How the other side took a credential the last time that it was asked; neither before the first time.
struct Acceptance {
  bool accepted = false;
  std::optional<base::Error> refused;

  /// A refusal is `forbidden`; other failures say nothing about the credential.
  template <class T>
  void note(const base::Result<T>& answer) {
    if (answer) *this = {.accepted = true, .refused = {}};
    if (answer.has_error() && answer.error().code == base::Errc::forbidden)
      *this = {.accepted = false, .refused = answer.error()};
  }
};

class Agent {
 public:
  Agent(Parts parts, ServiceSettings service, CycleSettings settings);
  ~Agent();
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  /// Brings disk and catalogue together after whatever ended the last process: unfinished publications are finished,
  /// orphans removed, manifest and `current` made true. To be called once before anything else.
  boost::asio::awaitable<base::Result<void>> recover();
  /// Held files that `recover` did not find on disk as the catalogue has them: only a cycle can bring them back.
  std::size_t lost_files() const;

  /// What the cycle that runs carries out; where none runs, what one would, begun now. Changes nothing. The service is
  /// asked for a listing, once a minute however many ask. Errors: those of the listing, catalogue, io.
  boost::asio::awaitable<base::Result<core::Plan>> plan();
  /// The plan of the cycle that would follow `recover`, which was not called: made over what it would leave, and
  /// nothing is changed. Where the catalogue knows nothing of the mirror's files, they are read as `recover` would read
  /// them. Errors: as `plan`, and cancelled.
  boost::asio::awaitable<base::Result<core::Plan>> plan_of_start();

  /// One cycle (vtmirror(8), A CYCLE). An error only when nothing could be tried (no token, no listing, no catalogue):
  /// it is recorded in the history all the same. What failed for single files is in the report.
  boost::asio::awaitable<base::Result<core::CycleReport>> cycle(core::Try which = core::Try::first);

  /// The cycle that runs; null when none does.
  const ports::CycleProgress* progress() const;

  const Acceptance& secret() const;  ///< by the token issuer
  const Acceptance& key() const;     ///< by the service

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace vtmirror::agent
