#include "architecture/layers.hpp"
#include "architecture/includes.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

namespace vtmirror::architecture {
namespace {

int breaches(const std::string& path, const std::string& text) {
  return static_cast<int>(check_layers({path, text}).size());
}

TEST_CASE("every file keeps to the rooms and libraries that its room may use") {
  std::vector<Finding> found;
  for (const auto& file : sources({"include", "src", "tests"}, {".hpp", ".cpp"})) add(found, check_layers(file));
  INFO(listed(found));
  CHECK(found.empty());
}

TEST_CASE("every directory of the program is a room of the table, so that none goes unchecked") {
  for (const auto& file : sources({"include", "src"}, {".hpp", ".cpp"})) {
    INFO(file.path);
    CHECK_FALSE(room_of(file.path).empty());
  }
}

/// The words of a list, in any order: "base, core" and "core base" are one.
std::set<std::string> words_of(std::string text) {
  std::ranges::replace(text, ',', ' ');
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

/// What the row of ARCHITECTURE.md lists for that room; "all but client, cli and the simulator" leaves those out.
std::set<std::string> listed_for(const Room& room, const std::string& cell) {
  constexpr std::string_view all_but = "all but ";
  if (!cell.starts_with(all_but)) return words_of(cell);
  const auto left_out = words_of(cell.substr(all_but.size()));
  std::set<std::string> listed;
  for (const auto& each : rooms()) {
    const bool is_other = each.name != room.name && each.name != "boost";
    if (is_other && !left_out.contains(each.name)) listed.insert(each.name);
  }
  return listed;
}

TEST_CASE("the table in ARCHITECTURE.md lists the rooms, and for each the rooms that it may use") {
  const auto text = source("ARCHITECTURE.md").text;
  for (const auto& room : rooms()) {
    if (room.name == "boost") continue;  // compiled libraries, and no room of the table
    CAPTURE(room.name);
    const auto row = "\n| " + room.name + " |";
    const auto begin = text.find(row);
    REQUIRE(begin != std::string::npos);
    const auto cell = begin + row.size();
    auto uses = text.substr(cell, text.find('|', cell) - cell);
    uses.erase(0, uses.find_first_not_of(' '));
    CHECK(listed_for(room, uses) == std::set<std::string>(room.uses.begin(), room.uses.end()));
  }
}

TEST_CASE("each room has its own part of the build, which links it with none that it may not use") {
  int links = 0;
  for (const auto& room : rooms()) {
    const auto path = "src/" + room.name + "/CMakeLists.txt";
    if (room.name == "boost") continue;
    CAPTURE(room.name);
    REQUIRE(exists(path));
    const auto text = source(path).text;
    const auto begin = text.find("vtmirror_room(" + room.name);
    REQUIRE(begin != std::string::npos);
    for (const auto& word : words_of(text.substr(begin, text.find(')', begin) - begin))) {
      const bool is_room = std::ranges::find(rooms(), word, &Room::name) != rooms().end();
      if (!is_room || word == room.name) continue;
      CAPTURE(word);
      CHECK(std::ranges::find(room.uses, word) != room.uses.end());
      ++links;
    }
  }
  CHECK(links > 20);
}

TEST_CASE("no room uses one that uses it") {
  for (const auto& room : rooms()) {
    for (const auto& lower : rooms()) {
      const bool uses = std::count(room.uses.begin(), room.uses.end(), lower.name) > 0;
      const bool is_used = std::count(lower.uses.begin(), lower.uses.end(), room.name) > 0;
      INFO(room.name, " and ", lower.name);
      CHECK_FALSE((uses && is_used));
    }
  }
}

TEST_CASE("no header includes itself, by itself or through others") {
  std::string circle;
  for (const auto& header : include_cycle(sources({"include", "src", "tests"}, {".hpp"}))) circle += header + '\n';
  INFO(circle);
  CHECK(circle.empty());
}

TEST_CASE("a circle of headers is found, and named from one of them on") {
  const Source first{"src/a/first.hpp", "#include \"a/second.hpp\"\n#include <vector>\n"};
  const Source second{"src/a/second.hpp", "#include \"vtmirror/a/third.hpp\"\n"};
  CHECK(include_cycle({first, second, {"include/vtmirror/a/third.hpp", "#include \"b/other.hpp\"\n"}}).empty());
  const auto circle = include_cycle({first, second, {"include/vtmirror/a/third.hpp", "#include \"a/second.hpp\"\n"}});
  CHECK(circle == std::vector<std::string>{"a/second.hpp", "vtmirror/a/third.hpp"});
  CHECK(include_cycle({{"src/a/self.hpp", "#include \"a/self.hpp\"\n"}}).size() == 1);
}

TEST_CASE("a room may include itself and the rooms below it") {
  CHECK(breaches("src/net/lane.cpp", "#include \"net/lane.hpp\"\n#include \"vtmirror/ports/http.hpp\"\n") == 0);
  CHECK(breaches("src/cli/version.cpp", "#include \"version.hpp\"\n") == 0);
}

TEST_CASE("a room may include neither its neighbours nor what is above it") {
  CHECK(breaches("src/net/lane.cpp", "#include \"vtmirror/mirror/directory.hpp\"\n") == 1);
  CHECK(breaches("src/core/chain.cpp", "#include \"vtmirror/ports/clock.hpp\"\n") == 1);
  CHECK(breaches("include/vtmirror/net/http.hpp", "#include \"vtmirror/catalogue/catalogue.hpp\"\n") == 1);
  CHECK(breaches("tests/net/lane_test.cpp", "#include \"vtmirror/agent/agent.hpp\"\n") == 1);
}

TEST_CASE("a private header stays in its room, even where the room itself may be used") {
  CHECK(breaches("src/agent/cycle.cpp", "#include \"core/token.hpp\"\n") == 1);
  CHECK(breaches("src/agent/cycle.cpp", "#include \"token.hpp\"\n") == 1);
}

TEST_CASE("the simulator shares nothing with the client but base") {
  CHECK(breaches("src/simulator/store.cpp", "#include \"vtmirror/base/result.hpp\"\n") == 0);
  CHECK(breaches("src/simulator/store.cpp", "#include \"vtmirror/core/pieces.hpp\"\n") == 1);
  CHECK(breaches("src/cli/main.cpp", "#include \"vtmirror/simulator/simulator.hpp\"\n") == 1);
}

TEST_CASE("a library is named only in the rooms that may, by its header or by its words") {
  CHECK(breaches("src/core/x.cpp", "#include <sqlite3.h>\n") == 1);
  CHECK(breaches("src/catalogue/x.cpp", "#include <sqlite3.h>\nint f() { return sqlite3_step(s); }\n") == 0);
  CHECK(breaches("src/agent/x.cpp", "#include <boost/beast/http.hpp>\n") == 1);
  CHECK(breaches("src/notify/x.cpp", "#include <boost/beast/http.hpp>\n") == 1);
  CHECK(breaches("src/control/x.cpp", "#include <boost/beast/http.hpp>\n") == 0);
  CHECK(breaches("src/control/x.cpp", "spdlog::info(text);\n") == 1);
  CHECK(breaches("src/agent/x.cpp", "boost::asio::ssl::context c;\n") == 1);
  CHECK(breaches("src/mirror/x.cpp", "#include <boost/asio/post.hpp>\n") == 1);
  CHECK(breaches("src/mirror/x.cpp", "#include <openssl/evp.h>\n") == 0);
  CHECK(breaches("src/mirror/x.cpp", "#include <openssl/ssl.h>\n") == 1);
}

TEST_CASE("ports name the awaitable and nothing else of Asio") {
  CHECK(breaches("include/vtmirror/ports/x.hpp",
                 "#include <boost/asio/awaitable.hpp>\nboost::asio::awaitable<int> f();\n") == 0);
  CHECK(breaches("include/vtmirror/ports/x.hpp", "#include <boost/asio/post.hpp>\n") == 1);
}

TEST_CASE("the core names no clock, file, thread or chance") {
  CHECK(breaches("src/core/x.cpp", "auto t = std::chrono::system_clock::now();\n") == 1);
  CHECK(breaches("src/core/x.cpp", "std::chrono::system_clock::time_point t;\n") == 0);
  CHECK(breaches("src/core/x.cpp", "#include <fstream>\n#include <thread>\n#include <random>\n") == 3);
}

TEST_CASE("a name in a comment or in a text is no use of the library") {
  CHECK(breaches("src/core/x.cpp", "// sqlite3_step, spdlog\nauto text = \"spdlog\";\n") == 0);
}

TEST_CASE("a finding names file, line and rule") {
  const auto found = check_layers({"src/core/x.cpp", "\n\n#include <sqlite3.h>\n"});
  CHECK(listed(found) == "src/core/x.cpp:3: core never names sqlite (sqlite3.h)\n");
}

TEST_CASE("a search that finds no file at all fails") { CHECK_THROWS(sources({"src"}, {".nothing"})); }

}  // namespace
}  // namespace vtmirror::architecture
