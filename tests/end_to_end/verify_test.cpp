// `vtmirror verify`, with a daemon and without one: what it finds on a real disk, what it says, and what it repairs.
#include "end_to_end/daemon_site.hpp"
#include "end_to_end/traced.hpp"
#include "support/skip.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

using namespace vtmirror::test;

namespace {

/// Another byte in the middle; size and times stay.
void flip(const fs::path& path) {
  const auto written = fs::last_write_time(path);
  const auto middle = static_cast<std::streamoff>(fs::file_size(path) / 2);
  {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekg(middle);
    const char byte = static_cast<char>(file.get() ^ 1);
    file.seekp(middle);
    file.put(byte);
    REQUIRE(file.good());
  }
  fs::last_write_time(path, written);
}

/// Of another file, in the place of this one and with its times.
void replace_by_as_many(const fs::path& path) {
  const auto written = fs::last_write_time(path);
  const std::string others(fs::file_size(path), 'x');
  fs::remove(path);
  write_file(path, others);
  fs::last_write_time(path, written);
}

/// A mirror that holds five files, and the newest of its deltas.
struct Held : Site {
  Held() {
    REQUIRE(rig.vtmirror({"sync"}).status == 0);
    REQUIRE(rig.held() == rig.upstream());
    for (const auto& [name, digest] : rig.held())
      if (has(name, "/delta/")) newest = name;
    REQUIRE_FALSE(newest.empty());
  }
  fs::path path() const { return rig.mirror() / newest; }
  bool is_named() const { return has(read_file(rig.mirror() / "SHA256SUMS"), newest); }
  /// Whether the links in load order are those of the chain in the manifest, and each leads to the bytes named there.
  bool do_links_follow() const {
    std::vector<fs::path> links;
    for (const auto& entry : fs::directory_iterator(rig.mirror() / "current")) links.push_back(entry.path());
    std::ranges::sort(links);
    const auto manifest = manifest_of(rig);
    const auto& chain = manifest.at("chain").as_array();
    return std::ranges::equal(links, chain, [](const fs::path& link, const json::value& file) {
      return fs::exists(link) && sha256_of(link) == file.at("sha256").as_string().c_str();
    });
  }
  std::string state_of(const std::string& name) {
    const auto files = json::parse(rig.vtmirror({"files", "--json"}).out);
    for (const auto& row : files.at("files").as_array())
      if (row.at("name").as_string() == name) return std::string(row.at("state").as_string());
    return "none";
  }

  std::string newest;
};

struct Harm {
  std::string what;
  std::function<void(const fs::path&)> harm;
  std::string state;
};

const std::vector<Harm>& harms() {
  static const std::vector<Harm> all{
      {"flipped", flip, "damaged"},
      {"cut", [](const fs::path& path) { fs::resize_file(path, fs::file_size(path) - 1); }, "damaged"},
      {"grown", [](const fs::path& path) { std::ofstream(path, std::ios::app) << 'x'; }, "damaged"},
      {"missing", [](const fs::path& path) { fs::remove(path); }, "lost"},
      {"replaced", [](const fs::path& path) { std::ofstream(path, std::ios::trunc) << "another file"; }, "damaged"},
      {"replaced by as many bytes", replace_by_as_many, "damaged"},
  };
  return all;
}

}  // namespace

TEST_CASE("verify finds what was flipped, cut, grown, lost or replaced, and --repair brings it back") {
  Held site;
  const auto fine = site.rig.vtmirror({"verify"});
  CAPTURE(fine.err);
  CHECK(fine.status == 0);
  CHECK(has(fine.err, "verified 5 files"));
  CHECK(has(fine.err, "all are whole"));
  CHECK(has(fine.err, "the chain to load is complete"));
  for (const auto& each : harms()) {
    CAPTURE(each.what);
    each.harm(site.path());
    const auto found = site.rig.vtmirror({"verify"});
    CAPTURE(found.err);
    CHECK(found.status == 1);
    CHECK(has(found.err, "1 is " + each.state));
    CHECK(has(found.err, "the chain to load is not complete"));
    CHECK(site.state_of(site.newest) == each.state);
    CHECK_FALSE(site.is_named());
    CHECK(site.do_links_follow());
    CHECK_FALSE(manifest_of(site.rig).at("complete").as_bool());

    const auto repaired = site.rig.vtmirror({"verify", "--repair"});
    CAPTURE(repaired.err);
    CHECK(repaired.status == 0);
    CHECK(has(repaired.err, "1 was damaged or lost and was downloaded again"));
    CHECK(site.is_named());
    CHECK(site.rig.held() == site.rig.upstream());
    CHECK(site.do_links_follow());
    CHECK(manifest_of(site.rig).at("complete").as_bool());
  }
}

