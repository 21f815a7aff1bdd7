// A store that is not of this project: nginx with signed, expiring links (secure_link) over TLS, and the answers that
// it gives by itself.
#include "end_to_end/nginx_store.hpp"
#include "support/skip.hpp"

#include <doctest/doctest.h>

#include <signal.h>

#include <ctime>

using namespace vtmirror::test;

namespace {

/// Moves files that the simulator made to nginx, and leaves the mirror empty.
void move_files_to(Rig& rig, NginxStore& store) {
  REQUIRE(rig.vtmirror({"sync"}).status == 0);
  fs::rename(rig.mirror() / "v1", store.store() / "v1");
  fs::remove_all(rig.directory() / "config/state");
  store.serve_everything();
}

std::map<std::string, std::string> stored(const NginxStore& store) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(store.store()))
    if (entry.is_regular_file()) files[fs::relative(entry.path(), store.store()).string()] = sha256_of(entry.path());
  return files;
}

/// Runs a cycle that chooses the number of connections by itself and leaves every file right. Returns over how many
/// connections it asked for the bulk file.
std::size_t connections_of_a_cycle(Rig& rig, const NginxStore& nginx) {
  rig.set("download", "connections", "0");
  const auto ended = rig.vtmirror({"sync"});
  CAPTURE(ended.err);
  CHECK(ended.status == 0);
  CHECK(rig.held() == stored(nginx));
  return nginx.connections_to_the_bulk_file();
}

constexpr char content[] = R"({"bulk_bytes": 20000000, "delta_bytes": 300000})";

}  // namespace

TEST_CASE(
    "a cycle against nginx with signed links leaves every file byte for byte, and the second asks the store for "
    "nothing") {
  if (const auto why = absent("nginx", "nginx")) return skip(*why);
  Rig rig(content);
  NginxStore nginx(rig);
  move_files_to(rig, nginx);
  nginx.list(std::time(nullptr) + 300);
  auto ended = rig.vtmirror({"sync"});
  CAPTURE(ended.err);
  REQUIRE(ended.status == 0);
  CHECK(rig.held() == stored(nginx));
  CHECK(rig.held().size() == 5);
  const auto log = nginx.log();
  CHECK(log.find(" 206 bytes=") != std::string::npos);
  ended = rig.vtmirror({"sync"});
  CHECK(ended.status == 0);
  CHECK(nginx.log().find("/store/", log.size()) == std::string::npos);
}

TEST_CASE("nginx says that links have ended: one fresh listing is tried, then it is given up for this cycle") {
  if (const auto why = absent("nginx", "nginx")) return skip(*why);
  Rig rig(content);
  NginxStore nginx(rig);
  move_files_to(rig, nginx);
  nginx.list(std::time(nullptr) - 10);
  auto ended = rig.vtmirror({"sync"});
  CAPTURE(ended.err);
  CHECK(ended.status == 1);
  CHECK(ended.err.find(" answered HTTP 4") != std::string::npos);
  CHECK(rig.held().empty());
  const auto log = nginx.log();
  const auto count = [&log](const std::string& text) {
    int found = 0;
    for (auto at = log.find(text); at != std::string::npos; at = log.find(text, at + 1)) ++found;
    return found;
  };
  CHECK(count(" 410 ") >= 5);
  CHECK(count(" 410 ") <= 10);
  CHECK(count("bulk-download") <= 6);
  nginx.list(std::time(nullptr) + 300);
  CHECK(rig.vtmirror({"sync"}).status == 0);
  CHECK(rig.held() == stored(nginx));
}

TEST_CASE("nginx that ignores ranges is read whole over one connection a file") {
  if (const auto why = absent("nginx", "nginx")) return skip(*why);
  Rig rig(content);
  NginxStore nginx(rig, "max_ranges 0;");
  move_files_to(rig, nginx);
  nginx.list(std::time(nullptr) + 300);
  const auto ended = rig.vtmirror({"sync"});
  CAPTURE(ended.err);
  CHECK(ended.status == 0);
  CHECK(rig.held() == stored(nginx));
  CHECK(nginx.log().find(" 206 ") == std::string::npos);
}

