// `vtmirror prune`, with and without a daemon, and how long the disk lasts.
#include "end_to_end/daemon_site.hpp"
#include "support/json_schema.hpp"
#include "support/repository.hpp"
#include "support/skip.hpp"

#include <doctest/doctest.h>
#include <pwd.h>
#include <unistd.h>

using namespace vtmirror::test;

namespace {

/// A mirror that kept everything over some roll-overs, and then was set to keep the newest chain.
struct Hoard : Site {
  explicit Hoard(int weeks = 2) {
    auto day = vtmirror::base::Date(std::chrono::sys_days(noon.today) - std::chrono::days(7 * weeks));
    for (int week = 0; week <= weeks; ++week) {
      rig.control("POST", "/date", R"({"date":")" + vtmirror::base::iso8601(day) + "\"}");
      REQUIRE(rig.vtmirror({"sync"}).status == 0);
      day = std::chrono::sys_days(day) + std::chrono::days(7);
    }
    all = rig.held();
    newest = rig.upstream();
    REQUIRE(all.size() > newest.size());
  }
  void keep(int cycles) { rig.set("mirror", "keep_cycles", std::to_string(cycles)); }
  /// Of an answer with status 200.
  std::string body(const std::string& path, std::vector<std::string> more = {}) {
    const auto out = curl(path, std::move(more)).out;
    REQUIRE(out.ends_with("\n200"));
    return out.substr(0, out.size() - 4);
  }
  std::size_t older() const { return all.size() - newest.size(); }

  std::map<std::string, std::string> all;
  std::map<std::string, std::string> newest;
};

std::string to_remove(const Hoard& hoard) { return std::to_string(hoard.older()) + " files to remove, "; }

json::object as_the_schema_says(const std::string& text) {
  const auto value = json::parse(text);
  const JsonSchema schema(read_file(repository() / "packaging/schema" / "prune.schema.json"));
  CHECK(schema.faults(value) == "");
  return value.as_object();
}

}  // namespace

TEST_CASE(
    "without a daemon, prune removes what its dry run names, and nothing else, and asks the service for nothing") {
  Hoard hoard;
  const auto asked = hoard.rig.requests().size();
  hoard.keep(1);
  const auto planned = hoard.rig.vtmirror({"prune", "--dry-run"});
  CAPTURE(planned.out);
  CHECK(planned.status == 0);
  CHECK(has(planned.out, to_remove(hoard)));
  CHECK(has(planned.out, "at the present growth: "));
  CHECK(hoard.rig.held() == hoard.all);
  for (const auto& [name, digest] : hoard.all)
    CHECK(has(planned.out, fs::path(name).filename().string()) == !hoard.newest.contains(name));

  const auto generation = manifest_of(hoard.rig).at("generation").as_int64();
  const auto pruned = hoard.rig.vtmirror({"prune"});
  CAPTURE(pruned.err);
  CHECK(pruned.status == 0);
  CHECK(has(pruned.err, "vtmirror: removed " + std::to_string(hoard.older()) + " files, "));
  CHECK(hoard.rig.held() == hoard.newest);
  CHECK(manifest_of(hoard.rig).at("generation").as_int64() == generation + 1);
  CHECK(hoard.rig.requests().size() == asked);
  // Programs that read an older manifest still find its files.
  for (const auto& [name, digest] : hoard.all)
    CHECK(fs::exists(hoard.rig.mirror() / ".vtmirror/held" / digest) == !hoard.newest.contains(name));

  const auto again = hoard.rig.vtmirror({"prune"});
  CHECK(again.status == 0);
  CHECK(has(again.err, "nothing to remove"));
}

TEST_CASE("a mirror that keeps everything prunes nothing, and says what a setting would free") {
  Hoard hoard;
  const auto planned = hoard.rig.vtmirror({"prune", "--dry-run"});
  CHECK(planned.status == 0);
  CHECK(has(planned.out, "nothing to remove: mirror.keep_cycles is 0, which keeps every chain"));
  CHECK(has(planned.out, "mirror.keep_cycles = 2 would free "));
  CHECK(has(planned.out, ", 1 would free "));
  CHECK(hoard.rig.vtmirror({"prune"}).status == 0);
  CHECK(hoard.rig.held() == hoard.all);
}

