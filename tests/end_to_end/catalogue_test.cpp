// A catalogue that is damaged is moved aside and made anew from the files on disk; the mirror never notices.
#include "end_to_end/daemon_site.hpp"

#include <doctest/doctest.h>
#include <sqlite3.h>

#include <fstream>
#include <functional>
#include <iterator>
#include <regex>

using namespace vtmirror::test;

namespace {

void overwrite(const fs::path& path, std::int64_t from, std::int64_t length) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(from);
  for (std::int64_t n = 0; n < length; ++n) file.put(static_cast<char>(n * 41 + 7));
}

std::int64_t size_of(const fs::path& path) { return static_cast<std::int64_t>(fs::file_size(path)); }

/// A mirror with a week that has left the listing and the one that is listed, and no daemon.
struct Mirror {
  Mirror() {
    site.rig.set("control", "group", "\"\"");
    REQUIRE(site.rig.vtmirror({"sync"}).status == 0);
    advance(5);
    REQUIRE(site.rig.vtmirror({"sync"}).status == 0);
    held = site.rig.held();
    manifest = said();
    rows = site.rig.vtmirror({"files"}).out;
  }
  /// The manifest without its stamps, which each cycle renews; only a daemon knows of a next check.
  json::object said() const {
    auto text = json::parse(read_file(site.rig.mirror() / "manifest.json")).as_object();
    CHECK(text.erase("checked_at") == 1);
    CHECK(text.erase("next_check") == text.erase("stale_after"));
    return text;
  }
  /// Makes the simulated day `days` days after the first one.
  void advance(int days) {
    const auto date = vtmirror::base::Date(std::chrono::sys_days(site.noon.today) + std::chrono::days(days));
    site.rig.control("POST", "/date", R"({"date":")" + vtmirror::base::iso8601(date) + "\"}");
  }
  /// Until it has nothing to do.
  void start() {
    site.start();
    Events events(site.socket);
    events.status([](const json::object& s) { return s.at("state") != "starting" && s.at("state") != "syncing"; });
  }
  void lose_catalogue() const {
    for (const std::string end : {"", "-wal", "-shm"}) fs::remove(catalogue.string() + end);
  }
  /// Everything in the database itself: what lies in the journal hides damage below it.
  void checkpoint() const {
    sqlite3* database = nullptr;
    REQUIRE(sqlite3_open(catalogue.c_str(), &database) == SQLITE_OK);
    REQUIRE(sqlite3_exec(database, "PRAGMA wal_checkpoint(TRUNCATE)", nullptr, nullptr, nullptr) == SQLITE_OK);
    sqlite3_close(database);
  }
  void damage_schema() const {
    checkpoint();
    overwrite(catalogue, 100, 3000);
  }
  std::vector<std::string> moved() const {
    std::vector<std::string> names;
    for (const auto& each : fs::directory_iterator(catalogue.parent_path())) {
      const auto name = each.path().filename().string();
      if (name.starts_with("catalogue.db.broken-") && !name.ends_with("-wal") && !name.ends_with("-shm"))
        names.push_back(name);
    }
    return names;
  }
  void forget_moved() const {
    std::vector<fs::path> gone;
    for (const auto& each : fs::directory_iterator(catalogue.parent_path()))
      if (has(each.path().filename().string(), ".broken-")) gone.push_back(each.path());
    for (const auto& path : gone) fs::remove(path);
  }
  void is_as_before() {
    CHECK(site.rig.held() == held);
    CHECK(said() == manifest);
    CHECK(run({"sh", "-c", "cd '" + site.rig.mirror().string() + "' && sha256sum -c --quiet SHA256SUMS"}).status == 0);
    CHECK(has(site.rig.vtmirror({"coverage"}).out, "complete"));
    CHECK(static_cast<std::size_t>(std::ranges::count(site.rig.vtmirror({"files"}).out, '\n')) ==
          static_cast<std::size_t>(std::ranges::count(rows, '\n')));
  }

  Site site;
  fs::path catalogue = site.rig.directory() / "config/state/catalogue.db";
  std::map<std::string, std::string> held;
  json::object manifest;
  std::string rows;
};

