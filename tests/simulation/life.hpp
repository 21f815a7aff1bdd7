// A daemon's life among faults, day after day, and what must be true after each step of it. All of it follows from the
// seed.
#pragma once

#include "simulation/catalogue_file.hpp"
#include "simulation/changes_follower.hpp"
#include "simulation/desk_consumer.hpp"
#include "simulation/faults.hpp"
#include "simulation/judge.hpp"
#include "simulation/link_reader.hpp"
#include "simulation/observer.hpp"
#include "simulation/probes.hpp"
#include "simulation/process.hpp"
#include "simulation/receiver.hpp"
#include "simulation/seasons.hpp"
#include "simulation/slow_store.hpp"
#include "simulation/true_service.hpp"

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

namespace vtmirror::test {

class RandomDice : public ports::Dice {
 public:
  explicit RandomDice(Random& random) : random_(random) {}
  double roll() override { return static_cast<double>(random_() >> 11) * 0x1.0p-53; }

 private:
  Random& random_;
};

class Life {
 public:
  Life(std::uint64_t seed, std::shared_ptr<const core::Zone> zone);

  void live(int days);
  const Observer& observer() const { return observer_; }
  const Probes& probes() const { return probes_; }
  /// The classes of events that this life can meet, for people.
  std::string drawn() const { return swarm_.logged() + seasons_.logged(); }
  const Swarm& swarm() const { return swarm_; }
  std::string logged() const;  ///< counts of what happened, for people
  /// Equal for two lives with the same seed.
  std::pair<std::uint64_t, std::uint64_t> end() { return {random_(), observer_.trace()}; }

 private:
  using Minutes = std::chrono::minutes;
  enum class Breaking { no, cut, rotten };

  void live_day(int number);
  void plan_day(int number, bool with_faults);
  void plan_files(int number);
  void plan_entries();
  void plan_losses();
  void plan_machine();
  void plan_full_disk();
  void plan_lock();
  void plan_settings();
  void lose_catalogue(int tries);
  void wipe_state();
  std::vector<std::pair<base::Time, catalogue::Delivery>> waiting_deliveries();
  void check_quarantine();
  void check_announced();
  void refuse_entry(base::Milliseconds duration, const std::string& wanted = {});
  void list_day_to_come(base::Milliseconds duration);
  void accept_entry(const std::string& name);
  void replace_file(bool in_secret, const std::string& wanted = {});
  /// Whether the catalogue knows the ETag of every listed file that is held. The store is asked for it once a day: a
  /// file for which it was asked before `quiet_from`, and on the same day, does not count.
  bool etags_are_known(std::optional<base::Time> quiet_from = {}) const;
  void lose_files();
  void lose_file(const std::string& name);
  void put_back(const std::string& name);
  void rot_file();
  void touch_unfinished();
  void fail_file(const std::string& name, base::Milliseconds duration);
  void look_at_rollover(int number);
  void service_changed(const std::string& what);
  void let_service_fail();
  ports::Response listing_failure();
  ports::Response busy_for(std::chrono::seconds wait);
  void show_listing();
  void spoil(StoreAnswer& answer);
  base::Time at(Minutes from, Minutes to);
  /// No process is killed after that, so that the day's last cycle can end.
  base::Time kills_end() const { return begin_ + std::chrono::hours(18); }
  void on(base::Time time, std::function<void()> what) { agenda_.emplace(time, std::move(what)); }

  void add_consumers();
  void plan_visits();
  void plan_visit_without_a_daemon();
  void plan_deaths_within_calls();
  void remove_names(DeskConsumer& consumer);
  void visit(DeskConsumer& consumer);
  void ask_next(DeskConsumer& consumer, int rounds);
  void use_answer(DeskConsumer& consumer, agent::NextFiles answer, int rounds);
  void load_files(DeskConsumer& consumer, const agent::NextFiles& answer, int rounds);
  void acknowledge(DeskConsumer& consumer, std::string ticket, int rounds);
  template <class Value>
  void ask(const Question<Value>& question, std::function<void(base::Result<Value>)> answered);
  bool consumer_dies(Probe where);
  void plan_link_reader();
  void read_next_link();
  void forget_consumers();
  void check_consumers();
  void check_consumers_at_the_end();
  const DeskConsumer::Files& lent_to(const DeskConsumer& consumer) const;

