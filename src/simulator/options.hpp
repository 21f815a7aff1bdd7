// The command line of vtmirror-simulator.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/base/time.hpp"

#include <chrono>
#include <optional>
#include <span>
#include <string>

namespace vtmirror::simulator {

struct Options {
  std::string state;  ///< empty: a temporary directory, removed at the end
  base::Date date{std::chrono::year(2026), std::chrono::month(11), std::chrono::day(18)};
  std::string script;        ///< empty: none
  std::string write_config;  ///< empty: none
  bool plain = false;
  bool help = false;
  std::optional<std::chrono::seconds> for_seconds{};
};

/// Errors: config.
base::Result<Options> read_options(std::span<char*> arguments);

extern const char* const usage;

}  // namespace vtmirror::simulator
