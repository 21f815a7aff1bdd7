// One synchronisation cycle from listing to publication, over the interfaces in `ports`. The creator must hold the
// lock.
// Promises that a cycle that is cut off at any time leaves every public file intact, and that the next one resumes.
// Never prints anything, and uses a clock, a file or the network only through its ports.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/base/secret.hpp"
#include "vtmirror/catalogue/catalogue.hpp"
#include "vtmirror/core/consumer.hpp"
#include "vtmirror/core/history.hpp"
#include "vtmirror/core/pruning.hpp"
#include "vtmirror/core/rate.hpp"
#include "vtmirror/core/reconcile.hpp"
#include "vtmirror/core/schedule.hpp"
#include "vtmirror/core/verification.hpp"
#include "vtmirror/ports/clock.hpp"
#include "vtmirror/ports/http.hpp"
#include "vtmirror/ports/journal.hpp"
#include "vtmirror/ports/partials.hpp"
#include "vtmirror/ports/shelf.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace vtmirror::agent {

/// The single sequence of calls to the catalogue's writing connection: from cycle, health, outbox and secrets alike.
/// Promises its callers that each call runs alone, off the event loop, in the order of the requests.
class CatalogueStrand {
 public:
  using Turn = boost::asio::strand<boost::asio::thread_pool::executor_type>;

  /// Both are borrowed, and must outlive it and every call. `make_room` frees space on the catalogue's disk that was
  /// kept for it, and returns false if there is none left to free; it is called on `turn()`, and may be empty.
  CatalogueStrand(boost::asio::thread_pool& pool, catalogue::Catalogue& catalogue, std::function<bool()> make_room = {})
      : turn_(pool.get_executor()), catalogue_(catalogue), make_room_(std::move(make_room)) {}
  CatalogueStrand(const CatalogueStrand&) = delete;
  CatalogueStrand& operator=(const CatalogueStrand&) = delete;

  const Turn& turn() const { return turn_; }
  /// For use on `turn()` only, or while nothing runs there.
  catalogue::Catalogue& catalogue() { return catalogue_; }
  /// On `turn()`. Whether a write that a full disk refused may succeed now.
  bool make_room() const { return make_room_ && make_room_(); }

 private:
  Turn turn_;
  catalogue::Catalogue& catalogue_;
  std::function<bool()> make_room_;
};

/// The service's addresses and the client's credentials (vtmirror-service(7) 2.4).
struct ServiceSettings {
  std::string base_url;
  std::string token_url;
  std::string scope;
  std::string listing_path = "/v1/trade/vehicles/bulk-download";
  bool allow_http = false;
  std::string client_id;
  base::Secret client_secret;
  base::Secret api_key;
  friend bool operator==(const ServiceSettings&, const ServiceSettings&) = default;
};

/// The addresses, by which the catalogue knows the service again.
std::string addresses_of(const ServiceSettings& service);

struct CycleSettings {
  int parallel_files = 3;
  int connections = 0;       ///< for each file; 0: as many as are found to be the best
  int connections_max = 32;  ///< over all files
  core::RateRules rate{};    ///< for all transfers
  int attempts = 8;
  ports::CheckRules check{};
  core::Policy policy{};
  core::ConsumerRules consumers{};
  std::string fingerprint{};  ///< of all settings and credentials that a cycle depends on; empty if not known
  friend bool operator==(const CycleSettings&, const CycleSettings&) = default;
};

/// When the service is asked next, and by which schedule: what the manifest's stamps are made of.
struct NextCheck {
  base::Time at{};
  core::Schedule schedule;
  std::shared_ptr<const core::Zone> zone;
  friend bool operator==(const NextCheck&, const NextCheck&) = default;
};

/// Borrowed; all of it must outlive the agent. One thread runs the loop, and the agent lives there.
struct Ports {
  boost::asio::any_io_executor loop;
  ports::Clock& clock;
  ports::Dice& dice;
  ports::Http& http;
  ports::Partials& partials;
  ports::Shelf& shelf;
  ports::Journal& journal;
  ports::Stop& stop;
  CatalogueStrand& catalogue;
  boost::asio::thread_pool& pool;     ///< for blocking work: writes, syncs, the catalogue
  boost::asio::thread_pool& checks;   ///< for checks that are waited for, which run for minutes; may be `pool`
  boost::asio::thread_pool& reading;  ///< for checks of files that still arrive: may be slow; may be `pool`
};

/// Whether a credential was accepted or refused the last time; neither before its first use.
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

