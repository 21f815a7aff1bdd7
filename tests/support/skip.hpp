// What this machine cannot test: a case that cannot run here says so and is counted, instead of passing in silence.
// A program whose cases were all skipped ends with the status that ctest counts as skipped. Never hides a failure.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

namespace vtmirror::test {

/// Prints "skipped: REASON [name of the running case]", which `./dev test` repeats at its end. A case returns
/// with it, as in `return skip("only root can mount");`, or continues with the checks that it can do.
void skip(std::string_view reason);

/// The path of a program of this machine. Daemons count for every user: Debian keeps them outside a user's PATH.
inline std::optional<std::string> program(const std::string& name) {
  const char* path = std::getenv("PATH");
  const auto leaf = "/" + name;
  std::istringstream places((path == nullptr ? "" : path) + std::string(":/usr/sbin"));
  for (std::string place; std::getline(places, place, ':');) {
    const auto file = place + leaf;
    if (::access(file.c_str(), X_OK) == 0) return file;
  }
  return std::nullopt;
}

/// The reason to skip a case if the program that it needs is missing; empty if it is installed:
/// `if (const auto why = absent("groff", "groff")) return skip(*why);`
inline std::optional<std::string> absent(const std::string& name, const std::string& package) {
  if (program(name)) return std::nullopt;
  return "there is no " + name + " here (package " + package + ")";
}

}  // namespace vtmirror::test
