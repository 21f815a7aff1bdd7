#include "cli/secret_status.hpp"

#include "cli/advice.hpp"
#include "cli/core_dumps.hpp"
#include "cli/local_time.hpp"
#include "cli/secret_report.hpp"
#include "vtmirror/host/zone.hpp"

#include <filesystem>
#include <iostream>
#include <system_error>

namespace vtmirror::cli {
namespace {

/// Empty before the first cycle.
base::Result<std::optional<catalogue::Catalogue>> open_catalogue(const Config& config) {
  std::error_code error;
  if (!std::filesystem::exists(config.mirror.catalogue, error)) return std::optional<catalogue::Catalogue>();
  auto opened = catalogue::Catalogue::open(config.mirror.catalogue, catalogue::Access::read_only);
  if (!opened) return opened.error();
  return std::optional<catalogue::Catalogue>(std::move(*opened));
}

}  // namespace

ExitStatus secret_status(const Arguments& arguments, const Config& config, const Environment& environment) {
  forbid_core_dumps();
  const auto secrets = read_secrets(config, environment);
  if (!secrets) return fail(secrets.error());
  const auto zone = host::load_zone(config.schedule.time_zone);
  if (!zone) return fail(zone.error());
  const auto remembered = open_catalogue(config);
  if (!remembered) return fail(remembered.error());
  const auto* known = *remembered ? &**remembered : nullptr;
  const auto report = report_of(config, *secrets, **zone, machine_now(), known);
  if (!report) return fail(report.error());
  std::cout << (arguments.json ? report_json(*report) + '\n' : report_text(*report)) << std::flush;
  return done;
}

}  // namespace vtmirror::cli
