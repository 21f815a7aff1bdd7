#include "vtmirror/settings/show.hpp"

#include "vtmirror/base/url.hpp"
#include "vtmirror/settings/keys.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

namespace vtmirror::settings {
namespace {

constexpr std::size_t comment_column = 58;

/// An address and a command can be shown in part.
std::string spell_masked(const std::string& url) { return spell(masked(url)); }
std::string spell_masked(Texts command) {
  for (auto& argument : std::span(command).subspan(command.empty() ? 0 : 1)) argument = "***";
  return spell(command);
}
template <class Value>
std::string spell_masked(const Value&) {
  return spell(std::string("***"));
}

template <class Owner>
std::string line(const Key<Owner>& key, Owner& owner) {
  const bool is_masked = key.shown == Shown::masked;
  const auto value = [&](auto place) { return is_masked ? spell_masked(place(owner)) : spell(place(owner)); };
  return std::string(key.name) + " = " + std::visit(value, key.place);
}

void comment(std::string& line, std::string_view text) {
  if (line.size() < comment_column) line.resize(comment_column, ' ');
  line += "  # " + std::string(text);
}

template <class Owner>
std::string key_line(const Key<Owner>& key, Owner& owner, bool is_given, const std::vector<Mistake>& mistakes,
                     std::optional<std::size_t> hook = {}) {
  const auto is_of_key = [&](const Mistake& each) {
    return each.hook == hook && (each.key == key.path() || each.key == key.table);
  };
  if (std::ranges::any_of(mistakes, is_of_key)) return "# " + std::string(key.name) + " has a mistake\n";
  auto text = line(key, owner);
  const bool is_masked = key.shown == Shown::masked && text.find("***") != std::string::npos;
  if (!is_given) comment(text, "default");
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

std::string show_config(Config config, const std::map<std::string, Position>& given,
                        const std::vector<Mistake>& mistakes) {
  std::string text;
  std::string_view table;
  for (const auto& key : config_keys()) {
    if (key.table != table) {
      table = key.table;
      text += (text.empty() ? "[" : "\n[") + std::string(table) + "]\n";
    }
    text += key_line(key, config, given.contains(key.path()), mistakes);
  }
  for (std::size_t i = 0; i < config.hooks.size(); ++i) {
    text += "\n[[hook]]\n";
    for (const auto& key : hook_keys()) text += key_line(key, config.hooks[i], true, mistakes, i);
  }
  return text;
}

}  // namespace vtmirror::settings