TEST_CASE("without digests, verify goes by the sizes and by the ZIPs' own checksums") {
  Site empty;
  empty.rig.set("mirror", "digest", "\"none\"");
  REQUIRE(empty.rig.vtmirror({"sync"}).status == 0);
  const auto newest = manifest_of(empty.rig).at("chain").as_array().back().at("name").as_string();
  const auto path = empty.rig.mirror() / newest.c_str();
  CHECK(empty.rig.vtmirror({"verify"}).status == 0);
  for (const auto& each : harms()) {
    CAPTURE(each.what);
    each.harm(path);
    const auto found = empty.rig.vtmirror({"verify"});
    CAPTURE(found.err);
    CHECK(found.status == 1);
    CHECK(has(found.err, "1 is " + each.state));
    CHECK(empty.rig.vtmirror({"verify", "--repair"}).status == 0);
    CHECK(empty.rig.held() == empty.rig.upstream());
  }
}

TEST_CASE("verify reads only the files that are named, and refuses a name that is none") {
  Held site;
  flip(site.path());
  CHECK(site.rig.vtmirror({"verify", "bulk"}).status == 0);
  CHECK(site.state_of(site.newest) == "held");
  const auto wrong = site.rig.vtmirror({"verify", "bulk", "nonsense.zip"});
  CHECK(wrong.status == 2);
  CHECK(has(wrong.err, "nonsense.zip"));
  const auto leaf = fs::path(site.newest).filename().string();
  CHECK(site.rig.vtmirror({"verify", leaf}).status == 1);
  CHECK(site.state_of(site.newest) == "damaged");
}

TEST_CASE("what is damaged and not listed any more cannot be repaired, and is whole again when it is put back") {
  Rig rig(R"({"bulk_bytes": 300000, "delta_bytes": 20000})");
  REQUIRE(rig.vtmirror({"sync"}).status == 0);
  rig.control("POST", "/date", R"({"date":"2026-11-22"})");
  REQUIRE(rig.vtmirror({"sync"}).status == 0);
  std::string old;
  const auto listed = rig.upstream();
  for (const auto& [name, digest] : rig.held())
    if (!listed.contains(name)) old = name;
  REQUIRE_FALSE(old.empty());
  const auto bytes = read_file(rig.mirror() / old);
  flip(rig.mirror() / old);
  const auto found = rig.vtmirror({"verify", "--repair"});
  CAPTURE(found.err);
  CHECK(found.status == 1);
  CHECK(has(found.err, "it is not listed any more and cannot be downloaded again: restore it from a backup"));
  const auto printed = rig.vtmirror({"cat", fs::path(old).filename().string()});
  CAPTURE(printed.err);
  CHECK(printed.status == 1);
  CHECK(has(printed.err, "it is not listed any more and cannot be downloaded again: restore it from a backup"));
  CHECK(has(printed.err, "`vtmirror coverage` shows what the chain lacks without it"));
  CHECK_FALSE(has(printed.err, "downloads it again"));
  CHECK_FALSE(has(read_file(rig.mirror() / "SHA256SUMS"), old));
  const auto tried = rig.vtmirror({"sync"});
  CAPTURE(tried.err);
  CHECK(tried.status == 1);
  CHECK(has(tried.err, "; restore it from a backup, then run `vtmirror verify`\n"));
  write_file(rig.mirror() / old, bytes);
  const auto back = rig.vtmirror({"verify"});
  CAPTURE(back.err);
  CHECK(back.status == 0);
  CHECK(has(back.err, "1 is whole again"));
  CHECK(has(read_file(rig.mirror() / "SHA256SUMS"), old));
}

TEST_CASE("a symlink in the place of a directory is named as what is in the way, and nothing is downloaded in vain") {
  Rig rig;
  REQUIRE(rig.vtmirror({"sync"}).status == 0);
  const auto asked = rig.requests("store").size();
  const auto bulk = rig.mirror() / "v1/public/bulk";
  const auto elsewhere = rig.directory() / "bigger";
  fs::rename(bulk, elsewhere);
  fs::create_directory_symlink(elsewhere, bulk);
  const std::string what = "v1/public/bulk is a symlink";
  CHECK(has(rig.vtmirror({"verify"}).err, what));
  for (int time = 0; time < 2; ++time) {
    const auto ended = rig.vtmirror({"sync"});
    CAPTURE(ended.err);
    CHECK(ended.status == 1);
    CHECK(has(ended.err, what));
    CHECK(has(ended.err, "move the directory back, or mount its disk there"));
    CHECK_FALSE(has(ended.err, "from the start"));
  }
  CHECK(rig.requests("store").size() == asked);
  fs::remove(bulk);
  fs::rename(elsewhere, bulk);
  CHECK(rig.vtmirror({"sync"}).status == 0);
}

