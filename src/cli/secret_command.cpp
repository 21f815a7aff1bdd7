#include "cli/commands.hpp"
#include "cli/say.hpp"
#include "cli/service_session.hpp"

#include "vtmirror/catalogue/catalogue.hpp"
#include "vtmirror/client/control_client.hpp"
#include "vtmirror/host/host.hpp"
#include "vtmirror/host/local_time.hpp"
#include "vtmirror/mirror/secrets.hpp"
#include "vtmirror/report/advice.hpp"
#include "vtmirror/report/secret_report.hpp"
#include "vtmirror/report/sentence.hpp"
#include "vtmirror/terminal/terminal.hpp"
#include "vtmirror/wiring/agent_settings.hpp"
#include "vtmirror/wiring/machine.hpp"

#include <sys/stat.h>
#include <unistd.h>
#include <boost/asio/awaitable.hpp>

#include <iostream>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

namespace vtmirror::cli {
namespace {

namespace asio = boost::asio;
using Outcome = std::optional<base::Result<void>>;

/// The texts of a refusal and of a stop already say what to do; network and settings errors get advice added.
ExitStatus fail_change(const base::Error& error) {
  using base::Errc;
  const bool refused = error.code == Errc::forbidden || error.code == Errc::http_status || error.code == Errc::protocol;
  const bool busy = error.code == Errc::locked;
  const bool stopped = error.code == Errc::cancelled;
  if (!refused && !busy && !stopped) return fail(error);
  say("vtmirror: ", busy ? "the client secret is " : "", error.detail, '\n');
  return failed;
}

asio::awaitable<void> rotate(agent::Rotation& rotation, Outcome& outcome) { outcome = co_await rotation.rotate(); }

asio::awaitable<void> set(agent::Rotation& rotation, base::Secret secret, Outcome& outcome) {
  outcome = co_await rotation.set(std::move(secret));
}

/// A running daemon must reload to use the new secret; one that is not running reads it at its start.
ExitStatus reload_daemon(const Arguments& arguments, const settings::Config& config,
                         const settings::Environment& environment) {
  const auto reloaded = client::ask(arguments.socket.value_or(config.control.socket), {"POST", "/v1/reload"});
  if (reloaded) {
    say("vtmirror: the daemon now uses the new secret\n");
    return done;
  }
  if (client::is_absent(reloaded.error())) return done;
  const auto reload = report::unit_command(unanswered(reloaded.error(), arguments, environment, false), "reload");
  say("vtmirror: the daemon did not reload its settings: ", reloaded.error().detail, '\n',
      "vtmirror: ", (reload.empty() ? "restart that daemon" : "run " + reload),
      "; the previous secret works until it expires\n");
  return failed;
}

ExitStatus end(const base::Result<void>& outcome, const Arguments& arguments, const settings::Config& config,
               const settings::Environment& environment) {
  if (!outcome) return fail_change(outcome.error());
  return reload_daemon(arguments, config, environment);
}

/// An unreadable old secret is no error here: there is none yet, or the new one replaces one that expired.
base::Result<agent::RotationSettings> settings_for_set(const settings::Config& config,
                                                       const settings::SecretFiles& files, ports::Secrets& kept) {
  const auto in_use = settings::secret_in_use(files, kept);
  wiring::Secrets secrets;
  if (in_use) secrets.client_secret.given = in_use->given;
  return wiring::rotation_settings(config, secrets);
}

}  // namespace

ExitStatus rotate_secret(const Arguments& arguments, const settings::Config& config,
                         const settings::Environment& environment) {
  wiring::forbid_core_dumps();
  ::umask(077);
  if (config.credentials.email.empty())
    return fail_change({base::Errc::config,
                        "credentials.email is not set: the request for a new secret must contain the e-mail address of "
                        "the registration; "
                        "set it in " +
                            arguments.config});
  const auto files = settings::read_secret_files(config, environment);
  if (const auto refused = become_owner(config)) return *refused;
  auto secrets = wiring::use_secrets(config, files);
  if (!secrets) return fail_change(secrets.error());
  auto session = ServiceSession::open(arguments, config, environment);
  if (!session) return fail_change(session.error());
  agent::Rotation rotation((*session)->asking(), (*session)->pool(), *secrets->kept,
                           wiring::rotation_settings(config, *secrets));
  Outcome outcome;
  (*session)->run(rotate(rotation, outcome));
  return status_after((*session)->signal(), end(*outcome, arguments, config, environment));
}

ExitStatus set_secret(const Arguments& arguments, const settings::Config& config,
                      const settings::Environment& environment) {
  wiring::forbid_core_dumps();
  ::umask(077);
  auto secret = terminal::typed_secret(STDIN_FILENO);
  if (!secret) {
    say("vtmirror: ", secret.error().detail, '\n');  // not an error in the settings: no advice
    return secret.error().code == base::Errc::cancelled ? interrupted : exit_status(secret.error().code);
  }
  const auto files = settings::read_secret_files(config, environment);
  if (const auto refused = become_owner(config)) return *refused;
  const auto kept = mirror::open_secrets(config.mirror.state_directory);
  auto settings = settings_for_set(config, files, *kept);
  if (!settings) return fail_change(settings.error());
  auto session = ServiceSession::open(arguments, config, environment);
  if (!session) return fail_change(session.error());
  agent::Rotation rotation((*session)->asking(), (*session)->pool(), *kept, std::move(*settings));
  Outcome outcome;
  (*session)->run(set(rotation, std::move(*secret), outcome));
  return status_after((*session)->signal(), end(*outcome, arguments, config, environment));
}

namespace {

/// Empty before the first cycle.
base::Result<std::optional<catalogue::Catalogue>> open_catalogue(const settings::Config& config) {
  if (catalogue::is_absent(config.mirror.catalogue)) return std::optional<catalogue::Catalogue>();
  auto opened = catalogue::Catalogue::open(config.mirror.catalogue, catalogue::Access::read_only);
  if (!opened) return opened.error();
  return std::optional<catalogue::Catalogue>(std::move(*opened));
}

/// `remembered` is null if there is no catalogue yet. Errors: catalogue, io.
base::Result<report::SecretReport> report_of(const settings::Config& config, const wiring::Secrets& secrets,
                                             const core::Zone& zone, base::Time now,
                                             const catalogue::Catalogue* remembered) {
  report::SecretReport report;
  report.path = secrets.client_secret.file.path;
  report.kept = secrets.client_secret.kept;
  report.why = secrets.client_secret.why;
  report.warn_days = config.credentials.warn_days;
  report.auto_rotate = config.credentials.auto_rotate;
  const auto& issue = secrets.client_secret.issue;
  if (issue) report.issued = issue->at;
  const auto unproved = secrets.kept->unproved();
  if (!unproved) return unproved.error();
  report.unproved = unproved->has_value();

  std::optional<catalogue::CredentialRecord> known;
  if (remembered != nullptr) {
    const auto prints = wiring::credential_settings(config, secrets);
    if (!prints) return prints.error();
    auto secret = remembered->credential(prints->secret_fingerprint);
    if (!secret) return secret.error();
    known = std::move(*secret);
    const auto key = remembered->credential(prints->key_fingerprint);
    if (!key) return key.error();
    if (*key && (*key)->refused_at) report.key_refusal = (*key)->refusal.detail;
    const auto used = remembered->last_key_use();
    if (!used) return used.error();
    report.key_used = *used;
  }
  if (known) {
    report.first_seen = known->first_seen;
    report.rotation = report::sentence(known->rotation_end);
    if (known->refused_at) report.refusal = known->refusal.detail;
  }
  if (!known && !issue && !config.credentials.secret_expires_on) return report;
  report.expiry =
      core::expiry_of({config.credentials.secret_expires_on, issue, known ? known->first_seen : base::Time()}, zone);
  report.days_left = base::days_between(zone.day_of(now), report.expiry->on);
  if (known)
    for (const auto& warning : known->warnings)
      if (warning.expires_on == report.expiry->on) report.warned.push_back(warning.days);
  return report;
}

}  // namespace

ExitStatus secret_status(const Arguments& arguments, const settings::Config& config,
                         const settings::Environment& environment) {
  wiring::forbid_core_dumps();
  const auto files = settings::read_secret_files(config, environment);
  // The first use makes the key of the fingerprints, in the state directory.
  if (const auto refused = become_owner(config)) return *refused;
  const auto secrets = wiring::use_secrets(config, files);
  if (!secrets) return fail(secrets.error());
  const auto zone = host::load_zone(config.schedule.time_zone);
  if (!zone) return fail(zone.error());
  const auto remembered = open_catalogue(config);
  if (!remembered) return fail(remembered.error());
  const auto* known = *remembered ? &**remembered : nullptr;
  const auto report = report_of(config, *secrets, **zone, host::machine_now(), known);
  if (!report) return fail(report.error());
  const auto width = terminal::table_width(STDOUT_FILENO);
  std::cout << (arguments.json ? report::report_json(*report) + '\n' : report::report_text(*report, width))
            << std::flush;
  return done;
}

}  // namespace vtmirror::cli
