#include "cli/init_questions.hpp"

#include "vtmirror/base/url.hpp"
#include "vtmirror/settings/edit.hpp"
#include "vtmirror/settings/load.hpp"

namespace vtmirror::cli {
namespace {

/// Plain http is for a service on this machine, as the bundled one.
bool is_plain_loopback(const std::string& value) {
  const auto url = base::parse_url(value);
  return url && !url->tls && base::is_loopback(url->host);
}

}  // namespace

base::Result<std::string> with_answer(std::string_view toml, std::string_view table, std::string_view key,
                                      const std::string& value) {
  auto changed = settings::with_value(toml, table, key, value);
  if (changed && is_plain_loopback(value)) changed = settings::with_flag(*changed, "service", "allow_http", true);
  return changed;
}

std::string mistake_of(const std::string& toml, const std::string& key) {
  for (const auto& mistake : settings::read_config(toml).mistakes)
    if (mistake.key == key) return mistake.what;
  return {};
}

}  // namespace vtmirror::cli