struct Damage {
  const char* what;
  std::function<void(const Mirror&)> make;
};

const std::vector<Damage> damages{
    {"the first bytes", [](const Mirror& m) { overwrite(m.catalogue, 0, 16); }},
    {"the whole header", [](const Mirror& m) { overwrite(m.catalogue, 0, 100); }},
    {"the schema", [](const Mirror& m) { overwrite(m.catalogue, 100, 3000); }},
    {"every page but the first", [](const Mirror& m) { overwrite(m.catalogue, 4096, size_of(m.catalogue) - 4096); }},
    {"a page in the middle", [](const Mirror& m) { overwrite(m.catalogue, size_of(m.catalogue) / 8192 * 4096, 4096); }},
    {"cut within a page", [](const Mirror& m) { fs::resize_file(m.catalogue, 5000); }},
    {"cut to a page", [](const Mirror& m) { fs::resize_file(m.catalogue, 4096); }},
    {"emptied", [](const Mirror& m) { fs::resize_file(m.catalogue, 0); }},
    {"a text", [](const Mirror& m) { write_file(m.catalogue, "catalogue\n"); }}};

}  // namespace

TEST_CASE("a catalogue that is damaged in any way is moved aside, and nothing is fetched, published or lost for it") {
  Mirror mirror;
  for (const auto& damage : damages) {
    CAPTURE(std::string(damage.what));
    mirror.checkpoint();
    mirror.forget_moved();
    damage.make(mirror);
    const auto broken = read_file(mirror.catalogue);
    const auto before = mirror.site.rig.requests("store").size();
    const auto ended = mirror.site.rig.vtmirror({"sync"});
    CAPTURE(ended.err);
    CHECK(ended.status == 0);
    CHECK(has(ended.err, "the catalogue was damaged and was rebuilt; the damaged one is "));
    const auto asked = mirror.site.rig.requests("store");
    CHECK(asked.size() == before + mirror.site.rig.upstream().size());
    for (auto i = before; i < asked.size(); ++i) {
      CHECK_MESSAGE(asked[i].range == "bytes=0-0", "only the ETag of ", asked[i].path, " is asked for");
    }
    REQUIRE(mirror.moved().size() == 1);
    CHECK(has(ended.err, mirror.moved()[0]));
    CHECK(read_file(mirror.catalogue.parent_path() / mirror.moved()[0]) == broken);
    mirror.is_as_before();
  }
}

TEST_CASE("verify says that the catalogue was moved aside, and where to") {
  Mirror mirror;
  mirror.damage_schema();
  const auto ended = mirror.site.rig.vtmirror({"verify"});
  CAPTURE(ended.err);
  CHECK(ended.status == 0);
  REQUIRE(mirror.moved().size() == 1);
  CHECK(has(ended.err, mirror.moved()[0] + ", and a new one is being made from the files on disk"));
  mirror.is_as_before();
}

TEST_CASE("a dry run of prune beside a damaged catalogue fails with the reason, and changes nothing") {
  Mirror mirror;
  mirror.damage_schema();
  const auto broken = read_file(mirror.catalogue);
  const auto ended = mirror.site.rig.vtmirror({"prune", "--dry-run"});
  CAPTURE(ended.err);
  CHECK(ended.status == 1);
  CHECK(has(ended.err, "vtmirror: the catalogue " + mirror.catalogue.string()));
  CHECK(has(ended.err, "what `vtmirror prune` removes is not known before that"));
  CHECK(ended.out.empty());
  CHECK(mirror.moved().empty());
  CHECK(read_file(mirror.catalogue) == broken);
}

