#include "wiring/unusable.hpp"

#include "support/skip.hpp"
#include "support/temporary_directory.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>

using namespace vtmirror;
using base::Errc;

namespace {

base::Error about(const std::string& subject, Errc code = Errc::io) {
  return {.code = code, .detail = subject + ": cannot open: no", .subject = subject};
}

/// The code for a process of another user, which is not root.
Errc code_for_another_user(const std::string& mirror, const std::string& subject) {
  const auto child = ::fork();
  if (child == 0)
    ::_exit(::setuid(65534) == 0 ? static_cast<int>(wiring::unusable("mirror.directory", mirror, about(subject)).code)
                                 : 0);
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) ? Errc(WEXITSTATUS(status)) : Errc();
}

}  // namespace

TEST_CASE("a place that cannot be used is named whole, with its key") {
  const test::TemporaryDirectory directory;
  const auto file = (directory / "file").string();
  test::write_file(file, "");
  const auto mirror = (directory / "mirror").string();
  std::filesystem::create_directories(mirror + "/.vtmirror");
  std::filesystem::create_symlink("/nowhere", mirror + "/.vtmirror/lock");
  const auto below = wiring::unusable("mirror.directory", mirror, about(".vtmirror/lock"));
  CHECK(below.code == Errc::config);
  CHECK(below.detail.starts_with("mirror.directory cannot be used: " + mirror + "/.vtmirror/lock: cannot open: no\n"));
  const auto in_file = file + "/mirror";
  const auto whole = wiring::unusable("mirror.directory", in_file, about(in_file));
  CHECK(whole.code == Errc::config);
  CHECK(whole.detail.starts_with("mirror.directory cannot be used: " + in_file + ": cannot open: no\n"));
  const auto unnamed = wiring::unusable("mirror.catalogue", mirror, {Errc::io, mirror + ": is a directory"});
  CHECK(unnamed.code == Errc::config);
  CHECK(unnamed.detail.starts_with("mirror.catalogue cannot be used: " + mirror + ": is a directory\n"));
  const auto beside = wiring::unusable("mirror.catalogue", file + "/catalogue.db", about("catalogue.db.lock"));
  CHECK(beside.code == Errc::config);
  CHECK(
      beside.detail.starts_with("mirror.catalogue cannot be used: " + file + "/catalogue.db.lock: cannot open: no\n"));
  const auto held = about("vtmirror sync", Errc::locked);
  CHECK(wiring::unusable("mirror.directory", mirror, held) == held);
}

TEST_CASE("a failure of the disk at a place that this process may use is no fault of the settings") {
  const test::TemporaryDirectory directory;
  const auto mirror = (directory / "mirror").string();
  for (const bool is_there : {false, true}) {
    if (is_there) std::filesystem::create_directories(mirror + "/.vtmirror");
    const auto failed = wiring::unusable("mirror.directory", mirror, about(".vtmirror/lock"));
    CHECK(failed.code == Errc::io);
    CHECK(failed.detail == "mirror.directory could not be used: " + mirror + "/.vtmirror/lock: cannot open: no");
  }
  std::filesystem::create_directories(mirror + "/.vtmirror/current-3");
  std::filesystem::create_symlink("../../v1/a.zip", mirror + "/.vtmirror/current-3/01-a.zip");
  CHECK(wiring::unusable("mirror.directory", mirror, about(".vtmirror/current-3/01-a.zip")).code == Errc::io);
  const auto catalogue = (directory / "catalogue.db").string();
  CHECK(wiring::unusable("mirror.catalogue", catalogue, {Errc::io, catalogue + ": Input/output error"}).code ==
        Errc::io);
  const auto socket = (directory / "c.sock").string();
  CHECK(wiring::unusable_socket(about(socket), socket).code == Errc::io);
  CHECK(wiring::unusable_socket(about("127.0.0.1:9100"), socket).code == Errc::io);
}

TEST_CASE("a directory that the program made in the mirror and cannot read is no fault of the settings") {
  if (::geteuid() != 0) return test::skip("only root can become another user");
  const test::TemporaryDirectory directory;
  const auto mirror = (directory / "mirror").string();
  for (const std::string made :
       {"", "/.vtmirror", "/.vtmirror/partial", "/.vtmirror/quarantine", "/.vtmirror/current-3"})
    std::filesystem::create_directories(mirror + made);
  test::write_file(mirror + "/.vtmirror/lock", "");
  REQUIRE(::chmod(directory.string().c_str(), 0755) == 0);
  for (const std::string open : {"", "/.vtmirror"}) REQUIRE(::chown((mirror + open).c_str(), 65534, 65534) == 0);
  for (const std::string shut : {".vtmirror/partial", ".vtmirror/quarantine", ".vtmirror/current-3"}) {
    CAPTURE(shut);
    REQUIRE(::chmod((std::filesystem::path(mirror) / shut).c_str(), 0) == 0);
    CHECK(code_for_another_user(mirror, shut) == Errc::io);
  }
  // A file of another user, as root's commands may leave it.
  REQUIRE(::chmod((mirror + "/.vtmirror/lock").c_str(), 0600) == 0);
  CHECK(code_for_another_user(mirror, ".vtmirror/lock") == Errc::config);
}

TEST_CASE("an error names the setting of the socket's path or of the metrics' address") {
  const auto names = [](const base::Error& error, const std::string& key) {
    return wiring::unusable_socket(error, "/proc/no/c.sock").detail.starts_with(key + " cannot be used: ");
  };
  CHECK(names(about("/proc/no/c.sock"), "control.socket"));
  CHECK(names(about("/proc/no/c.sock", Errc::config), "control.socket"));
  CHECK(names({Errc::io, "127.0.0.1:9100: in use"}, "control.metrics"));
  const auto page = wiring::unusable_socket({Errc::io, "127.0.0.1:9465: in use"}, "/proc/no/c.sock", "control.web");
  CHECK(page.detail.starts_with("control.web cannot be used: "));
  const base::Error group{Errc::config, "control.group: there is no group x"};
  CHECK(wiring::unusable_socket(group, "/proc/no/c.sock") == group);
}
