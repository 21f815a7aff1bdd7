// `vtmirror adopt`: a folder of files that somebody has costs no download, and stays as it is.
#include "end_to_end/daemon_site.hpp"
#include "support/skip.hpp"

#include <doctest/doctest.h>
#include <pwd.h>
#include <sys/stat.h>

#include <fstream>
#include <map>

using namespace vtmirror::test;

namespace {

constexpr char small[] = R"({"bulk_bytes": 1000000, "delta_bytes": 50000})";

struct stat status_of(const fs::path& path) {
  struct stat status {};
  REQUIRE(::lstat(path.c_str(), &status) == 0);
  return status;
}

/// A service that has been mirrored before, by somebody whose files are left in a folder.
struct Estate {
  explicit Estate(const std::string& script = small) : rig(script) {
    REQUIRE(rig.vtmirror({"sync"}).status == 0);
    fs::create_directories(folder / "old/bulk");
    for (const auto& [name, digest] : rig.held()) {
      const auto leaf = fs::path(name).filename();
      const auto place = leaf.string().starts_with("bulk") ? folder / "old/bulk" / leaf : folder / leaf;
      fs::copy_file(rig.mirror() / name, place);
      fs::permissions(place, fs::perms(0644));
      digests[name] = digest;
    }
    REQUIRE(digests.size() == 5);
    fs::remove_all(rig.mirror());
    for (const auto* end : {"", "-wal", "-shm"})
      fs::remove(rig.directory() / "config/state" / ("catalogue.db" + std::string(end)));
  }

  fs::path in_folder(const std::string& name) const {
    const auto leaf = fs::path(name).filename();
    return leaf.string().starts_with("bulk") ? folder / "old/bulk" / leaf : folder / leaf;
  }
  std::string delta(int day) const {
    for (const auto& [name, digest] : digests)
      if (name.ends_with("delta-light-vehicle_" + std::to_string(day) + "-11-2026.zip")) return name;
    FAIL("no such delta");
    return {};
  }
  /// Path, inode, mode, size, time of the last change of the contents, digest. The number of links is the kernel's.
  std::map<std::string, std::string> state() const {
    std::map<std::string, std::string> found;
    for (const auto& each : fs::recursive_directory_iterator(folder)) {
      const auto status = status_of(each.path());
      auto text = std::to_string(status.st_ino) + ' ' + std::to_string(status.st_mode) + ' ' +
                  std::to_string(status.st_size) + ' ' + std::to_string(status.st_mtim.tv_sec) + '.' +
                  std::to_string(status.st_mtim.tv_nsec);
      if (S_ISREG(status.st_mode)) text += ' ' + sha256_of(each.path());
      found[each.path().string()] = text;
    }
    return found;
  }
  /// Adopts the folder, and checks that it stays as it is.
  Ended adopt(std::vector<std::string> more = {}) {
    const auto before = state();
    more.insert(more.begin(), {"adopt", folder.string()});
    auto ended = rig.vtmirror(more);
    CHECK(state() == before);
    return ended;
  }

  Rig rig;
  fs::path folder = rig.directory() / "folder";
  std::map<std::string, std::string> digests;  ///< by the listed name
};

bool one_inode(const fs::path& a, const fs::path& b) { return status_of(a).st_ino == status_of(b).st_ino; }

void overwrite(const fs::path& path, std::streamoff at, char byte) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(at);
  file.put(byte);
  REQUIRE(file.good());
}

}  // namespace

TEST_CASE("an adopted folder costs no download, and the files are published as if they had been downloaded") {
  Estate estate;
  const auto asked = estate.rig.requests().size();
  const auto ended = estate.adopt();
  CAPTURE(ended.err);
  CHECK(ended.status == 0);
  CHECK(estate.rig.requests().size() == asked);
  CHECK(estate.rig.held() == estate.digests);
  CHECK(has(ended.err, "adopted bulk 15 Nov (1.00 MB, hard-linked)"));
  CHECK(has(ended.err, "adopted 5 files, 1.20 MB (5 hard-linked)"));
  const auto manifest = manifest_of(estate.rig);
  CHECK(manifest.at("generation").as_int64() == 5);
  CHECK(manifest.at("chain").as_array().size() == 5);
  CHECK(fs::exists(estate.rig.mirror() / "current/05-delta-light-vehicle_18-11-2026.zip"));
  CHECK(fs::is_empty(estate.rig.mirror() / ".vtmirror/partial"));

  const auto stored = estate.rig.requests("store").size();
  const auto synced = estate.rig.vtmirror({"sync"});
  CAPTURE(synced.err);
  CHECK(synced.status == 0);
  CHECK(estate.rig.requests("store").size() == stored);
  CHECK(estate.rig.held() == estate.rig.upstream());
  CHECK(manifest_of(estate.rig).at("complete").as_bool());
}