TEST_CASE("a directory in the place of a file is named, with what removes the obstacle, and then the file comes back") {
  Held site;
  fs::remove(site.path());
  fs::create_directory(site.path());
  const std::string what = "a directory is in its place", remedy = "move that away";
  for (const auto& command : {"verify", "sync"}) {
    const auto ended = site.rig.vtmirror({command});
    CAPTURE(ended.err);
    CHECK(ended.status == 1);
    CHECK(has(ended.err, what));
    CHECK(has(ended.err, remedy));
    CHECK_FALSE(has(ended.err, "; the next cycle downloads it again"));
  }
  fs::remove(site.path());
  CHECK(site.rig.vtmirror({"sync"}).status == 0);
  CHECK(site.rig.held() == site.rig.upstream());
}

TEST_CASE("a start says of each file that is not as it was published what is true of it, and what can be done") {
  Rig rig(R"({"bulk_bytes": 300000, "delta_bytes": 20000})");
  REQUIRE(rig.vtmirror({"sync"}).status == 0);
  rig.control("POST", "/date", R"({"date":"2026-11-24"})");
  REQUIRE(rig.vtmirror({"sync"}).status == 0);
  const auto listed = rig.upstream();
  std::vector<std::string> old, now;
  for (const auto& [name, digest] : rig.held())
    if (has(name, "/delta/")) (listed.contains(name) ? now : old).push_back(name);
  REQUIRE(old.size() >= 2);
  REQUIRE(now.size() >= 2);
  fs::remove(rig.mirror() / old[0]);
  std::ofstream(rig.mirror() / old[1], std::ios::app) << "more";
  fs::remove(rig.mirror() / now[0]);
  fs::resize_file(rig.mirror() / now[1], 100);
  const auto bytes = std::to_string(fs::file_size(rig.mirror() / old[1])) + " bytes, ";
  const auto ended = rig.vtmirror({"verify", "bulk"});
  CAPTURE(ended.err);
  const std::string gone = "; it is not listed any more and cannot be downloaded again: restore it from a backup",
                    comes = "; the next cycle downloads it again";
  CHECK(has(ended.err, " is lost: it is not on disk" + gone));
  CHECK(has(ended.err, " is lost: it is not on disk" + comes));
  CHECK(has(ended.err, " is damaged: it has " + bytes));
  CHECK(has(ended.err, " were published" + gone));
  CHECK(has(ended.err, " is damaged: it has 100 bytes, "));
  CHECK(has(ended.err, " were published" + comes));
}

TEST_CASE("a file that the disk does not give back is damaged, and the others are read") {
  if (const auto why = cannot_trace()) return skip(*why);
  Held site;
  const auto trace = site.rig.directory() / "trace";
  const auto ended =
      run_traced(site.rig, "verify",
                 {"-P", site.path().string(), "-e", "trace=pread64", "-e", "inject=pread64:error=EIO:when=1+"}, trace);
  CAPTURE(ended.err);
  CHECK(has(read_file(trace), "INJECTED"));
  CHECK(ended.status == 1);
  CHECK(has(ended.err, "Input/output error"));
  CHECK(has(ended.err, "verified 5 files"));
  CHECK(site.state_of(site.newest) == "damaged");
  CHECK(site.rig.vtmirror({"verify", "--repair"}).status == 0);
}

TEST_CASE("beside a daemon, a file that the disk does not give back is damaged, and the daemon continues") {
  if (const auto why = cannot_trace()) return skip(*why);
  Held site;
  site.start();
  Events(site.socket).state("idle");
  {
    Child tracer({program("strace").value(), "-f", "-p", std::to_string(site.daemon->pid()), "-o", "/dev/null", "-P",
                  site.path().string(), "-e", "trace=pread64", "-e", "inject=pread64:error=EIO:when=1+"});
    REQUIRE(tracer.read_until([](const Ended& e) { return has(e.err, "attached"); }));
    const auto found = site.rig.vtmirror({"verify"});
    CAPTURE(found.err);
    CHECK(found.status == 1);
    CHECK(has(found.err, "Input/output error"));
    CHECK(has(found.err, "verified 5 files"));
    tracer.signal(SIGINT);
    tracer.wait();
  }
  REQUIRE(site.logged("resolved: "));
  CHECK(site.rig.held() == site.rig.upstream());
  CHECK(site.do_links_follow());
  CHECK(site.stop().status == 0);
}

