// What the daemon sees of the files that the settings name, if it runs as another user than root, who sees all of them.
// Never changes anything.
#pragma once

#include "vtmirror/host/user.hpp"
#include "vtmirror/settings/config.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace vtmirror::cli {

struct ServiceView {
  std::optional<host::User> user;  ///< as whom the daemon works; empty if this process sees no more than the daemon
  bool in_unit = false;            ///< it is the package's service, whose unit hides some directories
};

/// Whether a drop-in of the unit has a line that begins with `begin` and contains `part`.
bool drop_in_has(std::string_view begin, const std::string& part = {});

/// `settings_file` is where `config` comes from, whose paths are resolved. If the user cannot be found out, nothing is
/// known. For root before any thread starts.
ServiceView service_view(const settings::Config& config, const std::string& settings_file);

/// Why the daemon cannot use the file, as the end of the sentence "FILE: ..."; empty if it can, or if this is not
/// known. `mode` as for access(2).
std::string fault_for_service(const ServiceView& view, const std::string& file, int mode);

/// What to do about a certificate file that the daemon cannot use.
std::string copy_advice(const std::string& file);

}  // namespace vtmirror::cli
