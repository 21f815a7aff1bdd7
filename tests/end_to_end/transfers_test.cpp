// What a download meets on its way: an outage, few descriptors, a rate limit that changes.
#include "end_to_end/daemon_site.hpp"

#include <doctest/doctest.h>

#include <signal.h>

#include <algorithm>

using namespace vtmirror::test;

TEST_CASE("an outage in the middle of a file costs a pause, and no byte is downloaded twice") {
  Rig rig(R"({"bulk_bytes": 6000000, "delta_bytes": 100000, "faults": [
    {"at": "store", "match": "bulk", "cut_after": 3000000, "times": 1},
    {"at": "store", "match": "bulk", "close": true, "times": 1}]})");
  const auto ended = rig.vtmirror({"sync"});
  CAPTURE(ended.err);
  CHECK(ended.status == 0);
  CHECK(rig.held() == rig.upstream());
  CHECK(has(ended.err, "bulk 15 Nov"));
  CHECK(has(ended.err, "resumes in"));
  std::int64_t sent = 0;
  for (const auto& request : rig.requests("store"))
    if (has(request.path, "/bulk/")) sent += request.sent;
  // What the store has sent and the line has lost.
  constexpr std::int64_t on_the_way = 1'000'000;
  CHECK(sent >= 6'000'000);
  CHECK(sent <= 6'000'000 + on_the_way);
}

TEST_CASE("sixty-four descriptors are enough for sixteen connections to each file") {
  Rig rig(
      R"({"bulk_bytes": 40000000, "delta_bytes": 100000, "faults": [{"at": "store", "rate": 2000000, "times": 0}]})");
  rig.set("download", "connections", "16");
  auto line = rig.command_line({"sync"});
  line.insert(line.begin(), {"/bin/sh", "-c", "ulimit -n 64; exec \"$@\"", "sh"});
  const auto ended = run(line);
  CAPTURE(ended.err);
  CHECK(ended.status == 0);
  CHECK(rig.held() == rig.upstream());
  std::vector<int> connections;
  for (const auto& request : rig.requests("store"))
    if (has(request.path, "/bulk/")) connections.push_back(request.connection);
  std::ranges::sort(connections);
  connections.erase(std::unique(connections.begin(), connections.end()), connections.end());
  CHECK(connections.size() >= 8);
}

TEST_CASE("a rate limit that a reload lifts holds back no transfer that runs") {
  Site site;
  // At this rate the files would take longer than is waited for.
  site.rig.set("download", "rate_limit", "\"30KB/s\"");
  site.start();
  Events events(site.socket);
  const auto slow = events.status([](const json::object& status) {
    return !status.at("cycle").is_null() && status.at("cycle").as_object().at("received").to_number<double>() > 0;
  });
  CHECK(slow.at("cycle").as_object().at("received").to_number<double>() < 500'000);
  site.rig.set("download", "rate_limit", "\"0\"");
  site.daemon->signal(SIGHUP);
  events.state("idle");
  CHECK(site.rig.held() == site.rig.upstream());
}
