// Hostile ZIPs, given to the program at once, in a folder and by a store: each is refused with its own reason, in
// little time and memory, and what is harmless is published.
#include "support/hostile_zips.hpp"
#include "end_to_end/daemon_site.hpp"
#include "end_to_end/measured_run.hpp"
#include "end_to_end/nginx_store.hpp"
#include "support/sanitizer.hpp"
#include "support/skip.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <iomanip>
#include <sstream>

using namespace vtmirror;
using namespace vtmirror::test;

namespace {

std::chrono::year_month_day day_before(std::size_t n) {
  using namespace std::chrono;
  return sys_days(2026y / November / 15) - days(n);
}

/// As the service names the file of the n-th day before 15 November 2026.
std::string leaf_of_day(std::size_t n, const std::string& kind = "delta") {
  using namespace std::chrono;
  const auto day = day_before(n);
  std::ostringstream name;
  name << kind << "-light-vehicle_" << std::setfill('0') << std::setw(2) << static_cast<unsigned>(day.day()) << '-'
       << std::setw(2) << static_cast<unsigned>(day.month()) << '-' << static_cast<int>(day.year()) << ".zip";
  return name.str();
}

/// The directory of that file below the service's names.
fs::path directory_of_day(std::size_t n, const std::string& kind) {
  const auto day = day_before(n);
  std::ostringstream name;
  name << "v1/public/" << kind << "/year=" << static_cast<int>(day.year()) << "/month=" << std::setfill('0')
       << std::setw(2) << static_cast<unsigned>(day.month()) << "/day=" << std::setw(2)
       << static_cast<unsigned>(day.day());
  return name.str();
}

fs::path folder_of(const Rig& rig, const std::vector<HostileZip>& zips) {
  auto folder = rig.directory() / "folder";
  fs::create_directory(folder);
  for (std::size_t i = 0; i < zips.size(); ++i) {
    write_file(folder / leaf_of_day(i), zips[i].bytes);
    fs::permissions(folder / leaf_of_day(i), fs::perms(0644));
  }
  return folder;
}

/// nginx gets the ZIPs as deltas behind an ordinary bulk file, and lists them.
void put(const std::vector<HostileZip>& zips, NginxStore& nginx) {
  const auto write = [&](std::size_t day, const std::string& kind, const std::string& bytes) {
    const auto directory = nginx.store() / directory_of_day(day, kind);
    fs::create_directories(directory);
    write_file(directory / leaf_of_day(day, kind), bytes);
  };
  write(zips.size(), "bulk", hostile::sound());
  for (std::size_t i = 0; i < zips.size(); ++i) write(i, "delta", zips[i].bytes);
  nginx.serve_everything();
  nginx.list(std::time(nullptr) + 3600);
}

/// What the mirror has in quarantine: leaf and reason.
std::map<std::string, std::string> quarantined(Rig& rig) {
  std::map<std::string, std::string> reasons;
  const auto files = boost::json::parse(rig.vtmirror({"files", "--json"}).out);
  for (const auto& file : files.at("files").as_array())
    if (file.at("state") == "quarantined")
      reasons[fs::path(std::string(file.at("name").as_string())).filename().string()] = file.at("reason").as_string();
  return reasons;
}

/// What the same takes for as many ordinary ZIPs.
long peak_of_ordinary(std::size_t count) {
  Rig rig;
  const std::vector<HostileZip> zips(count, {.what = "ordinary", .bytes = hostile::sound(), .reason = {}});
  const auto [ended, peak] = measured_run(rig.command_line({"adopt", folder_of(rig, zips).string()}));
  CHECK(ended.status == 0);
  CHECK(rig.held().size() == count);
  return peak;
}

}  // namespace

TEST_CASE("the program refuses each ZIP of a hostile folder with its reason, and publishes the harmless ones") {
  const auto& zips = hostile_zips();
  Rig rig;
  const auto folder = folder_of(rig, zips);
  const auto began = std::chrono::steady_clock::now();
  const auto [ended, peak] = measured_run(rig.command_line({"adopt", folder.string()}));
  const auto took = std::chrono::steady_clock::now() - began;
  CHECK(ended.status == 1);
  const auto held = rig.held();
  std::size_t harmless = 0;
  for (std::size_t i = 0; i < zips.size(); ++i) {
    CAPTURE(zips[i].what);
    const auto leaf = leaf_of_day(i);
    const bool is_held = std::ranges::any_of(held, [&](const auto& file) { return file.first.ends_with(leaf); });
    CHECK(is_held == zips[i].reason.empty());
    if (zips[i].reason.empty())
      ++harmless;
    else
      CHECK(has(ended.err, "left " + leaf + " alone: " + zips[i].reason));
  }
  CHECK(harmless > 10);
  CHECK(held.size() == harmless);
  const auto ordinary = peak_of_ordinary(zips.size());
  REQUIRE(peak > 0);
  MESSAGE(zips.size() << " ZIPs in " << std::chrono::duration_cast<std::chrono::milliseconds>(took).count()
                      << " ms, at most " << peak << " KiB; as many ordinary ones take " << ordinary << " KiB");
  CHECK(took < std::chrono::minutes(sanitized ? 10 : 1));
  if (sanitized)
    skip("a sanitizer's records grow with what a program touches, so its memory says nothing of the program's");
  else
    CHECK(peak <= ordinary + 8 * 1024L);
}

TEST_CASE(
    "the program quarantines each hostile ZIP that a store sends with its reason, and publishes the harmless ones") {
  if (const auto why = absent("nginx", "nginx")) return skip(*why);
  const auto& zips = hostile_zips();
  Rig rig;
  NginxStore nginx(rig);
  put(zips, nginx);
  const auto began = std::chrono::steady_clock::now();
  const auto measured = measured_run(rig.command_line({"sync"}));
  const auto& ended = measured.ended;
  const auto took = std::chrono::steady_clock::now() - began;
  CAPTURE(ended.err);
  CHECK(ended.status == 1);
  const auto held = rig.held();
  const auto reasons = quarantined(rig);
  for (std::size_t i = 0; i < zips.size(); ++i) {
    CAPTURE(zips[i].what);
    const auto leaf = leaf_of_day(i);
    const bool is_held = std::ranges::any_of(held, [&](const auto& file) { return file.first.ends_with(leaf); });
    CHECK(is_held == zips[i].reason.empty());
    const auto refused = reasons.find(leaf);
    if (zips[i].bytes.empty()) {
      CHECK(has(ended.err, "0 bytes is not a file size"));
      CHECK(refused == reasons.end());
      continue;
    }
    REQUIRE((refused != reasons.end()) == !zips[i].reason.empty());
    if (refused != reasons.end()) CHECK(refused->second == zips[i].reason);
  }
  MESSAGE(zips.size() << " ZIPs in " << std::chrono::duration_cast<std::chrono::milliseconds>(took).count()
                      << " ms, at most " << measured.peak << " KiB");
}
