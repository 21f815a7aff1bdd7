#include "cli/secret_status.hpp"

#include "vtmirror/catalogue/catalogue.hpp"
#include "vtmirror/host/zone.hpp"
#include "vtmirror/report/advice.hpp"
#include "vtmirror/report/secret_report.hpp"
#include "vtmirror/terminal/local_time.hpp"
#include "vtmirror/wiring/core_dumps.hpp"
#include "vtmirror/wiring/secrets.hpp"

#include <filesystem>
#include <iostream>
#include <system_error>

namespace vtmirror::cli {
namespace {

/// Empty before the first cycle.
base::Result<std::optional<catalogue::Catalogue>> open_catalogue(const settings::Config& config) {
  std::error_code error;
  if (!std::filesystem::exists(config.mirror.catalogue, error)) return std::optional<catalogue::Catalogue>();
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
    if (*key && (*key)->refused_at) report.key_refusal = (*key)->refusal;
    const auto used = remembered->last_key_use();
    if (!used) return used.error();
    report.key_used = *used;
  }
  if (known) {
    report.first_seen = known->first_seen;
    report.rotation = known->rotation_end;
    if (known->refused_at) report.refusal = known->refusal;
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
  const auto secrets = wiring::read_secrets(config, environment);
  if (!secrets) return fail(secrets.error());
  const auto zone = host::load_zone(config.schedule.time_zone);
  if (!zone) return fail(zone.error());
  const auto remembered = open_catalogue(config);
  if (!remembered) return fail(remembered.error());
  const auto* known = *remembered ? &**remembered : nullptr;
  const auto report = report_of(config, *secrets, **zone, terminal::machine_now(), known);
  if (!report) return fail(report.error());
  std::cout << (arguments.json ? report::report_json(*report) + '\n' : report::report_text(*report)) << std::flush;
  return done;
}

}  // namespace vtmirror::cli
