// One file's transfer alone, on a clock whose waits take their time, with a store whose bodies may stand still, and a
// catalogue whose lock another connection may hold.
#pragma once

#include "agent/publisher.hpp"
#include "agent/transfer.hpp"
#include "support/memory_storage.hpp"
#include "support/scripted_service.hpp"
#include "support/shared_catalogue.hpp"
#include "support/silent_journal.hpp"
#include "support/simulated_clock.hpp"

#include <doctest/doctest.h>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace vtmirror::test {

/// A body that ends with `timed_out` stands still first, until `release` or until its connection is closed. Bytes take
/// time if there is a pace, on each connection.
class StandingService : public ScriptedService {
 public:
  explicit StandingService(SimulatedClock& clock) : ScriptedService(clock), clock_(clock) {}

  std::unique_ptr<ports::Lane> lane() override {
    return std::make_unique<StandingLane>(*this, ScriptedService::lane());
  }
  void release() {
    for (auto* lane : standing_) lane->cancel();
  }
  bool stands() const { return !standing_.empty(); }

  struct Pace {
    base::Milliseconds pause{0};  ///< before each read
    std::size_t bytes = 7001;     ///< that it brings at most
  };
  Pace pace;
  std::function<void(std::size_t)> came{};  ///< called after each read

 private:
  class StandingLane : public ports::Lane {
   public:
    StandingLane(StandingService& service, std::unique_ptr<ports::Lane> inner)
        : service_(service), inner_(std::move(inner)) {}

    boost::asio::awaitable<base::Result<ports::RangeAnswer>> get(std::string url, core::Range range,
                                                                 std::string if_match) override {
      return inner_->get(std::move(url), range, std::move(if_match));
    }
    boost::asio::awaitable<base::Result<std::size_t>> read(std::span<std::byte> into) override {
      const auto paced = co_await pause();
      if (!paced) co_return paced.error();
      auto count = co_await inner_->read(into.first(std::min(into.size(), service_.pace.bytes)));
      if (count && service_.came) service_.came(*count);
      if (count || count.error().code != base::Errc::timed_out) co_return count;
      const auto loop = co_await boost::asio::this_coro::executor;
      boost::asio::steady_timer gate(loop, boost::asio::steady_timer::time_point::max());
      gate_ = &gate;
      const auto place = service_.standing_.insert(service_.standing_.end(), &gate);
      co_await gate.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
      service_.standing_.erase(place);
      gate_ = nullptr;
      co_return count;
    }
    void close() override {
      inner_->close();
      if (gate_ != nullptr) gate_->cancel();
    }

   private:
    boost::asio::awaitable<base::Result<void>> pause() {
      if (service_.pace.pause == base::Milliseconds::zero()) co_return base::Result<void>();
      const auto loop = co_await boost::asio::this_coro::executor;
      boost::asio::steady_timer bell(loop, boost::asio::steady_timer::time_point::max());
      gate_ = &bell;
      const auto waited = co_await service_.clock_.wait_for(bell, service_.pace.pause);
      gate_ = nullptr;
      co_return waited;
    }

    StandingService& service_;
    std::unique_ptr<ports::Lane> inner_;
    boost::asio::steady_timer* gate_ = nullptr;
  };

  SimulatedClock& clock_;
  std::list<boost::asio::steady_timer*> standing_;
};

struct TransferRig {
  static constexpr std::int64_t mib = std::int64_t{1} << 20;

  explicit TransferRig(int for_each, std::int64_t file_size = 16 * mib, agent::UnrecordedLimits limits = {})
      : size(file_size), blocks(loop.get_executor(), limits), connections(clock, blocks, for_each, 64) {
    clock.stop = &stop;
    settings.connections = for_each;
    progress.size = size;
    service.files[name] = {core::Kind::bulk, "2026-11-15", size, 1};
  }
  ~TransferRig() {
    stop.request();
    service.release();
    reads = true;
    settle();
  }
  TransferRig(const TransferRig&) = delete;
  TransferRig& operator=(const TransferRig&) = delete;