TEST_CASE("a store that allows four connections is asked over as many, and no file fails for the others") {
  if (const auto why = absent("nginx", "nginx")) return skip(*why);
  // Large enough that more than four connections are tried, however slowly their number grows.
  Rig rig(R"({"bulk_bytes": 120000000, "delta_bytes": 300000})");
  NginxStore nginx(rig, "limit_rate 5m; limit_conn each 4;", "limit_conn_zone $binary_remote_addr zone=each:1m;");
  move_files_to(rig, nginx);
  nginx.list(std::time(nullptr) + 300);
  const auto ended = rig.vtmirror({"sync"});
  CAPTURE(ended.err);
  CHECK(ended.status == 0);
  CHECK(rig.held() == stored(nginx));
  // It tried more than four, was refused, and did not try again and again.
  const auto log = nginx.log();
  int refusals = 0;
  for (auto at = log.find(" 503 "); at != std::string::npos; at = log.find(" 503 ", at + 1)) ++refusals;
  CHECK(refusals >= 1);
  CHECK(refusals <= 12);
}

TEST_CASE("a store that limits each connection is asked over more of them, as long as each adds to the rate") {
  if (const auto why = absent("nginx", "nginx")) return skip(*why);
  Rig rig(R"({"bulk_bytes": 30000000, "delta_bytes": 300000})");
  NginxStore nginx(rig, "limit_rate 2m;");
  move_files_to(rig, nginx);
  nginx.list(std::time(nullptr) + 300);
  CHECK(connections_of_a_cycle(rig, nginx) >= 3);
}

TEST_CASE("a store that is far away is asked over more connections, and every byte is right") {
  if (const auto why = absent("nginx", "nginx")) return skip(*why);
  Rig rig(R"({"bulk_bytes": 30000000, "delta_bytes": 300000})");
  NginxStore nginx(rig);
  move_files_to(rig, nginx);
  constexpr char round_trip_ms[] = "80";
  constexpr char window_kib[] = "256";
  Child line({VTMIRROR_FAR_LINE, std::to_string(nginx.port()), round_trip_ms, window_kib});
  REQUIRE(line.read_until([](const Ended& said) { return said.out.ends_with("\n"); }));
  nginx.list(std::time(nullptr) + 300, std::stoi(line.so_far().out));
  CHECK(connections_of_a_cycle(rig, nginx) >= 3);
}

TEST_CASE("a store that allows one connection serves the deltas first, and no file fails for the others") {
  if (const auto why = absent("nginx", "nginx")) return skip(*why);
  for (const std::string connections : {"0", "4"}) {
    CAPTURE(connections);
    Rig rig(R"({"bulk_bytes": 12000000, "delta_bytes": 300000})");
    NginxStore nginx(rig, "limit_rate 4m; limit_conn each 1;", "limit_conn_zone $binary_remote_addr zone=each:1m;");
    move_files_to(rig, nginx);
    nginx.list(std::time(nullptr) + 300);
    rig.set("download", "connections", connections);
    rig.set("download", "attempts", "3");
    const auto ended = rig.vtmirror({"sync"});
    CAPTURE(ended.err);
    CHECK(ended.status == 0);
    CHECK(rig.held() == stored(nginx));
    CHECK(ended.err.rfind("published bulk") > ended.err.rfind("published delta"));
  }
}

TEST_CASE(
    "a file replaced under nginx during its download is downloaded from the beginning, and its bytes are never mixed") {
  if (const auto why = absent("nginx", "nginx")) return skip(*why);
  Rig rig(content);
  NginxStore nginx(rig, "limit_rate 6m;");
  move_files_to(rig, nginx);
  nginx.list(std::time(nullptr) + 300);
  rig.set("download", "connections", "1");
  Child sync(rig.command_line({"sync"}));
  REQUIRE(sync.read_until([](const Ended& e) { return e.err.find("published delta 18 Nov") != std::string::npos; }));
  sync.signal(SIGTERM);
  CHECK(sync.wait().status == 1);

  // Other bytes of the same length: only the ETag shows that the file was replaced.
  Rig other(R"({"seed": 2, "bulk_bytes": 20000000, "delta_bytes": 300000})");
  REQUIRE(other.vtmirror({"sync"}).status == 0);
  const auto bulk = fs::path("v1/public/bulk/year=2026/month=11/day=15/bulk-light-vehicle_15-11-2026.zip");
  REQUIRE(fs::file_size(other.mirror() / bulk) == fs::file_size(nginx.store() / bulk));
  fs::remove(nginx.store() / bulk);
  fs::copy_file(other.mirror() / bulk, nginx.store() / bulk);
  fs::last_write_time(nginx.store() / bulk, fs::last_write_time(nginx.store() / bulk) + std::chrono::hours(1));

  const auto ended = rig.vtmirror({"sync"});
  CAPTURE(ended.err);
  CHECK(ended.status == 0);
  CHECK(ended.err.find("starts over") != std::string::npos);
  CHECK(rig.held() == stored(nginx));
}
