#include "fuzz/targets.hpp"
#include "vtmirror/settings/edit.hpp"
#include "vtmirror/settings/load.hpp"
#include "vtmirror/settings/show.hpp"

namespace vtmirror::fuzz {

void settings(std::string_view input) {
  const auto read = vtmirror::settings::read_config(input, "/home/somebody");
  for (const auto& mistake : read.mistakes) {
    demand(!mistake.what.empty(), "a mistake is described");
    demand(mistake.at.line >= 0 && mistake.at.column >= 0, "a mistake has a place, or none");
  }
  if (!read.mistakes.empty()) return;
  const auto shown = vtmirror::settings::show_config(read.config, read.given);
  demand(!shown.empty(), "settings can be shown");
  const auto edited = vtmirror::settings::with_value(input, "service", "base_url", "https://api.example/\"\\\n");
  if (!edited) return;
  const auto again = vtmirror::settings::read_config(*edited, "/home/somebody");
  demand(again.config.mirror.directory == read.config.mirror.directory, "a value that is set changes no other one");
}

}  // namespace vtmirror::fuzz