TEST_CASE("verify --json prints an event a line, and the last one says what was found") {
  Held site;
  flip(site.path());
  const auto ended = site.rig.vtmirror({"verify", "--json"});
  CHECK(ended.status == 1);
  std::istringstream lines(ended.out);
  json::object last;
  std::size_t found = 0;
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    last = json::parse(line).as_object();
    found += last.contains("type") && last.at("type").as_string() == "damage_found" ? 1 : 0;
  }
  CHECK(found == 1);
  CHECK(last.at("event").as_string() == "verification");
  CHECK_FALSE(last.at("clean").as_bool());
  CHECK(last.at("files").as_int64() == 5);
  REQUIRE(last.at("findings").as_array().size() == 1);
  CHECK(last.at("findings").at(0).at("state").as_string() == "damaged");
}

TEST_CASE("a repair that brings nothing back says why, and what to do") {
  Held site;
  flip(site.path());
  site.rig.control("POST", "/script",
                   R"({"faults": [{"at": "store", "match": "delta", "flip_at": 5000, "times": 0}]})");
  const auto ended = site.rig.vtmirror({"verify", "--repair", "--json"});
  CAPTURE(ended.err);
  CAPTURE(ended.out);
  CHECK(ended.status == 1);
  CHECK(has(ended.err, "1 quarantined\nvtmirror: "));
  const auto last = ended.out.substr(ended.out.rfind("\n{") + 1);
  CHECK(json::parse(last).at("cause").at("code").as_string() == "integrity");
}

TEST_CASE(
    "the status shows how far a verification is, also when nobody follows it any more, and a second one says so") {
  Held site;
  site.start();
  Events events(site.socket);
  CHECK(events.state("idle").at("verification").is_null());
  Child asking(site.rig.command_line({"verify", "--rate", "100kB/s"}));
  const auto runs = [](const json::object& status) { return status.at("verification").is_object(); };
  CHECK(events.status(runs).at("verification").at("files").as_int64() == 5);
  asking.signal(SIGINT);
  CHECK(asking.wait().status == 130);
  CHECK(has(site.rig.vtmirror({"status"}).out, "Verifying "));
  const auto second = site.rig.vtmirror({"verify", "bulk"});
  CAPTURE(second.err);
  CHECK(second.status == 1);
  CHECK(has(second.err, "a verification is running already (0 of 5 files, "));
  CHECK(has(second.err, "a restart of the daemon ends it"));
  CHECK(site.stop().status == 0);
}

TEST_CASE("beside a daemon, the daemon verifies: it reports the damage and downloads the file again at once") {
  Held site;
  const auto log = site.rig.directory() / "notices";
  add_hook(site.rig, "[\"warning\"]", "cat >>" + log.string() + "; echo >>" + log.string());
  site.start();
  Events(site.socket).state("idle");
  const auto fine = site.rig.vtmirror({"verify"});
  CAPTURE(fine.err);
  CHECK(fine.status == 0);
  CHECK(has(fine.err, "following its verification"));
  CHECK(has(fine.err, "verified 5 files"));
  const auto wrong = site.rig.vtmirror({"verify", "nonsense"});
  CHECK(wrong.status == 2);
  CHECK(wrong.err == "vtmirror: the mirror holds no file that is called nonsense\nvtmirror: see `vtmirror files`\n");

  flip(site.path());
  const auto found = site.rig.vtmirror({"verify"});
  CAPTURE(found.err);
  CHECK(found.status == 1);
  CHECK(has(found.err, "1 is damaged"));
  REQUIRE(site.logged("resolved: "));
  CHECK(site.rig.held() == site.rig.upstream());
  CHECK(site.is_named());

  fs::remove(site.path());
  const auto repaired = site.rig.vtmirror({"verify", "--repair"});
  CAPTURE(repaired.err);
  CHECK(repaired.status == 0);
  CHECK(has(repaired.err, "1 is lost"));
  CHECK(has(repaired.err, "it is whole"));
  CHECK(site.rig.held() == site.rig.upstream());
  CHECK(site.stop().status == 0);
  const auto notices = read_file(log);
  CHECK(has(notices, "damaged_file"));
  CHECK(has(notices, "\"over\""));
}