TEST_CASE("each command that a reader names as a remedy makes a damaged catalogue anew") {
  for (const std::string command : {"sync", "verify", "prune"}) {
    CAPTURE(command);
    Mirror mirror;
    mirror.damage_schema();
    const auto read = mirror.site.rig.vtmirror({"files"});
    CAPTURE(read.err);
    CHECK(read.status == 1);
    CHECK(has(read.err, (command == "sync" ? "`vtmirror " : "`") + command + '`'));
    CHECK(mirror.moved().empty());
    CHECK(mirror.site.rig.vtmirror({command}).status == 0);
    CHECK(mirror.moved().size() == 1);
    mirror.is_as_before();
  }
}

TEST_CASE("a catalogue from a backup that was put back is older than the mirror, and does not set it back") {
  Mirror mirror;
  mirror.checkpoint();
  const auto backup = read_file(mirror.catalogue);
  mirror.advance(6);
  REQUIRE(mirror.site.rig.vtmirror({"sync"}).status == 0);
  mirror.manifest = mirror.said();
  mirror.held = mirror.site.rig.held();
  mirror.rows = mirror.site.rig.vtmirror({"files"}).out;
  mirror.checkpoint();
  write_file(mirror.catalogue, backup);
  const auto ended = mirror.site.rig.vtmirror({"sync"});
  CAPTURE(ended.err);
  CHECK(ended.status == 0);
  CHECK(has(ended.err, "has lost records"));
  CHECK(mirror.moved().size() == 1);
  mirror.is_as_before();
}

TEST_CASE("a journal of which the bytes are garbage does not set the mirror back") {
  Mirror mirror;
  mirror.checkpoint();
  mirror.advance(6);
  mirror.start();
  REQUIRE(mirror.site.rig.vtmirror({"sync"}).status == 0);
  // In the order in which a process ends, SQLite empties its journal.
  static_cast<void>(mirror.site.stop(SIGKILL));
  mirror.manifest = mirror.said();
  mirror.held = mirror.site.rig.held();
  mirror.rows = mirror.site.rig.vtmirror({"files"}).out;
  const auto journal = mirror.catalogue.string() + "-wal";
  REQUIRE(size_of(journal) > 0);
  overwrite(journal, 0, size_of(journal));
  fs::remove(mirror.catalogue.string() + "-shm");
  const auto ended = mirror.site.rig.vtmirror({"sync"});
  CAPTURE(ended.err);
  CHECK(ended.status == 0);
  mirror.is_as_before();
}

TEST_CASE("commands that only read say that the catalogue is damaged and what mends it, and touch nothing") {
  Mirror mirror;
  mirror.checkpoint();
  overwrite(mirror.catalogue, 0, size_of(mirror.catalogue));
  const auto broken = read_file(mirror.catalogue);
  for (const auto& command :
       std::vector<std::vector<std::string>>{{"files"}, {"coverage"}, {"history"}, {"changes", "--since", "0"}}) {
    const auto ended = mirror.site.rig.vtmirror(command);
    CAPTURE(ended.err);
    CHECK(ended.status == 1);
    CHECK(has(ended.err, "is damaged or not a catalogue"));
    CHECK(has(ended.err, "`vtmirror sync` move it aside"));
  }
  CHECK(read_file(mirror.catalogue) == broken);
  CHECK(mirror.moved().empty());
}

