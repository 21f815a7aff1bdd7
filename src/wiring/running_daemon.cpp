#include "vtmirror/wiring/running_daemon.hpp"

#include "vtmirror/base/text.hpp"
#include "vtmirror/control/control.hpp"
#include "vtmirror/host/host.hpp"
#include "vtmirror/notify/orphans.hpp"
#include "vtmirror/report/sentence.hpp"
#include "vtmirror/wiring/agent_settings.hpp"
#include "vtmirror/wiring/channels.hpp"
#include "vtmirror/wiring/machine.hpp"
#include "wiring/daemon_answers.hpp"
#include "wiring/daemon_settings.hpp"
#include "wiring/full_disk.hpp"
#include "wiring/life_events.hpp"
#include "wiring/unqueued.hpp"
#include "wiring/unusable.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <exception>
#include <functional>
#include <optional>
#include <variant>

namespace vtmirror::wiring {
namespace {

namespace asio = boost::asio;

/// After its grace a hook has two seconds between SIGTERM and SIGKILL, and then what came of it is recorded.
constexpr base::Milliseconds time_to_end_hooks = std::chrono::seconds(10);

void rethrow(std::exception_ptr failure) {
  if (failure) std::rethrow_exception(failure);
}

/// The parts of `vtmirror run`, from the machine below to the socket above; they go in the reverse order.
class Running {
 public:
  Running(const RunOptions& options, const settings::Config& config, const settings::Environment& environment,
          Machine& machine)
      : options_(options),
        config_(config),
        environment_(environment),
        machine_(machine),
        journal_(daemon_journal(options, environment)),
        supervisor_(host::make_supervisor()),
        signals_(machine.loop(), SIGINT, SIGTERM, SIGHUP),
        children_(machine.loop()),
        hooks_over_(machine.loop()) {}

  base::Result<void> begin();
  void note_wait(const core::Problem& problem);
  base::Result<void> until_stopped();
  int signal() const { return signal_; }
  /// Nothing is wrong with what is at the catalogue's path now.
  bool lost_its_catalogue() const { return machine_.catalogue_replaced() || reader_->is_replaced(); }

 private:
  /// To each channel at once, without the outbox.
  void send(core::Notice notice);
  asio::awaitable<void> serve();
  asio::awaitable<void> see_hooks_out();
  asio::awaitable<void> watch_signals();
  asio::awaitable<void> reap();
  base::Result<void> reload();

