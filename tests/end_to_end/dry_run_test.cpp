// `sync --dry-run` without a daemon: it prints what a cycle would do, and leaves every byte on disk as it is.
#include "end_to_end/rig.hpp"
#include "support/repository.hpp"

#include <doctest/doctest.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <set>

using namespace vtmirror::test;
namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

constexpr char small[] = R"({"bulk_bytes": 1000000, "delta_bytes": 50000})";

/// Everything below a directory: name, inode, mode, size, time of the last change, contents.
std::set<std::string> tree_of(const fs::path& top) {
  std::set<std::string> found;
  if (!fs::exists(top)) return found;
  const auto add = [&](const fs::path& path) {
    struct stat status {};
    REQUIRE(::lstat(path.c_str(), &status) == 0);
    auto line = path.string() + ' ' + std::to_string(status.st_ino) + ' ' + std::to_string(status.st_mode) + ' ' +
                std::to_string(status.st_size) + ' ' + std::to_string(status.st_mtim.tv_sec) + '.' +
                std::to_string(status.st_mtim.tv_nsec);
    if (S_ISREG(status.st_mode)) line += ' ' + sha256_of(path);
    if (S_ISLNK(status.st_mode)) line += " -> " + fs::read_symlink(path).string();
    found.insert(line);
  };
  add(top);
  for (const auto& each : fs::recursive_directory_iterator(top)) add(each.path());
  return found;
}

/// SQL in a catalogue, beside the program.
void execute(const fs::path& path, const std::string& sql) {
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &database) == SQLITE_OK);
  const int code = sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr);
  const std::string why = sqlite3_errmsg(database);
  sqlite3_close(database);
  CAPTURE(why);
  REQUIRE(code == SQLITE_OK);
}

struct Site {
  Site() { fs::create_directory(temporary); }
  /// Makes the plan, and checks that nothing below the settings' directory was touched, or was left anywhere.
  Ended dry_run() {
    const auto before = tree_of(rig.directory() / "config");
    const auto store = rig.requests("store").size();
    auto ended = rig.vtmirror({"sync", "--dry-run"}, {"TMPDIR=" + temporary.string()});
    CHECK(tree_of(rig.directory() / "config") == before);
    CHECK(fs::is_empty(temporary));
    CHECK(rig.requests("store").size() == store);
    return ended;
  }
  static std::ptrdiff_t count(const Ended& ended, const std::string& action) {
    std::istringstream lines(ended.out);
    std::ptrdiff_t found = 0;
    for (std::string line; std::getline(lines, line);) found += line.starts_with(action + ' ') ? 1 : 0;
    return found;
  }
  /// A catalogue as version 0.1.0 left it, which knows the bulk file alone.
  void put_older_catalogue() const {
    const auto manifest = json::parse(read_file(rig.mirror() / "manifest.json")).as_object();
    const auto& bulk = manifest.at("chain").as_array().at(0).as_object();
    const auto text = [&](const char* key) { return "'" + std::string(bulk.at(key).as_string()) + "'"; };
    for (const auto* end : {"", "-wal", "-shm"}) fs::remove(catalogue.string() + end);
    std::set<fs::path> steps;
    for (const auto& each : fs::directory_iterator(repository() / "migrations")) steps.insert(each.path());
    for (const auto& step : steps)
      if (step.filename().string() < "0007") execute(catalogue, read_file(step));
    execute(catalogue,
            "INSERT INTO version (id, state, kind, name, date, size, sha256, etag, published_at) VALUES "
            "(1, 'public', 'bulk', " +
                text("name") + ", " + text("date") + ", " + std::to_string(bulk.at("size").as_int64()) + ", " +
                text("sha256") + ", '', 1000); INSERT INTO change VALUES (" +
                std::to_string(manifest.at("generation").as_int64()) + ", 1, 'published', 1000);");
    execute(catalogue, "PRAGMA user_version = 6; PRAGMA application_id = 1987341682; PRAGMA journal_mode = WAL");
  }

  Rig rig{small};
  fs::path temporary = rig.directory() / "temporary";
  fs::path catalogue = rig.directory() / "config/state/catalogue.db";
};

}  // namespace

