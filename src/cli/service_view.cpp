#include "cli/service_view.hpp"

#include "vtmirror/settings/places.hpp"
#include "vtmirror/wiring/state_owner.hpp"

#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

namespace vtmirror::cli {
namespace {

/// Where an administrator changes the unit. Only the daemon's own environment knows what systemd makes of these.
constexpr const char* drop_ins[] = {"/etc/systemd/system/vtmirror.service.d", "/run/systemd/system/vtmirror.service.d"};

/// What the unit hides, and by which of its lines (systemd/vtmirror.service).
struct Hidden {
  std::string_view directory;
  std::string_view line;
};
constexpr std::array hidden{Hidden{"/root", "ProtectHome="}, Hidden{"/home", "ProtectHome="},
                            Hidden{"/run/user", "ProtectHome="}, Hidden{"/tmp", "PrivateTmp="},
                            Hidden{"/var/tmp", "PrivateTmp="}};

bool has_line(const std::filesystem::path& path, std::string_view begin, const std::string& part) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(begin) && line.find(part) != std::string::npos) return true;
  return false;
}

/// Null if it is in none.
const Hidden* hidden_of(const std::string& file) {
  std::error_code error;
  const auto place = std::filesystem::weakly_canonical(file, error);
  const auto path = (error ? std::filesystem::path(file).lexically_normal() : place).string() + '/';
  for (const auto& each : hidden)
    if (path.starts_with(std::string(each.directory) + '/')) return &each;
  return nullptr;
}

}  // namespace

bool drop_in_has(std::string_view begin, const std::string& part) {
  std::error_code error;
  for (const auto* directory : drop_ins)
    for (std::filesystem::directory_iterator each(directory, error), end; !error && each != end; each.increment(error))
      if (has_line(each->path(), begin, part)) return true;
  return false;
}

ServiceView service_view(const settings::Config& config, const std::string& settings_file) {
  auto user = wiring::user_of_state(config.mirror.state_directory);
  ServiceView view;
  if (!user || !*user) return view;
  view.user = std::move(*user);
  view.in_unit = settings_file == settings::system_settings_file && ::access("/run/systemd/system", F_OK) == 0;
  return view;
}

std::string fault_for_service(const ServiceView& view, const std::string& file, int mode) {
  if (!view.user) return {};
  const auto* found = view.in_unit ? hidden_of(file) : nullptr;
  if (found != nullptr && !drop_in_has(found->line) && !drop_in_has("Bind", std::string(found->directory)))
    return "the service does not see what is below " + std::string(found->directory);
  const auto error = host::access_error(*view.user, file, mode);
  if (!error || *error == 0) return {};
  return "user " + host::name_of(*view.user) + ", as whom the daemon runs, cannot " +
         (mode == X_OK ? "execute" : "read") + " it: " + std::generic_category().message(*error);
}

std::string copy_advice(const std::string& file) {
  return "copy it to where the daemon can read it, with `sudo install -m 644 " + file + " /etc/vtmirror/`, and name " +
         "the copy";
}

}  // namespace vtmirror::cli
