// What would keep `vtmirror run` from starting with these settings, as far as this machine shows it without a network.
// Never changes anything, and waits for nothing.
#pragma once

#include "vtmirror/settings/config.hpp"
#include "vtmirror/settings/load.hpp"

#include <functional>
#include <string>
#include <vector>

namespace vtmirror::wiring {

/// Whether a process may do with the path what `mode` says, as for access(2): 0, or an errno.
using Access = std::function<int(const std::string& path, int mode)>;
/// Of this process.
int own_access(const std::string& path, int mode);

struct Obstacle {
  std::string key;           ///< of the setting; empty for a variable of the environment, which `what` names
  std::string what;          ///< the end of the sentence "KEY: ..."
  bool is_of_right = false;  ///< the user may not, whom `access` is about; another one perhaps may
  bool is_missing = false;   ///< the path does not exist yet, and that user may not make it
};

/// State directory, catalogue and mirror. What lies in a place that is named is not named too. Paths must be resolved;
/// those that are not absolute are left out.
std::vector<Obstacle> obstacles_of_mirror(const settings::Config& config, const Access& access = own_access);

/// The socket's path and the addresses. What a start makes before the socket is no obstacle, and neither is a socket or
/// an address that another process has.
std::vector<Obstacle> obstacles_of_control(const settings::Config& config, const Access& access = own_access);

/// The variables that are read where no setting takes their place.
std::vector<Obstacle> obstacles_of_environment(const settings::Config& config,
                                               const settings::Environment& environment);

}  // namespace vtmirror::wiring