TEST_CASE("a dry run where there is no mirror yet plans every file, and creates nothing") {
  Site site;
  const auto ended = site.dry_run();
  CAPTURE(ended.err);
  CHECK(ended.status == 0);
  CHECK(Site::count(ended, "fetch") == 5);
  CHECK_FALSE(fs::exists(site.rig.directory() / "config/state"));
}

TEST_CASE("a dry run over a mirror keeps what it holds and finds what it lacks, and changes nothing") {
  Site site;
  REQUIRE(site.rig.vtmirror({"sync"}).status == 0);
  auto ended = site.dry_run();
  CAPTURE(ended.err);
  CHECK(ended.status == 0);
  CHECK(Site::count(ended, "keep") == 5);
  fs::remove(site.rig.mirror() / site.rig.held().begin()->first);
  ended = site.dry_run();
  CHECK(ended.status == 0);
  CHECK(Site::count(ended, "keep") == 4);
  CHECK(Site::count(ended, "fetch again") == 1);
}

TEST_CASE("a dry run reads what only the catalogue's journal has, as a process that was killed leaves it") {
  Site site;
  REQUIRE(site.rig.vtmirror({"sync"}).status == 0);
  // The journal of an open connection, put back after that connection has emptied it.
  const auto wal = site.catalogue.string() + "-wal";
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open(site.catalogue.c_str(), &database) == SQLITE_OK);
  REQUIRE(sqlite3_exec(database,
                       "UPDATE version SET state = 'removed' WHERE kind = 'delta'; "
                       "INSERT INTO leaving SELECT name FROM version WHERE kind = 'delta'",
                       nullptr, nullptr, nullptr) == SQLITE_OK);
  const auto journal = read_file(wal);
  const auto file = read_file(site.catalogue);
  sqlite3_close(database);
  write_file(site.catalogue, file);
  write_file(wal, journal);
  fs::remove(site.catalogue.string() + "-shm");
  // Without the journal, they would be files that were lost.
  for (const auto& [name, bytes] : site.rig.held())
    if (name.find("/delta/") != std::string::npos) fs::remove(site.rig.mirror() / name);
  const auto ended = site.dry_run();
  CAPTURE(ended.err);
  CHECK(ended.status == 0);
  CHECK(Site::count(ended, "keep") == 1);
  CHECK(Site::count(ended, "fetch") == 4);
  CHECK(Site::count(ended, "fetch again") == 0);
}

TEST_CASE(
    "a dry run over the catalogue of an older version plans as that version's successor, and does not migrate it") {
  Site site;
  REQUIRE(site.rig.vtmirror({"sync"}).status == 0);
  site.put_older_catalogue();
  const auto ended = site.dry_run();
  CAPTURE(ended.err);
  CHECK(ended.status == 0);
  CHECK(Site::count(ended, "keep") == 1);
  CHECK(Site::count(ended, "adopt") == 4);
}

TEST_CASE("a dry run over a damaged catalogue says so, plans over the files on disk, and does not move it aside") {
  Site site;
  REQUIRE(site.rig.vtmirror({"sync"}).status == 0);
  for (const auto* damage : {"a header", "emptied"}) {
    CAPTURE(std::string(damage));
    const bool emptied = std::string(damage) == "emptied";
    // What lies in the journal hides damage below it.
    if (!emptied) execute(site.catalogue, "PRAGMA wal_checkpoint(TRUNCATE)");
    {
      std::fstream file(site.catalogue, std::ios::in | std::ios::out | std::ios::binary);
      for (int n = 0; n < 4096; ++n) file.put('x');
    }
    if (emptied) fs::resize_file(site.catalogue, 0);
    const auto ended = site.dry_run();
    CAPTURE(ended.err);
    CHECK(ended.status == 0);
    CHECK(ended.err.find(site.catalogue.string()) != std::string::npos);
    CHECK(ended.err.find("would move it aside") != std::string::npos);
    CHECK(Site::count(ended, "keep") == 5);
  }
}

TEST_CASE("a dry run over a file that is no catalogue, or one of a newer version, makes no plan and says why") {
  Site site;
  REQUIRE(site.rig.vtmirror({"sync"}).status == 0);
  execute(site.catalogue, "PRAGMA user_version = 9999");
  const auto ended = site.dry_run();
  CHECK(ended.status == 2);
  CHECK(ended.err.find(site.catalogue.string() + " has version 9999") != std::string::npos);
  CHECK(ended.out.empty());
}