  /// `left`: bytes from the start on that an earlier process left.
  void begin(std::int64_t left = 0) { begin(core::Range{0, left}); }
  void begin(core::Range left) {
    core::PartialRecord partial{.name = name, .kind = core::Kind::bulk};
    partial.date = base::parse_date("2026-11-15").value();
    partial.size = size;
    if (!left.empty()) {
      partial.durable.add(left);
      auto& file = storage.unfinished[name];
      file.written.resize(static_cast<std::size_t>(left.begin));
      file.written += numbered_bytes(service.files.at(name).version, left.begin, left.end);
      file.written.resize(static_cast<std::size_t>(size));
      file.synced = file.written;
    }
    check.emplace(of_checks, ports::CheckRules(), name);
    transfer.emplace(
        agent::CycleResources{parts, settings, links, rate, connections, blocks, calls, calls, publisher, of_checks},
        partial, *check, progress);
    boost::asio::co_spawn(loop, transfer->run(false), [this](std::exception_ptr thrown, base::Result<void> result) {
      REQUIRE(!thrown);
      ended = result;
    });
    settle();
  }
  void settle() {
    while (step()) continue;
  }
  /// Time passes, with all that it brings.
  void pass(base::Milliseconds time) {
    settle();
    const auto end = clock.world() + time;
    for (auto next = clock.next_deadline(); next && *next <= end && !ended; next = clock.next_deadline()) {
      clock.go_to(*next);
      settle();
    }
    if (!ended) clock.go_to(end);
    settle();
  }
  base::Milliseconds passed() const { return clock.world() - start; }

  std::int64_t durable() const {
    const auto partials = shared.catalogue.partials();
    REQUIRE(partials);
    return partials->empty() ? 0 : partials->front().durable.size();
  }
  bool is_whole() const {
    const auto found = storage.unfinished.find(name);
    return found != storage.unfinished.end() &&
           found->second.synced == numbered_bytes(service.files.at(name).version, 0, size) && durable() == size;
  }
  base::Errc why() const {
    REQUIRE(ended);
    REQUIRE_FALSE(ended->has_value());
    return ended->error().code;
  }

  const std::string name = "v1/public/bulk/year=2026/month=11/day=15/bulk-light-vehicle_15-11-2026.zip";
  const base::Time start = std::chrono::sys_days{std::chrono::year{2026} / 11 / 18} + std::chrono::hours(8);
  std::int64_t size;
  ports::Stop stop;
  SimulatedClock clock{start};
  LoadedDice dice;
  StandingService service{clock};
  MemoryStorage storage;
  SilentJournal journal;
  SharedCatalogue shared;
  std::optional<base::Result<void>> ended;
  ports::DownloadProgress progress;

  boost::asio::io_context loop{1};
  boost::asio::thread_pool pool{0};     ///< without threads: `step` does their work, so that everything has one order
  boost::asio::thread_pool reading{0};  ///< likewise
  bool reads = true;                    ///< whether `reading` has a processor
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> busy{loop.get_executor()};
  agent::CatalogueStrand strand{pool, shared.catalogue};
  agent::Ports parts{loop.get_executor(),
                     clock,
                     dice,
                     service,
                     storage.partials(),
                     storage.shelf(),
                     journal,
                     stop,
                     strand,
                     pool,
                     pool,
                     reading};
  agent::ServiceSettings service_settings{.base_url = "https://api.example",
                                          .token_url = "https://issuer.example/token",
                                          .scope = "",
                                          .client_id = "client",
                                          .client_secret = base::Secret("secret"),
                                          .api_key = base::Secret("key")};
  agent::CycleSettings settings;
  agent::Service requests{parts, service_settings};
  agent::LinkSupply links{parts, requests};
  agent::RateLimit rate{clock, {}};
  agent::Blocks blocks;
  agent::Connections connections;
  agent::CatalogueCalls calls{strand};
  std::atomic<bool> stopping = false;
  agent::Publisher publisher{parts, calls, stopping};
  agent::Slots checks{loop.get_executor(), 1};
  agent::CheckResources of_checks{parts, calls, checks, stopping};
  std::optional<agent::FileCheck> check;
  std::optional<agent::Transfer> transfer;

 private:
  bool step() { return loop.poll() + poll_one(pool) + (reads ? poll_one(reading) : 0) > 0; }
  static std::size_t poll_one(boost::asio::thread_pool& threads) {
    boost::system::error_code ignored;
    return boost::asio::use_service<boost::asio::detail::scheduler>(threads).poll_one(ignored);
  }
};

}  // namespace vtmirror::test
