// A process that is killed, stopped or shut out: nothing wrong is public, and the next one continues where it stopped.
#include "end_to_end/rig.hpp"

#include <doctest/doctest.h>

#include <signal.h>

#include <numeric>
#include <random>

using namespace vtmirror::test;

namespace {

std::int64_t bytes_sent(Rig& rig) {
  const auto requests = rig.requests("store");
  return std::accumulate(requests.begin(), requests.end(), std::int64_t{0},
                         [](std::int64_t sum, const Request& request) { return sum + request.sent; });
}

/// Bytes below the mirror's partial directory: how far a cycle has come, as seen from outside.
bool any_file_below(const std::filesystem::path& directory) {
  std::error_code failure;
  for (std::filesystem::recursive_directory_iterator at(directory, failure), end; !failure && at != end;
       at.increment(failure))
    if (at->is_regular_file(failure)) return true;
  return false;
}

constexpr char slow[] = R"({"bulk_bytes": 6000000, "delta_bytes": 400000,
  "faults":[{"at":"store","rate":4000000,"times":0}]})";

}  // namespace

TEST_CASE("kill -9 at any instant, twenty times over, leaves no wrong file public, and the next cycle ends whole") {
  Rig rig(slow);
  const auto upstream = rig.upstream();
  std::mt19937 random(20261118);
  const auto seed_text = std::string("mt19937(20261118)");
  CAPTURE(seed_text);
  for (int kill = 0; kill < 20; ++kill) {
    CAPTURE(kill);
    Child sync(rig.command_line({"sync"}));
    const auto lines = std::uniform_int_distribution<int>(0, 8)(random);
    const auto polls = std::uniform_int_distribution<int>(0, 40)(random);
    sync.read_until([&](const Ended& e) { return std::count(e.err.begin(), e.err.end(), '\n') >= lines; });
    // A round trip to the service takes a fraction of a millisecond to a few: a random number of them is a random
    // instant.
    for (int poll = 0; poll < polls; ++poll) static_cast<void>(bytes_sent(rig));
    sync.signal(SIGKILL);
    static_cast<void>(sync.wait());
    for (const auto& [name, digest] : rig.held()) CHECK(upstream.at(name) == digest);
  }
  const auto ended = rig.vtmirror({"sync"});
  CAPTURE(ended.err);
  CHECK(ended.status == 0);
  CHECK(rig.held() == upstream);
  CHECK_FALSE(any_file_below(rig.mirror() / ".vtmirror/partial"));
  CHECK(run({"sh", "-c", "cd '" + rig.mirror().string() + "' && sha256sum -c --quiet SHA256SUMS"}).status == 0);
}

TEST_CASE("SIGTERM ends a cycle within five seconds, and the next one asks only for the rest") {
  Rig rig(
      R"({"bulk_bytes": 8000000, "delta_bytes": 100000, "faults":[{"at":"store","match":"bulk","rate":2000000,"times":0}]})");
  rig.set("download", "connections", "1");
  Child sync(rig.command_line({"sync"}));
  // All deltas are published while the bulk file is still on its way.
  REQUIRE(sync.read_until([](const Ended& e) { return e.err.find("published delta 18 Nov") != std::string::npos; }));
  for (int poll = 0; poll < 200; ++poll) static_cast<void>(bytes_sent(rig));
  sync.signal(SIGTERM);
  const auto begun = std::chrono::steady_clock::now();
  const auto stopped = sync.wait();
  CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(5));
  CHECK(stopped.status == 1);

  rig.control("POST", "/script", R"({"faults":[]})");
  const auto ended = rig.vtmirror({"sync"});
  CAPTURE(ended.err);
  CHECK(ended.status == 0);
  CHECK(rig.held() == rig.upstream());
  // The log is in the order of the ends: the resume is the one request for the file that does not begin at 0.
  int resumes = 0;
  for (const auto& request : rig.requests("store")) {
    if (request.path.find("bulk") == std::string::npos || request.range.starts_with("bytes=0-")) continue;
    ++resumes;
    CHECK(request.headers.contains("if-match"));
    CHECK(request.sent < 8'000'000);
  }
  CHECK(resumes == 1);
}

TEST_CASE("a second process is refused with exit 4 and a message that names the holder of the mirror") {
  Rig rig(slow);
  Child first(rig.command_line({"sync"}));
  REQUIRE(first.read_until([](const Ended& e) { return e.err.find("downloading") != std::string::npos; }));
  const auto second = rig.vtmirror({"sync"});
  CHECK(second.status == 4);
  CHECK(second.err.find(std::to_string(first.pid())) != std::string::npos);
  CHECK(rig.vtmirror({"files", "--json"}).status == 0);
  CHECK(first.wait().status == 0);
}