/// One reading of a file, shared with the thread that reads.
struct Reading {
  std::int64_t bytes_a_second = 0;  ///< at most; 0: as fast as possible
  std::atomic<bool> interrupted = false;
  std::atomic<std::int64_t> bytes = 0;  ///< read so far
};

class Agent {
 public:
  /// `unrepaired`: of the agent that this one replaces.
  Agent(Ports ports, ServiceSettings service, CycleSettings settings, std::vector<core::Cause> unrepaired = {});
  ~Agent();
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  /// Reconciles disk and catalogue after the last process ended, in whatever way: finishes publications, removes
  /// orphans, and corrects manifest and `current`. Must be called once before anything else. A file that cannot be
  /// repaired stops nothing else, and is tried again by each cycle before it begins: see `unrepaired`.
  boost::asio::awaitable<base::Result<void>> recover();
  /// Held files that `recover` found missing or changed on disk: only a cycle can bring them back.
  std::size_t lost_files() const;
  /// What the last `recover` could not repair, a cause for each file, and the hindrances (core/hindrance.hpp) that it
  /// or a cycle since then has met.
  const std::vector<core::Cause>& unrepaired() const;

  /// The plan of the running cycle or, if none runs, of a cycle that began now: if that would first repair something or
  /// finish removals, made over what these would leave. Changes nothing. Requests a listing from the service, between
  /// two cycles at most once a minute for all callers. Errors: those of the listing, catalogue, io, cancelled.
  boost::asio::awaitable<base::Result<core::Plan>> plan();
  /// The plan of the cycle that would follow `recover`, which was not called: made over what it would leave, and
  /// nothing is changed. Where the catalogue knows nothing of the mirror's files, they are read as `recover` would read
  /// them. Errors: as `plan`.
  boost::asio::awaitable<base::Result<core::Plan>> plan_of_start();

  /// One cycle (vtmirror(8), A CYCLE). An error only if nothing could be tried (no token, no listing, no catalogue);
  /// the history records it too. Failures of single files are in the report. `listed` is called when the catalogue has
  /// a listing of this cycle.
  boost::asio::awaitable<base::Result<core::CycleReport>> cycle(core::Try which = core::Try::first,
                                                                std::function<void()> listed = {});
  /// Reads a held file again and records what it finds, also in the manifest. `reading` must outlive it. Must not run
  /// beside a cycle. Errors: cancelled; catalogue; io, if the mirror itself cannot be used: nothing is recorded then.
  boost::asio::awaitable<base::Result<core::Finding>> read_again(core::FileRecord file, Reading& reading);
  /// What `prune` would remove now, first what was recorded and could not be finished. Changes nothing, and asks
  /// nobody for a listing. `settings` may be newer than the agent's. Errors: catalogue, io.
  boost::asio::awaitable<base::Result<core::Pruning>> removals(CycleSettings settings);
  /// The same for a process that has not called `recover`, made over what that would leave. Errors: as `plan_of_start`.
  boost::asio::awaitable<base::Result<core::Pruning>> removals_of_start();
  /// Removes what the policy no longer keeps, as the newest listing is known; may run beside a cycle. Errors:
  /// catalogue, io; a file that could not be removed is among the failures.
  boost::asio::awaitable<base::Result<core::Pruning>> prune(CycleSettings settings);
  /// `recover` and `prune` of a process that does nothing else. Errors: of both.
  boost::asio::awaitable<base::Result<core::Pruning>> prune_from_start();

  /// New rules apply at once, also to a running cycle.
  void limit_rate(core::RateRules rules);
  /// Whether a cycle runs that a new listing can extend.
  bool accepts_listings() const;
  /// Whether a download of the running cycle has failed that a later listing may try again.
  bool any_failed() const;
  /// Asks for a listing while such a cycle runs, which downloads what is new in it. Errors: those of the listing, and
  /// empty_listing; nothing is changed then.
  boost::asio::awaitable<base::Result<void>> list_again();

  /// Renews the manifest's stamps, without another generation. Every manifest has them from then on. Costs nothing if
  /// `next` is what they say already; what could not be written is written by the next call. Before the first listing
  /// there is nothing to stamp.
  boost::asio::awaitable<void> stamp(NextCheck next);

  /// The running cycle; null if none runs.
  const ports::CycleProgress* progress() const;

  const Acceptance& secret() const;  ///< by the token issuer
  const Acceptance& key() const;     ///< by the service

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace vtmirror::agent