TEST_CASE("hooks are notified of adopted files as of downloaded ones") {
  Estate estate;
  const auto logged = estate.rig.directory() / "logged";
  add_hook(estate.rig, "[\"published\"]", "echo $VTMIRROR_FILE >>'" + logged.string() + "'");
  CHECK(estate.adopt().status == 0);
  const auto text = read_file(logged);
  for (const auto& [name, digest] : estate.digests) CHECK(has(text, name + "\n"));
}

TEST_CASE("the next cycle downloads only what the folder lacked") {
  Estate estate;
  fs::remove(estate.in_folder(estate.delta(16)));
  CHECK(estate.adopt().status == 0);
  const auto stored = estate.rig.requests("store").size();
  CHECK(estate.rig.vtmirror({"sync"}).status == 0);
  CHECK(estate.rig.requests("store").size() > stored);
  for (auto each = stored; each < estate.rig.requests("store").size(); ++each)
    CHECK(has(estate.rig.requests("store")[each].path, "16-11-2026"));
  CHECK(estate.rig.held() == estate.digests);
}

TEST_CASE("a file that the first listing contradicts is replaced by the next cycle") {
  Estate estate;
  CHECK(estate.adopt().status == 0);
  const auto other = R"({"delta:2026-11-17": )";
  estate.rig.control("POST", "/script",
                     "{\"republish\": " + std::string(other) + "2}, \"sizes\": " + std::string(other) + "70000}}");
  const auto stored = estate.rig.requests("store").size();
  const auto ended = estate.rig.vtmirror({"sync"});
  CAPTURE(ended.err);
  CHECK(ended.status == 0);
  CHECK(has(ended.err, "the service has another edition of delta 17 Nov"));
  for (auto each = stored; each < estate.rig.requests("store").size(); ++each)
    CHECK(has(estate.rig.requests("store")[each].path, "17-11-2026"));
  CHECK(estate.rig.held() == estate.rig.upstream());
  // The folder's file was not written to through its second name.
  CHECK(sha256_of(estate.in_folder(estate.delta(17))) == estate.digests.at(estate.delta(17)));
}

TEST_CASE("a second adoption says that everything is held already") {
  Estate estate;
  REQUIRE(estate.adopt().status == 0);
  const auto generation = manifest_of(estate.rig).at("generation");
  const auto ended = estate.adopt();
  CHECK(ended.status == 0);
  CHECK(has(ended.err, "delta 16 Nov is held already"));
  CHECK(has(ended.err, "adopted 0 files; 5 held already"));
  CHECK(manifest_of(estate.rig).at("generation") == generation);
}

TEST_CASE("a file is linked only if nobody but the mirror's user may change it, and copied otherwise") {
  Estate estate;
  const auto open = estate.delta(15);
  const auto shut = estate.delta(16);
  fs::permissions(estate.in_folder(open), fs::perms(0664));
  fs::permissions(estate.in_folder(shut), fs::perms(0600));
  CHECK(estate.adopt().status == 0);
  CHECK(one_inode(estate.in_folder(estate.delta(17)), estate.rig.mirror() / estate.delta(17)));
  for (const auto& name : {open, shut}) {
    CHECK_FALSE(one_inode(estate.in_folder(name), estate.rig.mirror() / name));
    CHECK((status_of(estate.rig.mirror() / name).st_mode & 0777) == 0644);
  }
  overwrite(estate.in_folder(open), 100, 'x');
  CHECK(sha256_of(estate.rig.mirror() / open) == estate.digests.at(open));
}

TEST_CASE("with --copy no file of the mirror is one of the folder's") {
  Estate estate;
  const auto ended = estate.adopt({"--copy"});
  CHECK(ended.status == 0);
  CHECK(estate.rig.held() == estate.digests);
  for (const auto& [name, digest] : estate.digests)
    CHECK_FALSE(one_inode(estate.in_folder(name), estate.rig.mirror() / name));
}