TEST_CASE("a command that reads no file on disk refuses a lost catalogue, and leaves it to the next cycle") {
  struct Loss {
    std::string_view what;
    std::function<void(const fs::path&)> lose;
  };
  // What a start makes first, before it reads the files on disk.
  const auto anew = [] {
    Site empty;
    REQUIRE(empty.rig.vtmirror({"next", "warehouse"}).status == 0);
    return read_file(empty.rig.directory() / "config/state/catalogue.db");
  }();
  const std::vector<Loss> losses{{"not filled yet", [&anew](const auto& path) { write_file(path, anew); }},
                                 {"cut", [](const auto& path) { fs::resize_file(path, 60'000); }},
                                 {"gone", [](const auto& path) { fs::remove(path); }},
                                 {"emptied", [](const auto& path) { fs::resize_file(path, 0); }}};
  for (const auto& loss : losses) {
    CAPTURE(loss.what);
    Mirror mirror;
    REQUIRE(mirror.site.rig.vtmirror({"next", "warehouse"}).status == 0);
    mirror.checkpoint();
    for (const std::string end : {"-wal", "-shm"}) fs::remove(mirror.catalogue.string() + end);
    loss.lose(mirror.catalogue);
    const auto left = fs::exists(mirror.catalogue) ? read_file(mirror.catalogue) : "none";
    for (const auto& command : std::vector<std::vector<std::string>>{{"next", "warehouse"},
                                                                     {"ack", "warehouse", "1-1"},
                                                                     {"consumers", "--forget", "warehouse"},
                                                                     {"consumers"},
                                                                     {"wait", "--timeout", "1s"},
                                                                     {"cat", "bulk"},
                                                                     {"coverage"},
                                                                     {"files"}}) {
      const auto ended = mirror.site.rig.vtmirror(command);
      CAPTURE(command.front());
      CAPTURE(ended.err);
      CHECK(ended.status == 1);
      CHECK(has(ended.err, "`vtmirror run` and `vtmirror sync`"));
    }
    CHECK((fs::exists(mirror.catalogue) ? read_file(mirror.catalogue) : "none") == left);
    CHECK(mirror.moved().empty());
    CHECK(mirror.site.rig.vtmirror({"sync"}).status == 0);
    CHECK(has(mirror.site.rig.vtmirror({"next", "warehouse"}).out, "bulk"));
  }
}

TEST_CASE("a directory in the catalogue's place is an error, and nothing is rebuilt") {
  Mirror mirror;
  for (const auto* end : {"", "-wal", "-shm"}) fs::remove(mirror.catalogue.string() + end);
  fs::create_directory(mirror.catalogue);
  const auto ended = mirror.site.rig.vtmirror({"sync"});
  CHECK(ended.status == 2);
  CHECK(has(ended.err, "mirror.catalogue cannot be used"));
  CHECK(mirror.moved().empty());
  CHECK(mirror.site.rig.held() == mirror.held);
}

TEST_CASE("the daemon moves a damaged catalogue aside at its start, and shows it until the damaged one is removed") {
  Mirror mirror;
  mirror.checkpoint();
  overwrite(mirror.catalogue, 4096, size_of(mirror.catalogue) - 4096);
  mirror.site.start();
  Events events(mirror.site.socket);
  CHECK(events.status([](const json::object& s) { return s.at("state") != "starting" && s.at("state") != "syncing"; })
            .at("mirror")
            .as_object()
            .at("files")
            .as_int64() == static_cast<std::int64_t>(mirror.held.size()));
  CHECK(has_problem(mirror.site.status(), "catalogue_rebuilt"));
  CHECK(mirror.site.rig.vtmirror({"status", "--check"}).status == 1);
  CHECK(has(mirror.site.rig.vtmirror({"status"}).out, "that ends"));
  REQUIRE(mirror.moved().size() == 1);
  fs::remove(mirror.catalogue.parent_path() / mirror.moved()[0]);
  CHECK(mirror.site.rig.vtmirror({"sync"}).status == 0);
  CHECK(mirror.site.logged("resolved: the catalogue was damaged and was rebuilt"));
  mirror.is_as_before();
}

TEST_CASE("a daemon whose catalogue is damaged at run time makes a new one and continues") {
  Mirror mirror;
  mirror.start();
  fs::resize_file(mirror.catalogue, 4096);
  fs::resize_file(mirror.catalogue.string() + "-wal", 0);
  static_cast<void>(mirror.site.rig.vtmirror({"sync"}));
  REQUIRE(mirror.site.logged("the catalogue was damaged and was rebuilt; the damaged one is "));
  CHECK(mirror.site.rig.vtmirror({"sync"}).status == 0);
  CHECK(has_problem(mirror.site.status(), "catalogue_rebuilt"));
  mirror.is_as_before();
}

TEST_CASE("a daemon whose catalogue is removed under it makes a new one and continues") {
  Mirror mirror;
  mirror.start();
  mirror.lose_catalogue();
  static_cast<void>(mirror.site.rig.vtmirror({"sync"}));
  REQUIRE(mirror.site.logged("was removed, moved or replaced while it was in use"));
  REQUIRE(mirror.site.logged("the catalogue was rebuilt with "));
  CHECK(mirror.site.rig.vtmirror({"sync"}).status == 0);
  CHECK(fs::exists(mirror.catalogue));
  mirror.is_as_before();
}

TEST_CASE("a daemon takes another catalogue in the place of its own as often as that happens") {
  Mirror mirror;
  mirror.site.start();
  const auto backup = mirror.catalogue.string() + ".backup";
  for (int time = 0; time < 4; ++time) {
    CAPTURE(time);
    CHECK(mirror.site.rig.vtmirror({"sync"}).status == 0);
    mirror.checkpoint();
    fs::copy_file(mirror.catalogue, backup);
    fs::rename(backup, mirror.catalogue);
    static_cast<void>(mirror.site.rig.vtmirror({"sync"}));
    // Until it answers again; it holds the mirror meanwhile.
    const std::regex start("settings read from ");
    REQUIRE(mirror.site.daemon->read_until([&](const Ended& said) {
      return std::distance(std::sregex_iterator(said.err.begin(), said.err.end(), start), {}) == time + 2;
    }));
  }
  CHECK(mirror.site.rig.vtmirror({"sync"}).status == 0);
  CHECK(mirror.moved().empty());
  CHECK(mirror.site.stop().status == 0);
}

TEST_CASE("a stop ends a daemon whose catalogue is gone, and makes none") {
  Mirror mirror;
  mirror.start();
  mirror.lose_catalogue();
  CHECK(mirror.site.stop().status == 0);
  CHECK_FALSE(fs::exists(mirror.catalogue));
}

TEST_CASE("a new mirror answers while its first files are downloaded") {
  Site site;
  site.rig.set("download", "rate_limit", "\"100 KiB/s\"");
  site.start();
  REQUIRE(site.logged("downloading bulk"));
  for (const auto& command :
       std::vector<std::vector<std::string>>{{"files"}, {"history"}, {"coverage"}, {"consumers"}}) {
    const auto ended = site.rig.vtmirror(command);
    CAPTURE(ended.err);
    CHECK(ended.status == 0);
  }
  CHECK(site.stop().status == 0);
  CHECK(site.rig.vtmirror({"next", "warehouse"}).status == 0);
}

TEST_CASE("kill -9 at any instant of a rebuild leaves the next one to do it") {
  Mirror mirror;
  for (int n = 0; n < 8; ++n) {
    mirror.checkpoint();
    mirror.forget_moved();
    overwrite(mirror.catalogue, 4096, size_of(mirror.catalogue) - 4096);
    {
      Child child(mirror.site.rig.command_line({"sync", "--log-level", "debug"}));
      // Each one a few lines of its log later than the one before.
      int lines = 0;
      child.read_until([&](const Ended& e) {
        lines = static_cast<int>(std::ranges::count(e.err, '\n'));
        return lines >= n;
      });
      child.signal(SIGKILL);
      static_cast<void>(child.wait());
    }
    const auto ended = mirror.site.rig.vtmirror({"sync"});
    CAPTURE(n);
    CAPTURE(ended.err);
    CHECK(ended.status == 0);
    CHECK(mirror.moved().size() == 1);
    mirror.is_as_before();
  }
}
