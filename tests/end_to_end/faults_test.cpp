// What goes wrong on the way, with the real program: each row a script for the service and what the user gets.
#include "end_to_end/rig.hpp"

#include <doctest/doctest.h>

using namespace vtmirror::test;

namespace {

struct Row {
  std::string name;
  std::string faults;
  int status;
  std::string logged = {};  ///< somewhere on stderr
};

std::string script(const std::string& rest) {
  return R"({"bulk_bytes": 3000000, "delta_bytes": 200000, )" + rest + "}";
}

std::vector<Row> rows() {
  return {
      {"a connection breaks", R"("faults":[{"at":"store","match":"bulk","cut_after":1000000,"times":2}])", 0},
      {"a body stalls", R"("faults":[{"at":"store","match":"bulk","stall_after":500000}])", 0},
      {"ranges are ignored", R"("faults":[{"at":"store","ignore_range":true,"times":0}])", 0},
      {"another range comes once", R"("faults":[{"at":"store","match":"delta","wrong_range":true}])", 0},
      {"the store is busy", R"("faults":[{"at":"store","status":503,"headers":{"Retry-After":"1"},"times":2}])", 0},
      {"a length is not logged", R"("faults":[{"at":"store","match":"delta","no_length":true,"times":2}])", 0},
      {"the store redirects", R"("faults":[{"at":"store","match":"_16-","status":500,"times":1}])", 0},
      {"a byte is flipped once", R"("faults":[{"at":"store","match":"_17-","flip_at":5000}])", 0},
      {"a byte is flipped always", R"("faults":[{"at":"store","match":"_17-","flip_at":5000,"times":0}])", 1,
       "quarantine"},
      {"a login page comes", R"("faults":[{"at":"store","match":"_17-","html":true,"times":2}])", 0},
      {"the header is huge", R"("faults":[{"at":"store","match":"_17-","huge_header":true}])", 0},
      {"the API is busy", R"("faults":[{"at":"api","status":429,"headers":{"Retry-After":"1"}}])", 0},
      {"the issuer is busy", R"("faults":[{"at":"issuer","status":503,"headers":{"Retry-After":"1"}}])", 0},
      {"the API closes without an answer", R"("faults":[{"at":"api","close":true}])", 0},
  };
}

}  // namespace

TEST_CASE("a cycle ends whole, or says which file it lacks, whatever happens on the way") {
  for (const auto& row : rows()) {
    CAPTURE(row.name);
    Rig rig(script(row.faults));
    rig.set("download", "stall_timeout", "\"1s\"");
    const auto ended = rig.vtmirror({"sync"});
    CAPTURE(ended.err);
    CHECK(ended.status == row.status);
    CHECK(ended.err.find(row.logged) != std::string::npos);
    const auto upstream = rig.upstream();
    const auto held = rig.held();
    if (row.status == 0) CHECK(held == upstream);
    for (const auto& [name, digest] : held) CHECK(upstream.at(name) == digest);
  }
}

TEST_CASE("an empty listing, or one without a bulk file, fails the cycle, is a problem, and changes nothing") {
  Rig rig(script(R"("seed": 1)"));
  REQUIRE(rig.vtmirror({"sync"}).status == 0);
  const auto held = rig.held();
  const auto manifest = read_file(rig.mirror() / "manifest.json");
  const auto calls = rig.requests("store").size();
  for (const std::string listing :
       {R"({\"bulk\": [], \"delta\": []})",
        R"({\"bulk\": [], \"delta\": [{\"filename\": \"v1/a.zip\", \"downloadUrl\": \"http://127.0.0.1/a\",)"
        R"( \"fileSize\": 7, \"fileCreatedOn\": \"2026-11-18\"}]})"}) {
    CAPTURE(listing);
    rig.control("POST", "/script", R"({"listing_raw": ")" + listing + R"("})");
    const auto ended = rig.vtmirror({"sync"});
    CAPTURE(ended.err);
    CHECK(ended.status == 1);
    CHECK(ended.err.find("the service lists no ") != std::string::npos);
    // Said once, with what follows from it.
    const auto said = ended.err.find("; the mirror was left as it is");
    REQUIRE(said != std::string::npos);
    CHECK(ended.err.find("the service lists no ", said) == std::string::npos);
    CHECK(rig.held() == held);
    CHECK(read_file(rig.mirror() / "manifest.json") == manifest);
    CHECK(rig.requests("store").size() == calls);
  }
}

