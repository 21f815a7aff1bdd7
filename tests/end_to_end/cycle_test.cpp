// The real program against the bundled service over TLS: what a user relies on in a cycle.
#include "end_to_end/rig.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace vtmirror::test;
namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

constexpr char small[] = R"({"bulk_bytes": 3000000, "delta_bytes": 200000})";

}  // namespace

TEST_CASE(
    "a cycle brings every listed file byte for byte, with one token and one listing; a second asks the store for "
    "nothing") {
  Rig rig(small);
  auto ended = rig.vtmirror({"sync"});
  CAPTURE(ended.err);
  REQUIRE(ended.status == 0);
  const auto upstream = rig.upstream();
  CHECK(upstream.size() == 5);
  CHECK(rig.held() == upstream);
  CHECK(rig.requests("issuer").size() == 1);
  CHECK(rig.requests("api").size() == 1);

  const auto before = rig.requests("store").size();
  ended = rig.vtmirror({"sync"});
  CHECK(ended.status == 0);
  CHECK(rig.requests("store").size() == before);
  CHECK(rig.requests("api").size() == 2);
}

TEST_CASE("manifest, SHA256SUMS, current, files, coverage and history agree") {
  Rig rig(small);
  REQUIRE(rig.vtmirror({"sync"}).status == 0);
  const auto manifest = manifest_of(rig);
  CHECK(manifest.at("schema").as_int64() == 2);
  CHECK(manifest.at("complete").as_bool());
  CHECK(manifest.at("through").as_string() == "2026-11-18");
  const auto& chain = manifest.at("chain").as_array();
  REQUIRE(chain.size() == 5);
  CHECK(chain[0].at("kind").as_string() == "bulk");

  const auto sums = run({"sh", "-c", "cd '" + rig.mirror().string() + "' && sha256sum -c --quiet SHA256SUMS"});
  CHECK(sums.status == 0);

  std::vector<std::string> links;
  for (const auto& entry : fs::directory_iterator(rig.mirror() / "current")) links.push_back(entry.path().filename());
  std::sort(links.begin(), links.end());
  REQUIRE(links.size() == 5);
  CHECK(links[0] == "01-bulk-light-vehicle_15-11-2026.zip");
  CHECK(links[4] == "05-delta-light-vehicle_18-11-2026.zip");
  for (std::size_t n = 0; n < links.size(); ++n)
    CHECK(sha256_of(rig.mirror() / "current" / links[n]) == chain[n].at("sha256").as_string().c_str());

  const auto files = json::parse(rig.vtmirror({"files", "--json"}).out).at("files").as_array();
  CHECK(files.size() == 5);
  const auto coverage = json::parse(rig.vtmirror({"coverage", "--json"}).out).as_object();
  CHECK(coverage.at("chain") == manifest.at("chain"));
  const auto history = json::parse(rig.vtmirror({"history", "--json"}).out).at("cycles").as_array();
  REQUIRE(history.size() == 1);
  CHECK(history[0].at("outcome").as_string() == "complete");
  CHECK(history[0].at("files").as_int64() == 5);
}

TEST_CASE("credentials go to the issuer and the API alone, and never to the store or into any output") {
  Rig rig(small);
  const auto ended = rig.vtmirror({"sync", "--log-level", "debug"});
  REQUIRE(ended.status == 0);
  const auto secret = std::string(rig.service().at("client_secret").as_string());
  const auto key = std::string(rig.service().at("api_key").as_string());
  for (const auto& request : rig.requests("store")) {
    CHECK_FALSE(request.headers.contains("authorization"));
    CHECK_FALSE(request.headers.contains("x-api-key"));
  }
  for (const auto& word : {secret, key, std::string("X-Amz-Signature"), std::string("Bearer ")}) {
    CHECK(ended.out.find(word) == std::string::npos);
    CHECK(ended.err.find(word) == std::string::npos);
  }
  for (const auto& entry : fs::recursive_directory_iterator(rig.directory() / "config/state")) {
    if (!entry.is_regular_file() || entry.path().extension() == ".zip") continue;
    const auto text = read_file(entry.path());
    CAPTURE(entry.path().string());
    for (const auto& word : {secret, key, std::string("X-Amz-Signature")}) CHECK(text.find(word) == std::string::npos);
  }
}

