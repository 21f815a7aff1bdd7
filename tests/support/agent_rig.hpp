// An agent with scripted parts. The members survive a process; what `cycle` makes ends with it.
#pragma once

#include "support/jumping_clock.hpp"
#include "support/memory_storage.hpp"
#include "support/scripted_service.hpp"
#include "support/silent_journal.hpp"
#include "vtmirror/agent/agent.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>

#include <exception>
#include <functional>
#include <memory>
#include <optional>

namespace vtmirror::test {

struct AgentRig {
  explicit AgentRig(MemoryStorage::Way way = MemoryStorage::Way::rename)
      : storage(way), catalogue(catalogue::Catalogue::open(":memory:", catalogue::Access::read_write).value()) {
    settings.check = {.zip = true, .digest = true};
  }

  static agent::ServiceSettings service_settings() {
    agent::ServiceSettings settings;
    settings.base_url = "https://api.example";
    settings.token_url = "https://issuer.example/token";
    settings.client_id = "client";
    settings.client_secret = base::Secret("secret");
    settings.api_key = base::Secret("key");
    return settings;
  }

  /// A process: recovers, runs one cycle, ends.
  base::Result<core::CycleReport> cycle() {
    std::optional<base::Result<core::CycleReport>> report;
    in_process([&](agent::Agent& agent) { return whole_run(agent, meanwhile, report); });
    return *report;
  }

  /// A process that asks twice for the plan, and ends.
  base::Result<core::Plan> plan() {
    std::optional<base::Result<core::Plan>> plan;
    in_process([&](agent::Agent& agent) { return ask_twice(agent, plan); });
    return *plan;
  }

  /// A process that asks for the plan of its start instead of starting, and ends.
  base::Result<core::Plan> plan_of_start() {
    std::optional<base::Result<core::Plan>> plan;
    in_process([&](agent::Agent& agent) { return ask_before_recovery(agent, plan); });
    return *plan;
  }

  template <class Work>
  void in_process(Work work) {
    work_in_process([&](const agent::Ports&, const std::shared_ptr<agent::Agent>& agent) { return work(*agent); });
  }

  /// The same for work that needs the ports too.
  template <class Work>
  void work_in_process(Work work) {
    ports::Stop stop;
    boost::asio::io_context loop;
    boost::asio::thread_pool pool(4);
    agent::CatalogueStrand strand(pool, catalogue, make_room);
    const agent::Ports ports{loop.get_executor(),
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
                             pool};
    auto agent = std::make_shared<agent::Agent>(ports, service_settings(), settings);
    auto failed = [](std::exception_ptr failure) {
      if (failure) std::rethrow_exception(failure);
    };
    boost::asio::co_spawn(loop, work(ports, agent), failed);
    loop.run();
    agent.reset();
    pool.join();
  }

  static boost::asio::awaitable<void> whole_run(agent::Agent& agent, const std::function<void()>& meanwhile,
                                                std::optional<base::Result<core::CycleReport>>& report) {
    const auto recovered = co_await agent.recover();
    if (!recovered) {
      report = recovered.error();
      co_return;
    }
    report = co_await agent.cycle();
    if (!meanwhile) co_return;
    meanwhile();
    report = co_await agent.cycle();
  }

  static boost::asio::awaitable<void> only_recover(agent::Agent& agent, bool& recovered) {
    const auto done = co_await agent.recover();
    recovered = done.has_value();
  }

  static boost::asio::awaitable<void> ask_twice(agent::Agent& agent, std::optional<base::Result<core::Plan>>& plan) {
    plan = co_await agent.plan();
    plan = co_await agent.plan();
  }

  static boost::asio::awaitable<void> ask_before_recovery(agent::Agent& agent,
                                                          std::optional<base::Result<core::Plan>>& plan) {
    plan = co_await agent.plan_of_start();
  }

  void list(const std::string& name, core::Kind kind, std::string date, std::int64_t size, int version = 1) {
    service.files[name] = {kind, std::move(date), size, version};
  }

  bool holds_everything() const {
    for (const auto& [name, file] : service.files) {
      const auto found = storage.published.find(name);
      if (found == storage.published.end()) return false;
      if (found->second != numbered_bytes(file.version, 0, file.size)) return false;
    }
    return storage.unfinished.empty();
  }

  bool nothing_wrong_is_public() const {
    return std::all_of(storage.published.begin(), storage.published.end(),
                       [](const auto& file) { return MemoryStorage::whole(file.second); });
  }

  JumpingClock clock;
  LoadedDice dice;
  ScriptedService service{clock};
  MemoryStorage storage;
  SilentJournal journal;
  catalogue::Catalogue catalogue;
  agent::CycleSettings settings;
  /// Happens after the first cycle; then the same process runs a second one, and `cycle` gives what that one reports.
  std::function<bool()> make_room;  ///< gives back a part of the room that is kept for a full disk
  std::function<void()> meanwhile;
};

/// The service's name for the file of that day of November 2026. `kind`: "bulk" or "delta".
inline std::string name_of(const std::string& kind, int day) {
  const auto two = (day < 10 ? "0" : "") + std::to_string(day);
  return "v1/public/" + kind + "/year=2026/month=11/day=" + std::to_string(day) + "/" + kind + "-light-vehicle_" + two +
         "-11-2026.zip";
}
inline const std::string bulk_name = name_of("bulk", 15);
inline std::string delta_name(int day) { return name_of("delta", day); }

/// That day of November 2026.
inline std::string iso(int day) { return (day < 10 ? "2026-11-0" : "2026-11-") + std::to_string(day); }

/// A Wednesday's listing: one bulk file and four deltas (vtmirror-service(7) 1).
inline void list_wednesday(AgentRig& rig, std::int64_t bulk_size = 300'000, std::int64_t delta_size = 20'000) {
  rig.list(bulk_name, core::Kind::bulk, "2026-11-15", bulk_size);
  for (int day = 15; day <= 18; ++day) rig.list(delta_name(day), core::Kind::delta, iso(day), delta_size);
}

}  // namespace vtmirror::test