TEST_CASE("links that expire on the way are replaced by fresh ones, and what is durable is not fetched again") {
  Rig rig(script(R"("link_seconds": 1, "faults":[{"at":"store","match":"bulk","rate":1000000,"cut_after":1500000}])"));
  rig.set("download", "connections", "1");
  const auto ended = rig.vtmirror({"sync"});
  CAPTURE(ended.err);
  REQUIRE(ended.status == 0);
  CHECK(rig.held() == rig.upstream());
  CHECK(rig.requests("issuer").size() == 1);
  CHECK(rig.requests("api").size() >= 2);
}

TEST_CASE("a file that is damaged twice is said once to be quarantined, and the plan and the coverage say so too") {
  Rig rig(script(R"("faults":[{"at":"store","match":"_17-","flip_at":5000,"times":0}])"));
  const auto ended = rig.vtmirror({"sync"});
  CAPTURE(ended.err);
  CHECK(ended.status == 1);
  const auto first = ended.err.find(" was quarantined: ");
  REQUIRE(first != std::string::npos);
  CHECK(ended.err.find(" was quarantined: ", first + 1) == std::string::npos);
  const auto retried = ended.err.find("delta 17 Nov is damaged (member ");
  REQUIRE(retried != std::string::npos);
  CHECK(ended.err.substr(retried, ended.err.find('\n', retried) - retried)
            .ends_with("; downloading it once more from the start"));
  // Nor as a problem, which would begin with the file and the reason.
  CHECK(ended.err.find("delta 17 Nov: ") == std::string::npos);
  for (const auto* words : {"could not be downloaded", "integrity:"})
    CHECK_MESSAGE(ended.err.find(words) == std::string::npos, words);
  CHECK(ended.err.find(", 1 quarantined\n") != std::string::npos);
  const auto plan = rig.vtmirror({"sync", "--dry-run"}).out;
  CHECK_MESSAGE(plan.find("  it was quarantined, and is downloaded again: ") != std::string::npos, plan);
  CHECK(plan.find("new file") == std::string::npos);
  const auto coverage = rig.vtmirror({"coverage"}).out;
  CHECK_MESSAGE(coverage.find(" (quarantined: ") != std::string::npos, coverage);
  CHECK(coverage.find("integrity:") == std::string::npos);
  CHECK_MESSAGE(coverage.find("18 Nov is held, but cannot be loaded before 17 Nov\n") != std::string::npos, coverage);
}

TEST_CASE("a file that the store lacks is missing with that reason, and the advice blames no clock") {
  Rig rig(script(R"("faults":[{"at":"store","match":"_17-","status":404,"times":0}])"));
  const auto ended = rig.vtmirror({"sync"});
  CAPTURE(ended.err);
  CHECK(ended.status == 1);
  CHECK(ended.err.find("the store does not have the file that the service lists") != std::string::npos);
  CHECK(ended.err.find("clock") == std::string::npos);
  const auto coverage = rig.vtmirror({"coverage"}).out;
  CHECK_MESSAGE(coverage.find("not downloaded yet: the store at localhost:") != std::string::npos, coverage);
  CHECK_MESSAGE(coverage.find(" answered HTTP 404") != std::string::npos, coverage);
  const auto history = rig.vtmirror({"history"}).out;
  CHECK_MESSAGE(history.find("link_refused") == std::string::npos, history);
}

TEST_CASE("a listing that is wrong as a whole is an error that says what it is") {
  const std::vector<std::pair<std::string, std::string>> listings{
      {"not JSON at all", "JSON"},
      {R"({\"delta\":[]})", "bulk"},
      {R"({\"bulk\":[]})", "delta"},
      {R"({\"bulk\":{},\"delta\":[]})", "bulk"},
  };
  for (const auto& row : listings) {
    const auto& listing = row.first;
    const auto& word = row.second;
    CAPTURE(listing);
    Rig rig(R"({"listing_raw": ")" + listing + "\"}");
    const auto ended = rig.vtmirror({"sync"});
    CAPTURE(ended.err);
    CHECK(ended.status == 1);
    CHECK(ended.err.find(word) != std::string::npos);
    CHECK(rig.held().empty());
  }
}

