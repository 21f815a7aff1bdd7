// A start that meets a fault that only a person can repair: the program does all its other work, or ends at once with
// a sentence.
#include "end_to_end/daemon_site.hpp"
#include "end_to_end/traced.hpp"
#include "support/sanitizer.hpp"
#include "support/skip.hpp"

#include <doctest/doctest.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace vtmirror::test;

TEST_CASE("a real directory in the place of current is a problem with advice, and files are published all the same") {
  Site site;
  REQUIRE(site.rig.vtmirror({"sync"}).status == 0);
  // As `cp -rL` makes it.
  fs::remove(site.rig.mirror() / "current");
  fs::create_directories(site.rig.mirror() / "current");
  write_file(site.rig.mirror() / "current/01-copy.zip", "a copy");
  const vtmirror::base::Date tomorrow = std::chrono::sys_days(site.noon.today) + std::chrono::days(1);
  site.rig.control("POST", "/date", R"({"date":")" + vtmirror::base::iso8601(tomorrow) + "\"}");
  const auto synced = site.rig.vtmirror({"sync"});
  CAPTURE(synced.err);
  CHECK(synced.status == 1);
  CHECK(has(synced.err, "current cannot be replaced: it is a directory"));
  CHECK(site.rig.held() == site.rig.upstream());
  CHECK(manifest_of(site.rig).at("chain").as_array().size() == site.rig.held().size());
  site.start();
  const auto status =
      Events(site.socket).status([](const json::object& now) { return has_problem(now, "repair_failed"); });
  CHECK(has(json::serialize(status.at("problems")), "move it out of the mirror's directory"));
  CHECK(site.stop().status == 0);
  CHECK(read_file(site.rig.mirror() / "current/01-copy.zip") == "a copy");

  fs::remove_all(site.rig.mirror() / "current");
  CHECK(site.rig.vtmirror({"sync"}).status == 0);
  CHECK(fs::is_symlink(site.rig.mirror() / "current"));
}

TEST_CASE("root does not run the daemon on a state directory of another user, and leaves nothing there") {
  if (::geteuid() != 0) return skip("only root can own nothing here");
  const auto* nobody = ::getpwnam("nobody");
  if (nobody == nullptr) return skip("there is no user nobody here");
  Site site;
  const auto state = site.rig.directory() / "config/state";
  fs::create_directories(state);
  REQUIRE(::chown(state.c_str(), nobody->pw_uid, nobody->pw_gid) == 0);
  const auto ended = site.rig.vtmirror({"run"});
  CAPTURE(ended.err);
  CHECK(ended.status == 2);
  CHECK(has(ended.err, "sudo systemctl start vtmirror"));
  CHECK(has(ended.err, "sudo -u nobody vtmirror run"));
  CHECK(fs::is_empty(state));
}

TEST_CASE("a process that may use too little memory ends with a sentence, and does not hang") {
  if (sanitized) return skip("a sanitizer reserves more memory than this case allows the process");
  Site site;
  for (const std::string kilobytes : {"40000", "60000", "90000", "130000"}) {
    for (const std::string command : {"run", "sync"}) {
      auto line = site.rig.command_line({command});
      line.insert(line.begin(), {"/bin/sh", "-c", "ulimit -v " + kilobytes + "; exec timeout -k 1 15 \"$@\"", "sh"});
      const auto ended = run(line);
      CAPTURE(kilobytes);
      CAPTURE(command);
      CAPTURE(ended.err);
      // The dynamic linker exits with 127 if it cannot load the program. A daemon with enough memory runs until
      // stopped.
      const bool runs = has(ended.err, "settings read from") || ended.status == 0;
      const bool says = ended.status == 1 && has(ended.err, "vtmirror: ");
      CHECK((runs || says || ended.status == 127));
    }
  }
}

namespace {

/// Runs the command. Its calls on `path` fail as `fault` says.
Ended run_with_fault(const Rig& rig, const std::string& command, const fs::path& path, const std::string& fault) {
  return run_traced(rig, command, {"-P", path.string(), "-e", "inject=" + fault});
}

/// Of the calls that a fault names, only the first one fails.
constexpr char first_call[] = ":when=1";

Ended run_with_one_fault(const Rig& rig, const std::string& command, const fs::path& path, const std::string& fault) {
  return run_with_fault(rig, command, path, fault + first_call);
}

}  // namespace