TEST_CASE("the roll-over: a new bulk file and its first delta join on to the chain before") {
  Rig rig(small, "2026-11-21");
  REQUIRE(rig.vtmirror({"sync"}).status == 0);
  rig.control("POST", "/date", R"({"date":"2026-11-22"})");
  REQUIRE(rig.vtmirror({"sync"}).status == 0);
  const auto manifest = manifest_of(rig);
  REQUIRE(manifest.at("chain").as_array().size() == 2);
  const auto& continues = manifest.at("continues").as_object();
  CHECK(continues.at("contiguous").as_bool());
  CHECK(continues.at("reason").as_string() == "held");
  CHECK(continues.at("assumes_absent").as_array().empty());
  CHECK(continues.at("after").as_string().find("delta-light-vehicle_21-11-2026.zip") != json::string::npos);

  Rig late(small, "2026-11-20");
  REQUIRE(late.vtmirror({"sync"}).status == 0);
  late.control("POST", "/date", R"({"date":"2026-11-22"})");
  REQUIRE(late.vtmirror({"sync"}).status == 0);
  CHECK_FALSE(manifest_of(late).at("continues").as_object().at("contiguous").as_bool());
  CHECK(manifest_of(late).at("continues").as_object().at("reason").as_string() == "gap");
}

TEST_CASE("a roll-over that removes the older chain takes no bytes from readers of its manifest or its links") {
  Rig rig(small, "2026-11-21");
  rig.set("mirror", "keep_cycles", "1");
  REQUIRE(rig.vtmirror({"sync"}).status == 0);
  const auto chain = manifest_of(rig).at("chain").as_array();
  REQUIRE(chain.size() == 8);
  const auto links = rig.mirror() / fs::read_symlink(rig.mirror() / "current");
  rig.control("POST", "/date", R"({"date":"2026-11-22"})");
  REQUIRE(rig.vtmirror({"sync"}).status == 0);
  CHECK(rig.held() == rig.upstream());
  std::size_t number = 0;
  for (const auto& link : fs::directory_iterator(links)) number += fs::is_symlink(link.path()) ? 1 : 0;
  CHECK(number == chain.size());
  for (const auto& file : chain) {
    const std::string name(file.at("name").as_string());
    const std::string digest(file.at("sha256").as_string());
    CAPTURE(name);
    CHECK_FALSE(fs::exists(rig.mirror() / name));
    CHECK(sha256_of(rig.mirror() / ".vtmirror/held" / digest) == digest);
    const auto leaf = fs::path(name).filename().string();
    for (const auto& link : fs::directory_iterator(links))
      if (link.path().string().ends_with(leaf)) CHECK(sha256_of(link.path()) == digest);
  }
}

TEST_CASE("a day without a delta is absent upstream and no fault of ours; a bulk file may be dated on a Monday") {
  Rig rig(R"({"bulk_bytes": 1000000, "delta_bytes": 100000, "absent": ["2026-11-17"], "bulk_weekday_offset": 1})");
  const auto ended = rig.vtmirror({"sync"});
  CAPTURE(ended.err);
  REQUIRE(ended.status == 0);
  const auto manifest = manifest_of(rig);
  CHECK(manifest.at("complete").as_bool());
  REQUIRE(manifest.at("absent_upstream").as_array().size() == 1);
  CHECK(manifest.at("absent_upstream").as_array()[0] == json::value{{"date", "2026-11-17"}});
  CHECK(manifest.at("chain").as_array()[0].at("date").as_string() == "2026-11-16");
  // The Sunday's delta is older than its bulk file: it is held, and in no chain.
  std::vector<std::string> days;
  for (const auto& file : manifest.at("chain").as_array()) days.emplace_back(file.at("date").as_string());
  CHECK(days == std::vector<std::string>{"2026-11-16", "2026-11-16", "2026-11-18"});
  CHECK(rig.held() == rig.upstream());
}

TEST_CASE("--dry-run prints the plan with its reasons and fetches nothing") {
  Rig rig(small);
  const auto ended = rig.vtmirror({"sync", "--dry-run"});
  CHECK(ended.status == 0);
  CHECK(ended.out.find("bulk-light-vehicle_15-11-2026.zip") != std::string::npos);
  CHECK(ended.out.find("new file") != std::string::npos);
  CHECK(rig.requests("store").empty());
  CHECK(rig.held().empty());
}

TEST_CASE("the store's connections are kept alive for the next range") {
  Rig rig(R"({"bulk_bytes": 60000000, "delta_bytes": 100000})");
  rig.set("download", "connections", "4");
  REQUIRE(rig.vtmirror({"sync"}).status == 0);
  CHECK(rig.held() == rig.upstream());
  std::map<int, int> ranges_of;
  int bulk_requests = 0;
  for (const auto& request : rig.requests("store")) {
    if (request.path.find("bulk-light") == std::string::npos) continue;
    ++ranges_of[request.connection];
    ++bulk_requests;
  }
  CHECK(bulk_requests > 4);
  CHECK(ranges_of.size() <= 4);
}
