// A running daemon's answers on its socket, and the events for its followers: the daemon's own state combined with the
// catalogue's records. Used on the loop's thread only.
#pragma once

#include "vtmirror/agent/consumers.hpp"
#include "vtmirror/agent/daemon.hpp"
#include "vtmirror/control/control.hpp"
#include "vtmirror/ports/stream_event.hpp"
#include "vtmirror/ports/supervisor.hpp"
#include "vtmirror/report/calendar.hpp"
#include "vtmirror/report/cycle_words.hpp"
#include "vtmirror/report/metrics.hpp"
#include "vtmirror/report/rate.hpp"
#include "vtmirror/settings/config.hpp"
#include "wiring/known_facts.hpp"
#include "wiring/room_wait.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vtmirror::wiring {

class DaemonAnswers : public control::Answers, public agent::Watcher, public ports::Journal {
 public:
  /// The references must outlive this. `reload` reads the settings again and passes them to the daemon.
  struct Resources {
    boost::asio::io_context& loop;
    const settings::Config& config;
    ports::Journal& journal;
    ports::Supervisor& supervisor;
    ports::Clock& clock;
    ports::Stop& stop;
    ports::Partials& partials;
    const catalogue::Catalogue& catalogue;  ///< a connection of its own, for reading
    std::function<base::Result<void>()> reload;
    std::function<void()>
        damaged;  ///< called when the catalogue is found damaged, because no answer can be trusted then
    std::function<void()> cycle_ended;
    std::function<void(core::Notice)> send;  ///< to each channel at once: a full disk cannot keep it for the outbox
  };
  explicit DaemonAnswers(Resources resources);

  /// Call before the first request. All must outlive the loop's run.
  void attach(agent::Daemon& daemon, agent::ConsumerDesk& desk) {
    daemon_ = &daemon;
    desk_ = &desk;
  }
  void attach(control::Server& server) { server_ = &server; }

  report::Status now();

  std::string status() override;
  std::string status_table() override;
  std::string metrics() override;
  boost::asio::awaitable<base::Result<std::string>> files() override;
  boost::asio::awaitable<base::Result<std::string>> coverage() override;
  boost::asio::awaitable<base::Result<std::string>> history(int newest) override;
  boost::asio::awaitable<base::Result<std::string>> changes(std::int64_t since) override;
  boost::asio::awaitable<base::Result<std::string>> calendar(int days) override;
  boost::asio::awaitable<base::Result<std::string>> page(std::optional<base::Date> day) override;
  std::optional<Asset> asset(std::string_view path) override;
  boost::asio::awaitable<base::Result<std::string>> plan() override;
  boost::asio::awaitable<base::Result<std::string>> removals() override;
  boost::asio::awaitable<base::Result<std::string>> prune() override;
  boost::asio::awaitable<base::Result<std::string>> next(std::string consumer, bool may_change) override;
  boost::asio::awaitable<base::Result<std::string>> consumers() override;
  base::Result<ChainLook> look_at_chain(std::optional<base::Date> day) override;
  boost::asio::awaitable<base::Result<Outcome>> acknowledge(std::string consumer, std::string ticket) override;
  boost::asio::awaitable<base::Result<Outcome>> forget(std::string consumer) override;
  boost::asio::awaitable<base::Result<std::string>> start_cycle() override;
  boost::asio::awaitable<base::Result<std::string>> start_verification(std::vector<std::string> names,
                                                                       std::int64_t bytes_a_second) override;
  base::Result<std::string> reload() override;

  /// The disk is too full for the daemon's start, which is tried again: a problem until the daemon has started.
  void start_refused(const base::Error& error);
  /// Of that start. One that waited before this process could answer is noted there, and its end is reported too.
  RoomWait& room() { return room_; }

  void state_changed() override;
  void cycle_ended() override;
  void secret_changed() override;
  void verifying() override;
  void verified(std::int64_t number, const core::VerificationReport& report, const base::Result<void>& ended) override;
  void log(const ports::Event& event) override;

 private:
  /// While a cycle runs, followers get the status several times a second.
  boost::asio::awaitable<void> publish_progress();
  /// While files are read again, followers get how far it is several times a second.
  boost::asio::awaitable<void> publish_verifying();
  /// The last that could be read: a problem says so if that is not what the catalogue holds now.
  const report::DaemonFacts& facts();
  base::Result<report::DaemonFacts> read_facts();
  void unreadable(const base::Error& error);
  void readable();
  /// Until the catalogue can be read; followers get the status then.
  boost::asio::awaitable<void> read_again();
  /// After a change: what was read of the catalogue counts no more.
  void forget_facts();
  base::Result<report::DayCalendar> days(int most);
  std::optional<report::CycleStatus> cycle();
  std::optional<report::LastCycleStatus> last_cycle();
  void publish(ports::StreamEvent event, const std::string& json);
  /// The status, which is put together only if somebody follows.
  void publish_status();
  /// What consumers have loaded is a part of the status.
  void consumers_changed();
  /// Counts what has arrived, and logs how far the files are.
  void note_progress();
  void log_next_wake(const report::Status& status);
  /// The problems that stood when this process began, for those who read its log.
  void log_standing_problems(const report::Status& status);
  /// Keeps which problem the event logs, for `was_logged`.
  void note_problem(const ports::Event& event);
  /// Whether this process has logged that it began. Only until `log_standing_problems`.
  bool was_logged(const core::Problem& problem) const;
  /// Why nothing can be asked of the daemon yet; empty once it has started.
  std::optional<base::Error> not_started() const;
  /// The same where a start that waits for no room may be asked already.
  std::optional<base::Error> waits_for_room() const;
  void room_found();
  /// Of a problem that only this process knows.
  void log_of(const core::Problem& problem, ports::EventKind kind, ports::Level level, std::string message);

  Resources resources_;
  agent::Daemon* daemon_ = nullptr;
  agent::ConsumerDesk* desk_ = nullptr;
  control::Server* server_ = nullptr;
  KnownFacts facts_;
  base::Time began_;                                ///< this process
  std::optional<report::CalendarRecords> records_;  ///< empty: read again at the next use
  report::Counters counters_;
  report::RateBook rates_;
  report::ProgressLines lines_{report::ProgressLines::Every::tenth};
  bool logs_next_wake_ = true;  ///< after the start, and after each cycle
  bool logged_standing_ = false;
  using Logged = std::pair<std::string, std::string>;  ///< a problem's code and its sentence
  std::vector<Logged> logged_problems_;
  bool shows_progress_ = false;
  bool shows_verifying_ = false;
  bool reads_again_ = false;
  // Not in the catalogue, which cannot be written or read then.
  std::optional<report::LastCycleStatus> unrecorded_;  ///< the last cycle, if the catalogue does not know it
  RoomWait room_;                                      ///< of the start
  std::optional<core::Problem> unreadable_;            ///< the catalogue is
};

}  // namespace vtmirror::wiring
