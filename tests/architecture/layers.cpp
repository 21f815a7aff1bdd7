#include "architecture/layers.hpp"

#include "architecture/includes.hpp"
#include "architecture/tokens.hpp"

#include <algorithm>

namespace vtmirror::architecture {
namespace {

using Names = std::vector<std::string>;

/// Headers that the build writes, with a room that includes each.
struct Generated {
  std::string header;
  std::string room;
};
const std::vector<Generated> generated{{"version.hpp", "wiring"}, {"version.hpp", "cli"}};

bool holds(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

const Room* find_room(std::string_view name) {
  const auto& all = rooms();
  const auto at = std::find_if(all.begin(), all.end(), [&](const Room& room) { return room.name == name; });
  return at == all.end() ? nullptr : &*at;
}

/// Why `room` may not include this path in quotes; empty when it may.
std::string objection(const Room& room, const std::string& path, bool in_tests) {
  const auto first = path.substr(0, path.find('/'));
  if (first == "vtmirror") {
    const auto other = path.substr(9, path.find('/', 9) - 9);
    if (other == room.name || holds(room.uses, other)) return "";
    return room.name + " may not use " + other + " (" + path + ")";
  }
  if (first == path) {
    const bool known = std::any_of(generated.begin(), generated.end(), [&](const Generated& each) {
      return each.header == path && each.room == room.name;
    });
    return known ? "" : "an #include in quotes begins with its room (" + path + ")";
  }
  if (first == room.name || (in_tests && first == "support")) return "";
  return "a header of src/" + first + " is private to its room (" + path + ")";
}

/// The library that an #include in angle brackets belongs to: the longest beginning decides.
const Library* library_of_include(const std::string& path) {
  const Library* best = nullptr;
  std::size_t longest = 0;
  for (const auto& library : libraries()) {
    for (const auto& beginning : library.includes) {
      if (!path.starts_with(beginning) || beginning.size() <= longest) continue;
      best = &library;
      longest = beginning.size();
    }
  }
  return best;
}

/// The words of a library, split once: the star stands behind the last one.
struct Pattern {
  const Library* library = nullptr;
  std::vector<Token> words;
  bool prefix = false;
};

const std::vector<Pattern>& patterns() {
  static const auto all = [] {
    std::vector<Pattern> made;
    for (const auto& library : libraries()) {
      for (const auto& word : library.words) {
        const bool prefix = word.ends_with('*');
        made.push_back({&library, tokens(word.substr(0, word.size() - (prefix ? 1 : 0))), prefix});
      }
    }
    return made;
  }();
  return all;
}

bool matches(const Pattern& pattern, const std::vector<Token>& all, std::size_t at) {
  const auto count = pattern.words.size();
  if (at + count > all.size()) return false;
  for (std::size_t i = 0; i < count; ++i) {
    const auto &wanted = pattern.words[i].text, &word = all[at + i].text;
    const bool prefix = pattern.prefix && i + 1 == count;
    if (prefix ? !word.starts_with(wanted) : word != wanted) return false;
  }
  return true;
}

/// The library whose words stand at `at`: the most words decide.
const Library* library_of_words(const std::vector<Token>& all, std::size_t at) {
  const Pattern* best = nullptr;
  for (const auto& pattern : patterns()) {
    if (best != nullptr && pattern.words.size() <= best->words.size()) continue;
    if (matches(pattern, all, at)) best = &pattern;
  }
  return best == nullptr ? nullptr : best->library;
}

std::vector<Finding> check_includes(const Room& room, const Source& file, bool in_tests) {
  std::vector<Finding> found;
  for (const auto& include : includes(file.text)) {
    if (include.quoted) {
      const auto reason = objection(room, include.path, in_tests);
      if (!reason.empty()) found.push_back({file.path, include.line, reason});
      continue;
    }
    const auto* library = in_tests ? nullptr : library_of_include(include.path);
    if (library == nullptr || holds(room.libraries, library->name)) continue;
    found.push_back({file.path, include.line, room.name + " never names " + library->name + " (" + include.path + ")"});
  }
  return found;
}

std::vector<Finding> check_words(const Room& room, const Source& file) {
  std::vector<Finding> found;
  const auto all = tokens(file.text);
  for (std::size_t at = 0; at < all.size(); ++at) {
    if (!is_word(all[at])) continue;
    const auto* library = library_of_words(all, at);
    if (library == nullptr || holds(room.libraries, library->name)) continue;
    found.push_back({file.path, all[at].line, room.name + " never names " + library->name + " (" + all[at].text + ")"});
  }
  return found;
}

}  // namespace

const std::vector<Room>& rooms() {
  static const Names world{"system", "posix", "files", "threads", "clocks"};
  static const auto with = [](Names names, const Names& more) {
    names.insert(names.end(), more.begin(), more.end());
    return names;
  };
  static const Names seams{"base", "core", "ports"};
  static const Names loop{"boost", "awaitable", "asio"};
  static const Names service = with(loop, {"beast", "json"});
  static const Names everything = [] {
    Names names;
    for (const auto& library : libraries()) names.push_back(library.name);
    return names;
  }();
  static const Names wired{"base", "core",    "ports", "catalogue", "net",    "mirror",   "notify",
                           "host", "control", "agent", "settings",  "report", "terminal", "web"};
  static const std::vector<Room> all{
      {"base", {}, {"system", "json", "url", "posix"}},
      {"core", {"base"}, {"system", "json"}},
      {"ports", {"base", "core"}, {"system", "awaitable"}},
      {"catalogue", {"base", "core"}, {"system", "sqlite", "posix", "threads"}},
      {"net", seams, with(loop, with(world, {"beast", "openssl", "digest"}))},
      {"mirror", seams, with(world, {"zip", "zlib", "isal", "digest", "json"})},
      {"notify", seams, with(loop, with(world, {"json"}))},
      {"host", seams, with(loop, with(world, {"spdlog", "systemd", "cctz", "randomness"}))},
      {"control", seams, with(service, world)},
      {"settings", {"base", "core", "ports", "mirror", "host"}, with(world, {"toml"})},
      {"report", {"base", "core", "ports", "catalogue"}, {"system", "json"}},
      {"web", {"base", "core", "ports", "report"}, {"system"}},
      {"terminal", {"base", "core", "ports", "host", "settings", "report"}, with(world, {"system"})},
      {"client", {"base", "core", "ports", "settings", "report"}, with(service, world)},
      {"agent", {"base", "core", "ports", "catalogue", "report"}, {"system", "awaitable", "asio", "threads"}},
      {"wiring", wired, everything},
      {"cli", with(wired, {"wiring", "client"}), everything},
      {"simulator", {"base"}, with(service, with(world, {"openssl", "digest", "zlib", "randomness"}))},
      {"boost", {}, {"asio", "beast", "openssl"}},
  };
  return all;
}

const std::vector<Library>& libraries() {
  static const std::vector<Library> all{
      {"system", {"boost/system"}, {}},
      {"boost", {"boost/"}, {}},
      {"awaitable", {"boost/asio/awaitable.hpp"}, {"asio::awaitable"}},
      {"asio", {"boost/asio"}, {"asio"}},
      {"beast", {"boost/beast"}, {"beast"}},
      {"openssl", {"openssl/", "boost/asio/ssl"}, {"asio::ssl", "SSL_*", "X509_*"}},
      {"digest", {"openssl/evp.h"}, {"EVP_*"}},
      {"sqlite", {"sqlite3.h"}, {"sqlite3_*"}},
      {"spdlog", {"spdlog/", "fmt/"}, {"spdlog"}},
      {"json", {"boost/json"}, {"boost::json"}},
      {"url", {"boost/url"}, {"boost::urls"}},
      {"zip", {"zip.h"}, {"zip_open*", "zip_t"}},
      {"isal", {"isa-l/"}, {"isal_*", "crc32_gzip_refl"}},
      {"zlib", {"zlib.h"}, {"inflateInit*", "deflateInit*"}},
      {"systemd", {"systemd/"}, {"sd_*"}},
      {"toml", {"toml++/"}, {"toml::table", "toml::parse*"}},
      {"cli11", {"CLI/"}, {"CLI"}},
      {"cctz", {"cctz/"}, {"cctz"}},
      {"posix",
       {"unistd.h", "fcntl.h", "dirent.h", "poll.h", "signal.h", "sys/", "netinet/", "arpa/", "pwd.h", "grp.h"},
       {}},
      {"files", {"filesystem", "fstream"}, {"std::filesystem", "std::ifstream", "std::ofstream"}},
      {"threads",
       {"thread", "mutex", "condition_variable", "atomic", "future"},
       {"std::thread", "std::mutex", "std::atomic"}},
      {"clocks", {"ctime", "time.h"}, {"system_clock::now", "steady_clock::now", "clock_gettime", "gettimeofday"}},
      {"randomness", {"random"}, {"random_device", "mt19937*", "std::rand"}},
  };
  return all;
}

std::string room_of(std::string_view path) {
  for (const std::string_view top : {"include/vtmirror/", "src/", "tests/"}) {
    if (!path.starts_with(top)) continue;
    const auto rest = path.substr(top.size());
    const auto name = rest.substr(0, rest.find('/'));
    return find_room(name) != nullptr ? std::string(name) : "";
  }
  return "";
}

std::vector<Finding> check_layers(const Source& file) {
  const auto* room = find_room(room_of(file.path));
  if (room == nullptr) return {};
  const bool in_tests = file.path.starts_with("tests/");
  auto found = check_includes(*room, file, in_tests);
  if (!in_tests) add(found, check_words(*room, file));
  return found;
}

}  // namespace vtmirror::architecture
