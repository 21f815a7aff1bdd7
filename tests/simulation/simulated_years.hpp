// A daemon's life among faults, day after day, and what must be true after each step of it. All of it follows from the
// seed.
#pragma once

#include "simulation/observer.hpp"
#include "simulation/process.hpp"
#include "simulation/receiver.hpp"
#include "simulation/service_days.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace vtmirror::test {

class RandomDice : public ports::Dice {
 public:
  explicit RandomDice(Random& random) : random_(random) {}
  double roll() override { return static_cast<double>(random_() >> 11) * 0x1.0p-53; }

 private:
  Random& random_;
};

class SimulatedYears {
 public:
  SimulatedYears(std::uint64_t seed, std::shared_ptr<const core::Zone> zone);

  void live_day(int number);
  const Observer& observer() const { return observer_; }
  std::string told() const;  ///< what there was of everything, for people

 private:
  using Minutes = std::chrono::minutes;

  void plan_day(int number);
  void plan_machine();
  void let_service_fail();
  ports::Response listing_failure();
  void spoil(StoreAnswer& answer);
  base::Time at(Minutes from, Minutes to);
  void on(base::Time time, std::function<void()> what) { agenda_.emplace(time, std::move(what)); }

  void run_until(base::Time end);
  void doze(base::Time limit);
  void start();
  void start_later();
  void stop();
  void kill();

  void check_public();
  void check_manifest();
  void check_day(int number);
  void check_telling();
  void check_quiet_day(int number);

  Random random_;
  SimulatedClock clock_{std::chrono::sys_days(day(0)) + std::chrono::hours(7)};
  RandomDice dice_{random_};
  ScriptedService service_{clock_};
  ServiceDays days_{service_, random_};
  MemoryStorage storage_;
  agent::DaemonSettings settings_;
  Observer observer_{clock_, settings_.health.schedule};
  std::shared_ptr<Receiver> receiver_ = std::make_shared<Receiver>(clock_);
  std::size_t told_by_then_ = 0;    ///< publications that the receiver had been told at the last look
  catalogue::Catalogue catalogue_;  ///< while no process has it
  std::unique_ptr<Process> process_;

  std::multimap<base::Time, std::function<void()>> agenda_;
  DayFaults faults_;
  base::Time begin_{};
  base::Time end_{};
  base::Time token_ends_{};
  base::Milliseconds oversleep_{0};
  bool awake_ = false;  ///< the machine is not suspended today
  bool down_ = false;
  Minutes late_by_{0};
  int listings_ = 0, tokens_ = 0;  ///< asked for today
  int kills_ = 0, restarts_ = 0, clock_changes_ = 0, quiet_days_ = 0, most_listings_ = 0, most_tokens_ = 0;
  std::size_t most_requests_ = 0;
};

}  // namespace vtmirror::test