  const RunOptions& options_;
  settings::Config config_;
  const settings::Environment& environment_;
  Machine& machine_;
  std::unique_ptr<ports::Journal> journal_;
  std::unique_ptr<ports::Supervisor> supervisor_;
  asio::signal_set signals_;
  asio::signal_set children_;  ///< whose ends are seen until the last hook has ended
  std::chrono::seconds hook_grace_{};
  bool delivering_ = false;
  bool over_ = false;
  asio::steady_timer hooks_over_;  ///< cancelled when the outbox has ended
  std::optional<catalogue::Catalogue> reader_;
  std::optional<DaemonAnswers> answers_;
  std::unique_ptr<Notifications> notifications_;
  std::optional<agent::Daemon> daemon_;
  std::optional<agent::ConsumerDesk> desk_;
  std::unique_ptr<control::Server> server_;
  base::Result<void> ended_;
  int signal_ = 0;
};

base::Result<void> Running::begin() {
  auto settings = daemon_settings(config_, environment_);
  if (!settings) return settings.error();
  auto reader = catalogue::Catalogue::open(config_.mirror.catalogue, catalogue::Access::read_only);
  if (!reader) return reader.error();
  reader_ = std::move(*reader);
  const auto parts = machine_.parts(*journal_);
  answers_.emplace(DaemonAnswers::Resources{.loop = machine_.loop(),
                                            .config = config_,
                                            .journal = *journal_,
                                            .supervisor = *supervisor_,
                                            .clock = parts.clock,
                                            .stop = machine_.stop(),
                                            .partials = parts.partials,
                                            .catalogue = *reader_,
                                            .reload = [this] { return reload(); },
                                            .damaged = [this] { machine_.stop().request(); },
                                            .cycle_ended = [this] { machine_.keep_reserve(); },
                                            .send = [this](core::Notice notice) { send(std::move(notice)); }});
  daemon_.emplace(machine_.parts(*answers_), std::move(*settings), *answers_);
  desk_.emplace(machine_.parts(*answers_), consumer_rules(config_));
  answers_->attach(*daemon_, *desk_);
  const auto grace = hook_grace(environment_);
  if (!grace) return grace.error();
  hook_grace_ = *grace;
  auto notifications = Notifications::open(machine_.loop(), machine_.parts(*answers_), config_, hook_grace_);
  if (!notifications) return notifications.error();
  notifications_ = std::move(*notifications);
  auto control = control_settings(config_);
  control.socket = options_.socket.value_or(control.socket);
  auto server = control::serve(machine_.loop(), machine_.stop(), control, *answers_);
  if (!server) return unusable_socket(server.error(), control.socket, address_setting(control));
  server_ = std::move(*server);
  answers_->attach(*server_);
  return {};
}

/// Before the catalogue could be opened, the start waited for room: one wait, which ends when the daemon has started.
void Running::note_wait(const core::Problem& problem) { answers_->room().note(problem); }

void Running::send(core::Notice notice) {
  asio::co_spawn(machine_.loop(), send_unqueued(notifications_->channels(config_), std::move(notice), *answers_),
                 rethrow);
}

base::Result<void> Running::until_stopped() {
  asio::co_spawn(machine_.loop(), host::keep_alive(*supervisor_, machine_.clock()), rethrow);
  asio::co_spawn(machine_.loop(), watch_signals(), rethrow);
  if (::getpid() == 1) {
    children_.add(SIGCHLD);
    asio::co_spawn(machine_.loop(), reap(), rethrow);
  }
  asio::co_spawn(machine_.loop(), serve(), rethrow);
  // Ready before recovery, answering in the state `starting`: rebuilding a catalogue means reading the whole mirror,
  // and systemd would not wait that long.
  supervisor_->ready();
  answers_->log(daemon_started(answers_->now()));
  answers_->log({ports::EventKind::settings_read, ports::Level::info, "settings read from " + options_.config});
  if (!config_.control.web.empty()) answers_->log(page_served(config_.control.web));
  if (!machine_.rescued().empty())
    answers_->log({ports::EventKind::recovered, ports::Level::error, machine_.rescued()});
  machine_.loop().run();
  if (signal_ != 0) {
    journal_->log(daemon_stopped(signal_));
    return ended_;  // what was found damaged is looked for by the next start
  }
  // Either connection may find the damage, while the other one continues with pages that it has cached.
  if (reader_->damage()) return *reader_->damage();
  if (machine_.damage()) return *machine_.damage();
  return ended_;
}

/// Nothing was tried but what a start does, which may be repeated: subscriptions and recovery. Once the daemon is past
/// it, a full disk does not end it.
asio::awaitable<void> Running::serve() {
  const std::function<void(const base::Error&)> refused = [this](const auto& error) { answers_->start_refused(error); };
  const std::function<asio::awaitable<base::Result<void>>()> subscribe = [this] {
    return notifications_->outbox().begin();
  };
  const std::function<asio::awaitable<base::Result<void>>()> pause = [this] { return answers_->room().pause(); };
  ended_ = co_await repeat_while_full(subscribe, refused, pause);
  if (ended_) {
    delivering_ = true;
    asio::co_spawn(machine_.loop(), notifications_->outbox().run(), [this](std::exception_ptr failure) {
      rethrow(failure);
      delivering_ = false;
      hooks_over_.cancel();
    });
    const std::function<asio::awaitable<base::Result<void>>()> run = [this] { return daemon_->run(); };
    ended_ = co_await repeat_while_full(run, refused, pause);
  }
  machine_.stop().request();
  signals_.cancel();
  co_await see_hooks_out();
  children_.cancel();
  over_ = true;
}

/// Everything else has ended, and a hook that runs may continue for its grace: systemd is asked to wait for that long.
asio::awaitable<void> Running::see_hooks_out() {
  if (!delivering_ || hook_grace_ == std::chrono::seconds::zero()) co_return;
  supervisor_->extend_stop(hook_grace_ + time_to_end_hooks);
  supervisor_->status("stopping: hooks that run may take " + base::human_duration(hook_grace_));
  const auto pause = supervisor_->watchdog().value_or(time_to_end_hooks) / 2;
  while (delivering_) {
    supervisor_->alive();
    hooks_over_.expires_after(pause);
    co_await hooks_over_.async_wait(asio::as_tuple(asio::use_awaitable));
  }
}

/// In a container without an init, this process inherits what hooks leave in the background.
asio::awaitable<void> Running::reap() {
  while (!over_) {
    boost::system::error_code error;
    auto token = asio::redirect_error(asio::use_awaitable, error);
    co_await children_.async_wait(std::move(token));
    if (!error) notify::reap_orphans();
  }
}

asio::awaitable<void> Running::watch_signals() {
  while (!machine_.stop().requested()) {
    boost::system::error_code error;
    auto token = asio::redirect_error(asio::use_awaitable, error);
    const int number = co_await signals_.async_wait(std::move(token));
    if (error) co_return;
    if (number == SIGHUP) {
      static_cast<void>(reload());
      continue;
    }
    signal_ = number;
    supervisor_->stopping();
    machine_.stop().request();
  }
}

base::Result<void> Running::reload() {
  supervisor_->reloading();
  auto read = read_again(options_, config_, environment_);
  const auto* refusal = std::get_if<core::Cause>(&read);
  ports::Event event{.kind = ports::EventKind::settings_read, .level = ports::Level::info};
  if (refusal == nullptr) {
    auto& settings = std::get<NewSettings>(read);
    config_ = std::move(settings.config);
    daemon_->use(std::move(settings.daemon));
    desk_->use(consumer_rules(config_));
    notifications_->use(config_);
    event.message = "the settings of " + options_.config + " were read again";
  } else {
    event.level = ports::Level::error;
    event.message = report::sentence({.code = core::ProblemCode::settings_refused, .cause = *refusal});
    daemon_->refuse(*refusal);
  }
  answers_->log(event);
  supervisor_->ready();
  if (refusal != nullptr) return base::Error{refusal->code.value_or(base::Errc::config), event.message};
  return {};
}

}  // namespace

namespace {

base::Result<int> run_once(const RunOptions& options, const settings::Config& config,
                           const settings::Environment& environment, StartPause& pause, bool& replaced) {
  auto machine = Machine::open(config, mirror::Holder::run);
  if (!machine) return machine.error();
  Running running(options, config, environment, **machine);
  if (auto begun = running.begin(); !begun) return begun.error();
  if (const auto& waited = pause.waited_for()) running.note_wait(*waited);
  const auto ended = running.until_stopped();
  replaced = running.signal() == 0 && running.lost_its_catalogue();
  if (!ended && ended.error().code != base::Errc::cancelled) return (*machine)->with_setting(ended.error());
  return running.signal();
}

}  // namespace

/// A full disk refuses only what comes before the socket answers; later, `serve` waits for room.
base::Result<int> run_daemon(const RunOptions& options, const settings::Config& config,
                             const settings::Environment& environment) {
  const auto journal = daemon_journal(options, environment);
  const auto supervisor = host::make_supervisor();
  StartPause pause(*journal, *supervisor,
                   [&config, &journal](core::Notice notice) { send_unqueued(config, std::move(notice), *journal); });
  for (;;) {
    bool replaced = false;
    auto ended = run_once(options, config, environment, pause, replaced);
    if (replaced) {
      journal->log({ports::EventKind::recovered, ports::Level::warning, ended.error().detail});
      continue;
    }
    if (ended || ended.error().code != base::Errc::no_space) return ended;
    if (const int signal = pause.wait(ended.error(), full_disk_pause); signal != 0) return signal;
  }
}

}  // namespace vtmirror::wiring
