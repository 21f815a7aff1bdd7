#include "vtmirror/settings/load.hpp"

#include "settings/values.hpp"
#include "vtmirror/base/descriptor.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/core/shortage.hpp"
#include "vtmirror/settings/keys.hpp"
#include "vtmirror/settings/places.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <variant>

namespace vtmirror::settings {
namespace {

constexpr std::string_view hook_table = "hook";

Position position(const toml::source_region& region) {
  return {static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
}

std::string dotted(std::string_view table, std::string_view name) {
  return std::string(table) + '.' + std::string(name);
}

std::string did_you_mean(std::string_view what, std::string_view nearest) {
  std::string text(what);
  if (!nearest.empty()) text += ", did you mean " + std::string(nearest) + '?';
  return text;
}

/// Walks the tree once, and collects the values and the mistakes.
class Reader {
 public:
  explicit Reader(std::string home) : home_(std::move(home)) {}

  ReadConfig read(const toml::table& root) {
    for (auto&& [key, node] : root) read_top(key, node);
    for (const auto& key : config_keys()) {
      // A value that could not be parsed is reported once, so it is not checked as well.
      if (!wrong_.contains(dotted(key.table, key.name)))
        check(key, read_.config, place_of(read_, dotted(key.table, key.name)));
    }
    std::stable_sort(read_.mistakes.begin(), read_.mistakes.end(),
                     [](const Mistake& a, const Mistake& b) { return a.at < b.at; });
    return std::move(read_);
  }

 private:
  void read_top(const toml::key& key, const toml::node& node) {
    const auto tables = config_tables();
    if (std::find(tables.begin(), tables.end(), key.str()) == tables.end()) return unknown_table(key, node);
    read_.tables[std::string(key.str())] = position(node.source());
    if (key.str() == hook_table) return read_hooks(node);
    if (const auto* table = node.as_table()) return read_table(config_keys(), key.str(), *table, read_.config);
    complain(position(key.source()), std::string(key.str()), "must be a table: [" + std::string(key.str()) + "]");
  }

  void read_hooks(const toml::node& node) {
    const auto* hooks = node.as_array();
    const bool only_tables = hooks != nullptr && std::all_of(hooks->begin(), hooks->end(),
                                                             [](const toml::node& hook) { return hook.is_table(); });
    if (!only_tables) return complain(position(node.source()), "hook", "must be a list of tables: [[hook]]");
    for (const auto& entry : *hooks) {
      Hook hook;
      hook_ = read_.config.hooks.size();
      // What is wrong in one hook says nothing about the others.
      for (const auto& key : hook_keys()) wrong_.erase(dotted(key.table, key.name));
      read_table(hook_keys(), hook_table, *entry.as_table(), hook);
      if (!hook.command.empty()) hook.command.front() = below_home(std::move(hook.command.front()), home_);
      check_hook(*entry.as_table(), hook);
      const auto* command = entry.as_table()->get("command");
      read_.hook_commands.push_back(position(command != nullptr ? command->source() : entry.source()));
      read_.config.hooks.push_back(std::move(hook));
    }
    hook_ = {};
  }

  void check_hook(const toml::table& table, const Hook& hook) {
    for (const auto& key : hook_keys()) {
      const auto* node = table.get(key.name);
      if (!wrong_.contains(dotted(key.table, key.name)))
        check(key, hook, position(node != nullptr ? node->source() : table.source()));
    }
  }

  template <class Owner>
  void read_table(std::span<const Key<Owner>> keys, std::string_view name, const toml::table& table, Owner& owner) {
    for (auto&& [key, node] : table) {
      const auto known = std::find_if(keys.begin(), keys.end(), [&key = key, name](const Key<Owner>& candidate) {
        return candidate.table == name && candidate.name == key.str();
      });
      if (known == keys.end()) {
        unknown_key(keys, name, key);
      } else {
        read_value(*known, node, owner);
      }
    }
  }

  template <class Owner>
  void read_value(const Key<Owner>& key, const toml::node& node, Owner& owner) {
    const auto path = dotted(key.table, key.name);
    bool is_partly_right = false;
    const auto read = [&](auto place) {
      auto& value = place(owner);
      const auto before = value;
      auto wrong = parse_value(node, value);
      is_partly_right = !wrong.empty() && !(value == before);
      return wrong;
    };
    const auto what = std::visit(read, key.place);
    if (const auto* at = std::get_if<PathOf<Owner>>(&key.place)) (*at)(owner) = below_home((*at)(owner), home_);
    const auto text = node.value<std::string>();
    if (key.table != hook_table) read_.given[path] = position(node.source());
    if (key.table != hook_table && text && base::trim(*text).empty()) read_.blank.insert(path);
    if (what.empty()) return;
    complain(position(node.source()), path, what);
    if (!is_partly_right) wrong_.insert(path);
  }

  template <class Owner>
  void check(const Key<Owner>& key, const Owner& owner, Position at) {
    if (key.mistake == nullptr) return;
    if (auto what = key.mistake(owner); !what.empty()) complain(at, dotted(key.table, key.name), std::move(what));
  }

  template <class Owner>
  void unknown_key(std::span<const Key<Owner>> keys, std::string_view table, const toml::key& key) {
    std::vector<std::string_view> names;
    for (const auto& candidate : keys) {
      if (candidate.table == table) names.push_back(candidate.name);
    }
    std::string nearest(base::nearest(key.str(), names));
    if (nearest.empty()) nearest = home_of(key.str());
    complain(position(key.source()), dotted(table, key.str()), did_you_mean("unknown key", nearest));
  }

  void unknown_table(const toml::key& key, const toml::node& node) {
    const bool is_table = node.is_table() || node.is_array_of_tables();
    std::string nearest(is_table ? base::nearest(key.str(), config_tables()) : std::string_view());
    if (nearest.empty()) nearest = home_of(key.str());
    complain(position(is_table ? node.source() : key.source()), std::string(key.str()),
             did_you_mean(is_table ? "unknown table" : "unknown key", nearest));
  }

  /// The key with that name, in any table.
  static std::string home_of(std::string_view name) {
    for (const auto& key : config_keys()) {
      if (key.name == name) return dotted(key.table, key.name);
    }
    return {};
  }

  void complain(Position at, std::string key, std::string what) {
    read_.mistakes.push_back(Mistake{at, base::printable(key), std::move(what), hook_});
  }

  std::string home_;
  ReadConfig read_;
  std::set<std::string> wrong_;
  std::optional<std::size_t> hook_;  ///< which one is read
};

std::string or_default(const std::string& setting, const std::string& fallback) {
  return setting.empty() ? fallback : setting;
}

void drop_trailing_slashes(std::string& text) {
  while (text.size() > 1 && text.ends_with('/')) text.pop_back();
}

}  // namespace

std::string mistake_line(const std::string& file, const Mistake& mistake) {
  std::string text = file;
  if (mistake.at.line > 0) text += ':' + std::to_string(mistake.at.line) + ':' + std::to_string(mistake.at.column);
  text += ": ";
  if (!mistake.key.empty()) text += mistake.key + ": ";
  return text + mistake.what;
}

Position place_of(const ReadConfig& read, std::string_view key) {
  if (const auto at = read.given.find(std::string(key)); at != read.given.end()) return at->second;
  const auto at = read.tables.find(key.substr(0, key.find('.')));
  return at == read.tables.end() ? Position{1, 1} : at->second;
}

ReadConfig read_config(std::string_view toml, const std::string& home) {
  try {
    return Reader(home).read(toml::parse(toml));
  } catch (const toml::parse_error& error) {
    ReadConfig read;
    read.mistakes.push_back(Mistake{position(error.source()), "", base::printable(error.description())});
    return read;
  }
}

base::Result<ReadConfig> load_config(const std::string& file, const Environment& environment) {
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  // An empty file sets the fail bit of `text` too, and is valid, so only errno shows a failure.
  if (in.is_open()) text << in.rdbuf();
  if (!in.is_open() || errno != 0) {
    const int number = errno;
    return base::Error{.code = base::may_pass(number) ? base::Errc::io : base::Errc::config,
                       .detail = file + ": cannot be read: " + std::strerror(number),
                       .diagnosis = core::lack_of_files(number)};
  }
  auto read = read_config(text.view(), home_directory(environment));
  if (is_own(file)) use_own_places(read, environment);
  return read;
}

void resolve_paths(Config& config, const Environment& environment) {
  auto& mirror = config.mirror;
  const auto state = given_state_directory(environment);
  mirror.state_directory = or_default(mirror.state_directory, or_default(state, default_state_directory));
  drop_trailing_slashes(mirror.state_directory);
  mirror.directory = or_default(mirror.directory, mirror.state_directory + "/mirror");
  drop_trailing_slashes(mirror.directory);
  mirror.catalogue = or_default(mirror.catalogue, mirror.state_directory + "/catalogue.db");
  drop_trailing_slashes(config.service.base_url);
}

Environment process_environment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return std::string(value);
  };
}

}  // namespace vtmirror::settings