TEST_CASE("a disk that fails when root looks at the state directory is no mistake of the settings") {
  if (const auto why = cannot_trace()) return skip(*why);
  Site site;
  REQUIRE(site.rig.vtmirror({"sync"}).status == 0);
  const auto state = site.rig.directory() / "config/state";
  for (const std::string command : {"sync", "run"}) {
    CAPTURE(command);
    const auto ended = run_with_one_fault(site.rig, command, state, "newfstatat:error=EIO");
    CAPTURE(ended.err);
    CHECK(ended.status == 1);
    CHECK(has(ended.err, "mirror.state_directory could not be used: "));
    CHECK_FALSE(has(ended.err, "config check"));
  }
}

namespace {

/// After each of these faults on those calls on that file, `sync` and `run` exit with status 1 and print `words`.
void check_faults(Site& site, const fs::path& file, const std::vector<std::string>& faults, const std::string& words,
                  const std::string& calls = first_call) {
  for (const std::string command : {"sync", "run"}) {
    for (const auto& fault : faults) {
      CAPTURE(command);
      CAPTURE(fault);
      const auto ended = run_with_fault(site.rig, command, file, fault + calls);
      CAPTURE(ended.err);
      CHECK(ended.status == 1);
      CHECK(has(ended.err, words));
      CHECK_FALSE(has(ended.err, "config check"));
    }
  }
}

}  // namespace

TEST_CASE("rules of the time zone that cannot be read are no mistake of the settings, and are read again once") {
  if (const auto why = cannot_trace()) return skip(*why);
  Site site;
  const auto rules = fs::path("/usr/share/zoneinfo") / site.noon.zone;
  if (!fs::exists(rules)) return skip("there are no time zones here (package tzdata)");
  const std::vector<std::string> faults{"openat:error=EIO", "openat:error=EMFILE"};
  check_faults(site, rules, faults, site.noon.zone + ": the rules of the time zone cannot be read", "");
  for (const auto& fault : faults) {
    CAPTURE(fault);
    const auto ended = run_with_fault(site.rig, "sync", rules, fault + first_call);
    CAPTURE(ended.err);
    CHECK(ended.status == 0);
  }
}

TEST_CASE("certificates that the disk does not give back once are no mistake of the settings") {
  if (const auto why = cannot_trace()) return skip(*why);
  Site site;
  const auto settings = read_file(site.rig.config());
  const std::string key = "ca_file = \"";
  const auto begin = settings.find(key) + key.size();
  const fs::path certificates = settings.substr(begin, settings.find('"', begin) - begin);
  check_faults(site, certificates, {"openat:error=EIO", "read:error=EIO"},
               "ca_file " + certificates.string() + ": Input/output error");
  CHECK(site.rig.vtmirror({"sync"}).status == 0);
}

TEST_CASE("a lack of open files is advised on as one, and not as a fault of the disk") {
  if (const auto why = cannot_trace()) return skip(*why);
  Site site;
  REQUIRE(site.rig.vtmirror({"sync"}).status == 0);
  const auto state = site.rig.directory() / "config/state";
  for (const auto& file : {site.rig.mirror(), state / "catalogue.db", site.rig.directory() / "config/ca.pem"}) {
    for (const std::string fault : {"EMFILE", "ENFILE"}) {
      CAPTURE(file);
      CAPTURE(fault);
      const auto ended = run_with_fault(site.rig, "sync", file, "openat:error=" + fault);
      CAPTURE(ended.err);
      CHECK(ended.status == 1);
      CHECK(has(ended.err, fault == "EMFILE" ? "LimitNOFILE=" : "fs.file-max"));
      CHECK_FALSE(has(ended.err, "check the disk"));
    }
  }
}

TEST_CASE("a signal that interrupts the signing of a lock ends no start") {
  if (const auto why = cannot_trace()) return skip(*why);
  Site site;
  REQUIRE(site.rig.vtmirror({"sync"}).status == 0);
  const auto state = site.rig.directory() / "config/state";
  for (const auto& lock : {site.rig.mirror() / ".vtmirror/lock", state / "catalogue.db.lock"}) {
    CAPTURE(lock);
    REQUIRE(fs::exists(lock));
    const auto ended = run_with_one_fault(site.rig, "sync", lock, "ftruncate:error=EINTR");
    CAPTURE(ended.err);
    CHECK(ended.status == 0);
    CHECK(fs::file_size(lock) == 0);
  }
}
