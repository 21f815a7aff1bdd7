#include "vtmirror/settings/show.hpp"

#include "settings/keys.hpp"
#include "settings/spell.hpp"
#include "vtmirror/base/url.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <variant>

namespace vtmirror::settings {
namespace {

constexpr std::size_t comment_column = 58;
constexpr std::array<std::string_view, 3> masked_keys{"service.proxy", "notify.webhook", "notify.heartbeat"};

void mask(Config& config) {
  config.service.proxy = masked(config.service.proxy);
  config.notify.webhook = masked(config.notify.webhook);
  config.notify.heartbeat = masked(config.notify.heartbeat);
}

template <class Owner>
std::string line(const Key<Owner>& key, Owner& owner) {
  return std::string(key.name) + " = " + std::visit([&](auto place) { return spell(place(owner)); }, key.place);
}

void comment(std::string& line, std::string_view text) {
  if (line.size() < comment_column) line.resize(comment_column, ' ');
  line += "  # " + std::string(text);
}

std::string key_line(const Key<Config>& key, Config& config, const std::map<std::string, Position>& given) {
  auto text = line(key, config);
  const auto path = std::string(key.table) + '.' + std::string(key.name);
  const bool is_masked = text.find("***") != std::string::npos &&
                         std::find(masked_keys.begin(), masked_keys.end(), path) != masked_keys.end();
  if (!given.contains(path)) comment(text, "default");
  if (is_masked) comment(text, "masked");
  return text + '\n';
}

}  // namespace

std::string masked(const std::string& url) {
  if (url.empty()) return {};
  const auto address = base::parse_url(url);
  if (!address) return "***";
  const bool has_more = address->target != "/" || address->has_fragment;
  if (!address->user && !has_more) return url;
  return std::string(address->scheme()) + "://" + (address->user ? "***@" : "") + address->authority() +
         (has_more ? "/***" : "");
}

std::string show_config(Config config, const std::map<std::string, Position>& given) {
  mask(config);
  std::string text;
  std::string_view table;
  for (const auto& key : config_keys()) {
    if (key.table != table) {
      table = key.table;
      text += (text.empty() ? "[" : "\n[") + std::string(table) + "]\n";
    }
    text += key_line(key, config, given);
  }
  for (auto& hook : config.hooks) {
    text += "\n[[hook]]\n";
    for (const auto& key : hook_keys()) text += line(key, hook) + '\n';
  }
  return text;
}

}  // namespace vtmirror::settings
