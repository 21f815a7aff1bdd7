// vtmirror.toml as a `Config`, or every mistake in it at once, each with its line and column.
// Never stops at the first mistake, except at one of TOML's own syntax, behind which nothing can be read.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/settings/config.hpp"
#include "vtmirror/settings/environment.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::settings {

/// From 1; columns count characters. 0 where there is no place in the file to point at.
struct Position {
  int line = 0;
  int column = 0;
  friend auto operator<=>(const Position&, const Position&) = default;
};

struct Mistake {
  Position at{};
  std::string key;  ///< "service.base_url"; empty for a mistake of syntax
  std::string what;
};

/// "/etc/vtmirror/vtmirror.toml:3:1: service.base_ur: unknown key, did you mean base_url?"
std::string tell(const std::string& file, const Mistake& mistake);

struct ReadConfig {
  Config config;
  std::vector<Mistake> mistakes;  ///< in the file's order; the configuration may be used only when there is none
  std::map<std::string, Position> given{};  ///< "service.base_url", ...: the keys that the file sets, and where
};

ReadConfig read_config(std::string_view toml);

/// Reads the file. A file that cannot be read is an error (config), its mistakes are not.
base::Result<ReadConfig> load_config(const std::string& file);

/// Fills in the paths that the file leaves open, from the environment and from each other.
void resolve_paths(Config& config, const Environment& environment);

}  // namespace vtmirror::settings