TEST_CASE("a file that cannot be removed is named by each prune, its dry run and the end of a sync until it is gone") {
  if (::geteuid() != 0) return skip("only root can become another user");
  const auto* nobody = ::getpwnam("nobody");
  if (nobody == nullptr) return skip("there is no user nobody here");
  Hoard hoard(1);
  hoard.keep(1);
  const auto own = [](const fs::path& path, uid_t user) { REQUIRE(::lchown(path.c_str(), user, gid_t(-1)) == 0); };
  const auto state = hoard.rig.directory() / "config/state";
  fs::permissions(hoard.rig.directory(), fs::perms(0755));
  own(state, nobody->pw_uid);
  for (const auto& entry : fs::recursive_directory_iterator(state)) own(entry.path(), nobody->pw_uid);
  const auto is_old = [&](const auto& file) { return !hoard.newest.contains(file.first); };
  const auto old = std::ranges::find_if(hoard.all, is_old);
  REQUIRE(old != hoard.all.end());
  const auto stuck = hoard.rig.mirror() / old->first;
  own(stuck.parent_path(), 0);

  for (int time = 0; time < 3; ++time) {
    const auto pruned = hoard.rig.vtmirror({"prune"});
    CAPTURE(pruned.err);
    CHECK(pruned.status == 1);
    CHECK(has(pruned.err, "1 file could not be removed: "));
    CHECK(has(pruned.err, "lsattr"));
    CHECK(fs::exists(stuck));
    const auto planned = hoard.rig.vtmirror({"prune", "--dry-run"});
    CHECK(planned.status == 0);
    CHECK(has(planned.out, "1 file to remove, "));
    CHECK(has(planned.out, stuck.filename().string()));
  }
  const auto synced = hoard.rig.vtmirror({"sync"});
  CAPTURE(synced.err);
  CHECK(synced.status == 1);
  const auto end = synced.err.substr(synced.err.find("vtmirror: complete"));
  CHECK(has(end, " could not be removed: "));
  CHECK(has(end, "lsattr"));

  own(stuck.parent_path(), nobody->pw_uid);
  const auto last = hoard.rig.vtmirror({"prune"});
  CHECK(last.status == 0);
  CHECK(has(last.err, "vtmirror: removed 1 file, "));
  CHECK(hoard.rig.held() == hoard.newest);
  CHECK(hoard.rig.vtmirror({"sync"}).status == 0);
}

TEST_CASE("nothing is removed while the newest chain is not whole") {
  Hoard hoard(1);
  hoard.keep(1);
  for (const auto& [name, digest] : hoard.newest)
    if (has(name, "/delta/")) fs::remove(hoard.rig.mirror() / name);
  CHECK(has(hoard.rig.vtmirror({"prune", "--dry-run"}).out, "nothing to remove"));
  CHECK(has(hoard.rig.vtmirror({"prune"}).err, "nothing to remove"));
  for (const auto& [name, digest] : hoard.all)
    if (!hoard.newest.contains(name)) CHECK(hoard.rig.held().contains(name));
}

TEST_CASE("beside a daemon, prune asks the daemon") {
  Hoard hoard;
  hoard.keep(1);
  hoard.start();
  Events events(hoard.socket);
  events.state("idle");
  // The daemon's first cycle may have done it already: then there is nothing to compare.
  REQUIRE(hoard.rig.held() == hoard.all);
  const auto shown = hoard.rig.vtmirror({"prune", "--dry-run"});
  CHECK(shown.status == 0);
  CHECK(has(shown.out, to_remove(hoard)));
  CHECK(hoard.rig.held() == hoard.all);

  const auto looked = as_the_schema_says(hoard.body("/v1/prune"));
  CHECK_FALSE(looked.at("done").as_bool());
  CHECK(looked.at("removals").as_array().size() == hoard.older());

  const auto pruned = hoard.rig.vtmirror({"prune"});
  CAPTURE(pruned.err);
  CHECK(pruned.status == 0);
  CHECK(has(pruned.err, "vtmirror: removed " + std::to_string(hoard.older()) + " files, "));
  CHECK(hoard.rig.held() == hoard.newest);

  const auto again = as_the_schema_says(hoard.body("/v1/prune", {"-X", "POST"}));
  CHECK(again.at("done").as_bool());
  CHECK(again.at("removals").as_array().empty());
  CHECK(again.at("bytes").as_int64() == 0);
  CHECK(hoard.stop().status == 0);
}

TEST_CASE("the status says how long the disk lasts once two whole chains were measured, and not before") {
  Site young;
  REQUIRE(young.rig.vtmirror({"sync"}).status == 0);
  young.start();
  Events(young.socket).state("idle");
  const auto unknown = young.status().at("mirror").at("forecast").as_object();
  CHECK_FALSE(unknown.at("known").as_bool());
  CHECK(unknown.at("full_on").is_null());
  CHECK(has(young.rig.vtmirror({"status"}).out, "has no forecast yet"));
  CHECK_FALSE(has(young.curl("/metrics").out, "vtmirror_chain_growth_bytes"));

  Hoard hoard;
  hoard.start();
  Events(hoard.socket).state("idle");
  const auto known = hoard.status().at("mirror").at("forecast").as_object();
  CHECK(known.at("known").as_bool());
  CHECK(known.at("chain_days").as_int64() == 7);
  CHECK(known.at("chain_bytes").as_int64() > 2'000'000);
  CHECK(known.at("would_free").as_array().size() == 2);
  CHECK(has(hoard.rig.vtmirror({"status"}).out, "at the present growth: "));
  CHECK(has(hoard.curl("/metrics").out, "vtmirror_chain_growth_bytes "));
}

TEST_CASE("a disk that will be full within two roll-overs is a problem that names the setting that helps") {
  Hoard hoard;
  // What is free beside this reserve is less than two chains.
  hoard.rig.set("mirror", "reserve", "\"900000GiB\"");
  REQUIRE(hoard.rig.vtmirror({"sync"}).status == 0);
  hoard.start();
  Events(hoard.socket).state("idle");
  const auto status = hoard.status();
  CHECK(has_problem(status, "disk_forecast"));
  CHECK(has(hoard.rig.vtmirror({"status"}).out, "mirror.keep_cycles = 2 would free "));
}
