#include "cli/daemon_command.hpp"

#include "cli/advice.hpp"
#include "cli/catalogue_rescue.hpp"
#include "cli/channels.hpp"
#include "cli/core_dumps.hpp"
#include "cli/daemon_answers.hpp"
#include "cli/daemon_reload.hpp"
#include "cli/local_time.hpp"
#include "cli/machine.hpp"
#include "cli/stderr_journal.hpp"
#include "vtmirror/catalogue/rescue.hpp"
#include "vtmirror/control/control.hpp"
#include "vtmirror/host/journald.hpp"
#include "vtmirror/host/supervisor.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <sys/stat.h>

#include <csignal>
#include <exception>
#include <iostream>
#include <optional>

namespace vtmirror::cli {
namespace {

namespace asio = boost::asio;

std::unique_ptr<ports::Journal> daemon_journal(const Arguments& arguments, const Environment& environment) {
  const auto least = arguments.log_level.value_or(ports::Level::info);
  if (host::stderr_is_the_journal()) return host::make_journald_journal(least);
  return stderr_journal(least, arguments, environment);
}

/// Of no use until somebody changes something; `io` would be taken for a fault of the mirror's disk.
base::Error unusable_socket(const base::Error& error, const std::string& socket) {
  const bool of_its_path = error.detail.starts_with(socket);
  if (!of_its_path && error.code != base::Errc::io && error.code != base::Errc::locked) return error;
  const std::string key = of_its_path ? "control.socket" : "control.metrics";
  const std::string what_to_do =
      error.code == base::Errc::locked
          ? "stop that process, or set another " + key
          : (of_its_path ? "its directory must be there, and this process's user must be able to write to it; " : "") +
                std::string("set another ") + key;
  return {base::Errc::config, key + " cannot be used: " + error.detail + "\n" + what_to_do};
}

void rethrow(std::exception_ptr failure) {
  if (failure) std::rethrow_exception(failure);
}

/// The parts of `vtmirror run`, from the machine below to the socket above; they go in the reverse order.
class Running {
 public:
  Running(const Arguments& arguments, const Config& config, const Environment& environment, Machine& machine)
      : arguments_(arguments),
        config_(config),
        environment_(environment),
        machine_(machine),
        journal_(daemon_journal(arguments, environment)),
        supervisor_(host::make_supervisor()),
        signals_(machine.loop(), SIGINT, SIGTERM, SIGHUP) {}

  base::Result<void> begin();
  base::Result<void> until_stopped();

 private:
  asio::awaitable<void> serve();
  asio::awaitable<void> watch_signals();
  base::Result<void> reload();