TEST_CASE("a copy leaves mirror.reserve free") {
  Estate estate;
  estate.rig.set("mirror", "reserve", "\"1000000GiB\"");
  const auto ended = estate.adopt({"--copy"});
  // A file system that shares blocks needs no room.
  if (has(ended.err, "copied without using more space")) return skip("this file system shares blocks");
  CHECK(ended.status == 1);
  CHECK(has(ended.err, "beside the reserve"));
  CHECK(estate.rig.held().empty());
}

TEST_CASE("a file that no listing vouches for is checked as a ZIP whatever the settings say, and its day has come") {
  Estate estate;
  estate.rig.set("mirror", "verify", "\"size\"");
  std::ofstream(estate.folder / "delta-light-vehicle_14-11-2026.zip") << "<html>Sign in</html>";
  const auto whole = estate.in_folder(estate.delta(18));
  fs::copy_file(whole, estate.folder / "delta-light-vehicle_18-11-2126.zip");
  const auto ended = estate.adopt();
  CAPTURE(ended.err);
  CHECK(ended.status == 1);
  CHECK(has(ended.err, "left delta-light-vehicle_14-11-2026.zip alone: it is a page of HTML or XML"));
  CHECK(has(ended.err,
            "left delta-light-vehicle_18-11-2126.zip alone: its day is 2126-11-18, and by this machine's "
            "clock today is "));
  CHECK(estate.rig.held() == estate.digests);
}

TEST_CASE("doubtful files are named with the reason, and the others are adopted") {
  Estate estate;
  const auto damaged = estate.delta(16);
  const auto linked = estate.delta(17);
  overwrite(estate.in_folder(damaged), static_cast<std::streamoff>(fs::file_size(estate.in_folder(damaged)) / 2), '!');
  fs::rename(estate.in_folder(linked), estate.rig.directory() / "elsewhere.zip");
  fs::create_symlink(estate.rig.directory() / "elsewhere.zip", estate.in_folder(linked));
  std::ofstream(estate.folder / "photos.zip") << "x";
  std::ofstream(estate.folder / "notes.txt") << "x";
  const auto ended = estate.adopt();
  CAPTURE(ended.err);
  CHECK(ended.status == 1);
  CHECK(has(ended.err, "left delta-light-vehicle_16-11-2026.zip alone: "));
  CHECK(has(ended.err, "left delta-light-vehicle_17-11-2026.zip alone: it is a symlink, which is not followed"));
  CHECK(has(ended.err, "skipped photos.zip: its name is not one that the service uses"));
  CHECK(has(ended.err, "2 doubtful and left alone; 1 ZIP file with another name skipped; 1 other file ignored"));
  CHECK(estate.rig.held().size() == 3);
  CHECK(fs::is_empty(estate.rig.mirror() / ".vtmirror/partial"));
}

TEST_CASE("two files of one name are adopted only if they are the same, or one is listed") {
  Estate estate;
  const auto same = estate.delta(15);
  const auto other = estate.delta(16);
  const auto again = estate.folder / "again";
  fs::create_directory(again);
  fs::copy_file(estate.in_folder(same), again / fs::path(same).filename());
  // A good ZIP of another day under this day's name.
  fs::copy_file(estate.in_folder(estate.delta(17)), again / fs::path(other).filename());
  auto ended = estate.adopt();
  CAPTURE(ended.err);
  CHECK(ended.status == 1);
  CHECK(estate.rig.held().contains(same));
  CHECK_FALSE(estate.rig.held().contains(other));
  CHECK(has(ended.err, "left again/delta-light-vehicle_16-11-2026.zip alone: "));
  CHECK(has(ended.err, "left delta-light-vehicle_16-11-2026.zip alone: "));
  CHECK(has(ended.err, "2 doubtful"));
}

TEST_CASE("an adoption that is killed leaves no wrong file, and the next one continues it") {
  Estate estate;
  for (const int files : {1, 2, 4}) {
    Child adoption(estate.rig.command_line({"adopt", estate.folder.string(), "--copy"}));
    const auto has_adopted = [files](const Ended& so_far) {
      std::ptrdiff_t lines = 0;
      for (auto at = so_far.err.find("adopted "); at != std::string::npos; at = so_far.err.find("adopted ", at + 1))
        ++lines;
      return lines >= files;
    };
    adoption.read_until(has_adopted);
    adoption.signal(SIGKILL);
    adoption.wait();
    for (const auto& [name, digest] : estate.rig.held()) CHECK(digest == estate.digests.at(name));
  }
  const auto ended = estate.adopt({"--copy"});
  CAPTURE(ended.err);
  CHECK(ended.status == 0);
  CHECK(estate.rig.held() == estate.digests);
  CHECK(fs::is_empty(estate.rig.mirror() / ".vtmirror/partial"));
  CHECK(run({"sh", "-c", "cd '" + estate.rig.mirror().string() + "' && sha256sum -c --quiet SHA256SUMS"}).status == 0);
}

