#include "vtmirror/settings/restart.hpp"

#include "vtmirror/settings/keys.hpp"

#include <variant>

namespace vtmirror::settings {

std::vector<std::string> keys_needing_restart(Config running, Config read) {
  std::vector<std::string> changed;
  for (const auto& key : config_keys()) {
    const bool same = std::visit([&](auto place) { return place(running) == place(read); }, key.place);
    if (key.read == Read::at_start && !same) changed.push_back(key.path());
  }
  return changed;
}

}  // namespace vtmirror::settings