TEST_CASE("a listing nested 100,000 deep is refused") {
  Rig rig(R"({"listing_raw": ")" + std::string(100'000, '[') + "\"}");
  const auto ended = rig.vtmirror({"sync"});
  CAPTURE(ended.err);
  CHECK(ended.status == 1);
  CHECK(ended.err.find("deep") != std::string::npos);
}

TEST_CASE("entries whose names leave the mirror are refused, the rest is fetched, and nothing is written outside") {
  const std::string url = R"("downloadUrl":"https://localhost:1/x?y","fileSize":10,"fileCreatedOn":"2026-11-18")";
  Rig rig(script(R"("extra_entries": {"bulk": [], "delta": [
    {"filename":"../outside.zip",)" +
                 url + R"(},
    {"filename":"/outside.zip",)" +
                 url + R"(},
    {"filename":"v1\\outside.zip",)" +
                 url + R"(},
    {"filename":"v1/a\u0000b.zip",)" +
                 url + R"(},
    {"filename":"",)" +
                 url + R"(},
    {"filename":".vtmirror/lock.zip",)" +
                 url + R"(},
    {"filename":"v1/x.zip","downloadUrl":"http://localhost:1/x","fileSize":10,"fileCreatedOn":"2026-11-18"},
    {"filename":"v1/x.zip","downloadUrl":"https://localhost:1/x","fileSize":-10,"fileCreatedOn":"2026-11-18"},
    {"filename":"v1/x.zip","downloadUrl":"https://localhost:1/x","fileSize":99999999999999999,"fileCreatedOn":"2026-11-18"},
    {"filename":"v1/public/delta/year=2026/month=11/day=18/delta-light-vehicle_18-11-2026.v2_17-11-2026.zip",)" +
                 url + R"(}
  ]})"));
  const auto ended = rig.vtmirror({"sync"});
  CAPTURE(ended.err);
  CHECK(ended.status == 1);
  CHECK(rig.held() == rig.upstream());
  CHECK(ended.err.find("outside.zip") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(rig.mirror() / "../outside.zip"));
  CHECK_FALSE(std::filesystem::exists("/outside.zip"));
}

TEST_CASE("wrong credentials and unreachable services end with exit 1 and advice") {
  Rig rig;
  write_file(rig.directory() / "config/client_secret", "not-the-secret");
  auto ended = rig.vtmirror({"sync"});
  CAPTURE(ended.err);
  CHECK(ended.status == 1);
  CHECK(ended.err.find("the client secret is wrong (AADSTS7000215)") != std::string::npos);
  CHECK(rig.requests("issuer").size() == 1);

  Rig key;
  write_file(key.directory() / "config/api_key", "not-the-key");
  ended = key.vtmirror({"sync"});
  CHECK(ended.status == 1);
  CHECK(ended.err.find("FB-03") != std::string::npos);

  Rig stranger;
  stranger.set("service", "ca_file", "\"\"");
  ended = stranger.vtmirror({"sync"});
  CHECK(ended.status == 1);
  CHECK(ended.err.find("ca_file") != std::string::npos);
}

TEST_CASE("wrong configuration is exit 2, with every mistake at its line and the nearest known key") {
  Rig rig;
  rig.set("download", "paralel_files", "3");
  rig.set("mirror", "reserve", "\"2 parsecs\"");
  auto ended = rig.vtmirror({"config", "check"});
  CHECK(ended.status == 2);
  CHECK(ended.err.find("parallel_files") != std::string::npos);
  CHECK(ended.err.find("reserve") != std::string::npos);
  CHECK(rig.vtmirror({"sync"}).status == 2);

  Rig open;
  std::filesystem::permissions(open.directory() / "config/api_key", std::filesystem::perms(0644));
  ended = open.vtmirror({"sync"});
  CHECK(ended.status == 2);
  CHECK(ended.err.find("chmod") != std::string::npos);
  CHECK(open.requests().empty());
}
