#include "vtmirror/terminal/live_block.hpp"

#include "vtmirror/base/text.hpp"

#include <string>
#include <string_view>

namespace vtmirror::terminal {
namespace {

/// The first of the variables that is not empty counts, as in setlocale(3).
bool is_utf8(const settings::Environment& environment) {
  for (const auto* variable : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const auto locale = environment(variable).value_or("");
    if (locale.empty()) continue;
    const auto dot = locale.find('.');
    const auto charset = dot == std::string::npos ? std::string() : locale.substr(dot + 1, locale.find('@') - dot - 1);
    return base::iequals(charset, "UTF-8") || base::iequals(charset, "utf8");
  }
  return false;
}

/// Terminals that show OSC 9;4. Others may show it as a notification, and one that runs in tmux or screen is not asked.
bool shows_progress(const settings::Environment& environment) {
  const auto value = [&environment](const char* name) { return environment(name).value_or(""); };
  if (!value("TMUX").empty() || !value("STY").empty()) return false;
  const auto program = value("TERM_PROGRAM");
  const auto vte = base::parse_int(value("VTE_VERSION"));
  constexpr std::int64_t first_vte = 7900;
  // "P" among the features that iTerm2 lists: https://iterm2.com/feature-reporting/
  return value("ConEmuANSI") == "ON" || !value("WT_SESSION").empty() || program == "ghostty" || program == "WezTerm" ||
         (program == "iTerm.app" && value("TERM_FEATURES").find('P') != std::string::npos) ||
         (vte && *vte >= first_vte);
}

}  // namespace

BlockLook block_look(const settings::Environment& environment) {
  return {.utf8 = is_utf8(environment), .progress = shows_progress(environment)};
}

}  // namespace vtmirror::terminal