TEST_CASE("beside another process that holds the mirror, adopt changes nothing and says what to do") {
  Site site;
  site.start();
  const auto folder = site.rig.directory() / "folder";
  fs::create_directory(folder);
  const auto ended = site.rig.vtmirror({"adopt", folder.string()});
  CHECK(ended.status == 4);
  // The daemon of settings that the user named is no unit's.
  CHECK(has(ended.err, "a daemon does not adopt folders: stop it, run `vtmirror adopt` again, then start it\n"));
  site.stop();
  CHECK(site.rig.vtmirror({"adopt", folder.string()}).status == 0);
}

TEST_CASE("a folder that is not there, a file, and the mirror itself are wrong usage") {
  Estate estate;
  CHECK(estate.adopt().status == 0);
  CHECK(estate.rig.vtmirror({"adopt", (estate.folder / "none").string()}).status == 2);
  CHECK(estate.rig.vtmirror({"adopt", estate.in_folder(estate.delta(15)).string()}).status == 2);
  CHECK(estate.rig.vtmirror({"adopt", estate.rig.mirror().string()}).status == 2);
  CHECK(estate.rig.vtmirror({"adopt", (estate.rig.mirror() / "v1").string()}).status == 2);
  // A folder around the mirror has the mirror's own files in it, which are not looked at.
  const auto around = estate.rig.vtmirror({"adopt", (estate.rig.directory() / "config").string()});
  CHECK(around.status == 0);
  CHECK(has(around.err, "adopted 0 files"));
  CHECK(has(around.err, "no file there has a name of the service, such as delta-light-vehicle_16-11-2026.zip"));
  CHECK_FALSE(has(around.err, "held already"));
}

TEST_CASE("root adopts as the user to whom the state directory belongs, and names what that user may not read") {
  if (::geteuid() != 0) return skip("only root can become another user");
  const auto* nobody = ::getpwnam("nobody");
  if (nobody == nullptr) return skip("there is no user nobody here");
  Estate estate;
  fs::permissions(estate.rig.directory(), fs::perms(0755));
  const auto state = estate.rig.directory() / "config/state";
  const auto give = [nobody](const fs::path& path) {
    REQUIRE(::lchown(path.c_str(), nobody->pw_uid, nobody->pw_gid) == 0);
  };
  give(state);
  for (const auto& each : fs::recursive_directory_iterator(state)) give(each.path());
  give(estate.in_folder(estate.delta(15)));
  fs::permissions(estate.in_folder(estate.delta(16)), fs::perms(0600));
  fs::create_directories(estate.in_folder("shut"));
  fs::permissions(estate.in_folder("shut"), fs::perms(0700));
  const auto ended = estate.adopt();
  CAPTURE(ended.err);
  CHECK(ended.status == 1);
  CHECK(has(ended.err, "working as user nobody"));
  CHECK(has(ended.err, "left shut alone: what lies in it is not known: the user that the mirror works as may not"));
  CHECK(has(ended.err,
            "left delta-light-vehicle_16-11-2026.zip alone: the user that the mirror works as may not read it"));
  CHECK(estate.rig.held().size() == 4);
  // The user's own file is linked; root's, which the user may not change, is root's to change.
  CHECK(one_inode(estate.in_folder(estate.delta(15)), estate.rig.mirror() / estate.delta(15)));
  CHECK_FALSE(one_inode(estate.in_folder(estate.delta(17)), estate.rig.mirror() / estate.delta(17)));
  for (const auto& each : fs::recursive_directory_iterator(state))
    CHECK(status_of(each.path()).st_uid == nobody->pw_uid);

  fs::permissions(estate.folder, fs::perms(0700));
  const auto refused = estate.adopt();
  CAPTURE(refused.err);
  CHECK(refused.status == 1);
  CHECK(has(refused.err, "vtmirror: give this process's user access to that directory\n"));
}