  void plan_seasons(int number);
  void go_off(base::Time until);
  void come_back();
  bool is_off() const { return clock_.world() < off_until_; }
  void remove_delta();
  void list_again(const std::string& name);
  void follow_changes();

  void run_until(base::Time end);
  void settle();
  void doze(base::Time limit);
  void start();
  void start_later();
  void lock();
  void unlock();
  void file_appeared(const std::string& name);
  void leave();
  void stop();
  void kill();
  void hear(ports::EventKind kind);
  bool has_process_ended();
  void look_at_removals();
  void interrupt_removals();
  void interrupt_one_removal();
  void lose_instead_of_removed();
  bool is_transferring() const { return process_ && store_.waiting() > 0; }

  void check_day(int number);
  void check_notifications();
  bool a_check_was_deadly() const;
  void check_quiet_day(int number);
  void settle_for_good(int number);
  void check_liveness();
  std::set<std::string> problems_that_stay() const;

  Random random_;
  Random visits_;    ///< what consumers do: another stream, so that they change nothing else
  Random removals_;  ///< which removals are interrupted: a stream of its own, too
  Random odd_;       ///< what seasons bring: a stream of its own, too
  Seasons seasons_{odd_};
  Swarm swarm_{random_};
  SimulatedClock clock_{std::chrono::sys_days(day(0)) + std::chrono::hours(7)};
  RandomDice dice_{random_};
  ScriptedService service_{clock_};
  TrueService truth_{service_, random_};
  SlowStore store_{service_, clock_};
  MemoryStorage storage_;
  CatalogueFile file_{swarm_.has(Fault::catalogue_locked) || swarm_.has(Fault::catalogue_locked_at_start)};
  agent::DaemonSettings settings_;
  Probes probes_;
  Observer observer_{clock_, settings_.health.schedule};
  Judge judge_{storage_, truth_, observer_, probes_, swarm_.keep_cycles};
  std::shared_ptr<Receiver> receiver_ = std::make_shared<Receiver>(clock_);
  std::map<std::pair<base::Time, std::string>, base::Time> deliveries_seen_;  ///< by time and words: since when
  std::size_t announced_by_then_ = 0;  ///< publications that the receiver had got at the last check
  bool is_rebuilt_ = false;            ///< the catalogue was rebuilt from files, and the mirror was not wiped since
  catalogue::Catalogue catalogue_;     ///< while no process has it
  std::unique_ptr<Process> process_;
  std::list<DeskConsumer> consumers_;
  LinkReader link_reader_{storage_, truth_, observer_, probes_};
  ChangesFollower by_changes_{storage_, truth_, probes_};

  std::multimap<base::Time, std::function<void()>> agenda_;
  DayFaults faults_;
  base::Time begin_{};
  base::Time end_{};
  base::Time token_ends_{};
  base::Time cycle_ended_at_{};
  base::Milliseconds oversleep_{0};
  bool awake_ = false;  ///< the machine is not suspended today
  bool down_ = false;
  bool ran_at_dawn_ = false;  ///< a cycle that began before today was still running
  bool starting_ = false;
  bool full_at_next_start_ = false, locked_at_next_start_ = false;
  bool kill_at_publication_ = false;
  bool hindered_ = false;   ///< the disk was full or the catalogue locked since the cycle began
  bool listed_ = false;     ///< the running cycle has a listing
  bool settling_ = false;   ///< nothing new goes wrong any more
  base::Time looked_at_{};  ///< until then, a file that was replaced in secret need not be looked at again
  bool troubled_ = false;   ///< something of today's or of an earlier day's is still wrong
  Minutes late_by_{0};
  std::map<std::string, Breaking> failing_;
  std::map<std::string, base::Time> refused_;  ///< since when
  std::set<std::string> delisted_;             ///< before their week was over
  base::Time off_until_{}, back_at_{};
  int last_rollover_ = 0;
  std::set<std::string> leaving_;           ///< public files whose removal the last kill interrupted
  std::int64_t left_at_ = 0;                ///< the generation then
  std::map<std::string, base::Time> left_;  ///< quarantined files that are not listed, and when that was seen
  int listings_ = 0, tokens_ = 0;           ///< today's requests
  int days_ = 0, kills_ = 0, restarts_ = 0, clock_changes_ = 0, quiet_days_ = 0, most_listings_ = 0, most_tokens_ = 0;
  std::size_t most_requests_ = 0;
};

}  // namespace vtmirror::test
