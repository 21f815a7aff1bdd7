#include "architecture/layers.hpp"
#include "architecture/includes.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

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