  const Arguments& arguments_;
  Config config_;
  const Environment& environment_;
  Machine& machine_;
  std::unique_ptr<ports::Journal> journal_;
  std::unique_ptr<ports::Supervisor> supervisor_;
  asio::signal_set signals_;
  std::optional<catalogue::Catalogue> reader_;
  std::optional<DaemonAnswers> answers_;
  std::unique_ptr<Telling> telling_;
  std::optional<agent::Daemon> daemon_;
  std::unique_ptr<control::Server> server_;
  base::Result<void> ended_;
};

base::Result<void> Running::begin() {
  auto settings = daemon_settings(config_, environment_);
  if (!settings) return settings.error();
  auto reader = catalogue::Catalogue::open(config_.mirror.catalogue, catalogue::Access::read_only);
  if (!reader) return reader.error();
  reader_ = std::move(*reader);
  const auto parts = machine_.parts(*journal_);
  answers_.emplace(DaemonAnswers::Parts{.loop = machine_.loop(),
                                        .config = config_,
                                        .journal = *journal_,
                                        .supervisor = *supervisor_,
                                        .clock = parts.clock,
                                        .partials = parts.partials,
                                        .catalogue = *reader_,
                                        .reload = [this] { return reload(); },
                                        .damaged = [this] { machine_.stop().request(); }});
  daemon_.emplace(machine_.parts(*answers_), std::move(*settings), *answers_);
  answers_->attach(*daemon_);
  auto telling = Telling::open(machine_.loop(), machine_.parts(*answers_), config_);
  if (!telling) return telling.error();
  telling_ = std::move(*telling);
  const control::ControlSettings control{.socket = arguments_.socket.value_or(config_.control.socket),
                                         .group = config_.control.group,
                                         .metrics = config_.control.metrics};
  auto server = control::serve(machine_.loop(), machine_.stop(), control, *answers_);
  if (!server) return unusable_socket(server.error(), control.socket);
  server_ = std::move(*server);
  answers_->attach(*server_);
  return {};
}

base::Result<void> Running::until_stopped() {
  asio::co_spawn(machine_.loop(), host::keep_alive(*supervisor_, machine_.clock()), rethrow);
  asio::co_spawn(machine_.loop(), watch_signals(), rethrow);
  asio::co_spawn(machine_.loop(), serve(), rethrow);
  // It can answer from here on, in the state `starting`, before whatever the last process left behind is brought in
  // order: a catalogue that is made anew takes as long as reading the mirror does, and systemd would not wait for that.
  supervisor_->ready();
  answers_->tell(
      {ports::EventKind::settings_read, ports::Level::info, "the settings of " + arguments_.config + " are read"});
  if (!machine_.rescued().empty())
    answers_->tell({ports::EventKind::recovered, ports::Level::error, machine_.rescued()});
  machine_.loop().run();
  // Either connection may find it: the other one goes on with the pages that it has read before.
  if (reader_->damage()) return *reader_->damage();
  if (machine_.damage()) return *machine_.damage();
  return ended_;
}

asio::awaitable<void> Running::serve() {
  ended_ = co_await telling_->outbox().begin();
  if (ended_) {
    asio::co_spawn(machine_.loop(), telling_->outbox().run(), rethrow);
    ended_ = co_await daemon_->run();
  }
  machine_.stop().request();
  signals_.cancel();
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
    supervisor_->stopping();
    machine_.stop().request();
  }
}

base::Result<void> Running::reload() {
  supervisor_->reloading();
  auto config = read_again(arguments_, config_, environment_);
  auto settings = config ? daemon_settings(*config, environment_) : base::Result<agent::DaemonSettings>(config.error());
  ports::Event event{.kind = ports::EventKind::settings_read, .level = ports::Level::info};
  if (settings) {
    config_ = std::move(*config);
    daemon_->take(std::move(*settings));
    telling_->take(config_);
    event.message = "the settings of " + arguments_.config + " are read again";
  } else {
    event.level = ports::Level::error;
    event.message = "the new settings are refused, the old ones stay: " + settings.error().detail;
  }
  answers_->tell(event);
  supervisor_->ready();
  if (!settings) return settings.error();
  return {};
}

base::Result<void> run_once(const Arguments& arguments, const Config& config, const Environment& environment) {
  auto machine = Machine::open(config, "vtmirror run");
  if (!machine) return machine.error();
  Running running(arguments, config, environment, **machine);
  if (auto begun = running.begin(); !begun) return begun;
  return running.until_stopped();
}

base::Result<void> rescue(const Config& config) { return move_catalogue_aside(config.mirror.catalogue, machine_now()); }

}  // namespace

ExitStatus run_daemon(const Arguments& arguments, const Config& config, const Environment& environment) {
  forbid_core_dumps();
  ::umask(022);
  auto ended = run_once(arguments, config, environment);
  // Damage that shows at work is met once in place; what comes back at once is the disk's.
  if (!ended && catalogue::is_damage(ended.error())) {
    std::cerr << tell(ended.error());
    ended = rescue(config);
    if (ended) ended = run_once(arguments, config, environment);
  }
  if (!ended && ended.error().code != base::Errc::cancelled) return fail(ended.error());
  return done;
}

}  // namespace vtmirror::cli
