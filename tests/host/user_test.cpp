#include "vtmirror/host/user.hpp"

#include "support/skip.hpp"
#include "support/temporary_directory.hpp"

#include <doctest/doctest.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>

namespace vtmirror::host {
namespace {

/// Runs `work` in a process of its own, which is another user's afterwards. 0 if `work` says so.
int status_of(const std::function<bool()>& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work() ? 0 : 1);
  int status = -1;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool owns(const std::string& path, const User& user) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && status.st_uid == user.id && status.st_gid == user.group;
}

TEST_CASE("users are found by name and by what belongs to them") {
  const auto root = user_named("root");
  REQUIRE(root);
  REQUIRE(root->has_value());
  CHECK((*root)->id == 0);
  CHECK((*root)->home == "/root");
  const auto nobody = user_named("nobody-has-this");
  REQUIRE(nobody);
  CHECK_FALSE(nobody->has_value());
  const auto owner = owner_of("/");
  REQUIRE(owner);
  CHECK(name_of(**owner) == "root");
  const test::TemporaryDirectory directory;
  const auto none = owner_of((directory / "none/at/all").string());
  REQUIRE(none);
  CHECK_FALSE(none->has_value());
}

TEST_CASE("a process of root becomes another user for good: rights, groups, surroundings, and what it makes") {
  if (::geteuid() != 0) return test::skip("only root can become another user");
  const auto user = user_named("nobody").value();
  REQUIRE(user.has_value());
  const test::TemporaryDirectory directory;
  const auto home = (directory / "state").string();
  ::chmod(directory.string().c_str(), 0711);
  REQUIRE(make_directory_for(*user, home));
  CHECK(owns(home, *user));
  CHECK((std::filesystem::status(home).permissions() & std::filesystem::perms::all) == std::filesystem::perms(0750));
  CHECK(make_directory_for(*user, home).has_error());
  CHECK(owner_of(home).value()->name == "nobody");

  CHECK(status_of([&] { return become_user(*user) && ::getuid() == user->id && ::geteuid() == user->id; }) == 0);
  CHECK(status_of([&] { return become_user(*user) && ::getgid() == user->group && ::setuid(0) != 0; }) == 0);
  CHECK(status_of([&] { return become_user(*user) && ::setgid(0) != 0 && ::access("/root", W_OK) != 0; }) == 0);
  CHECK(status_of([&] {
          gid_t groups[16];
          if (!become_user(*user)) return false;
          const int count = ::getgroups(16, groups);
          for (int i = 0; i < count; ++i)
            if (groups[i] == 0) return false;
          return count >= 0;
        }) == 0);
  CHECK(status_of([&] {
          ::setenv("TMPDIR", "/root", 1);
          ::setenv("XDG_STATE_HOME", "/root/.local/state", 1);
          const bool there = ::chdir("/root") == 0;
          if (!there || !become_user(*user)) return false;
          char place[64];
          return variable("HOME") == user->home && variable("USER") == "nobody" && variable("TMPDIR").empty() &&
                 variable("XDG_STATE_HOME").empty() && ::getcwd(place, sizeof place) == std::string_view("/");
        }) == 0);
  CHECK(status_of([&] {
          if (!become_user(*user)) return false;
          test::write_file(home + "/file", "x");
          return owns(home + "/file", *user);
        }) == 0);
}

TEST_CASE("an ID without an account is a user too, with the group of its directory") {
  if (::geteuid() != 0) return test::skip("only root can give a directory away");
  const test::TemporaryDirectory directory;
  constexpr uid_t without_account = 54'321;
  if (::getpwuid(without_account) != nullptr) return test::skip("the user 54321 has an account here");
  REQUIRE(::chown(directory.string().c_str(), without_account, 54'322) == 0);
  const auto owner = owner_of(directory.string()).value();
  REQUIRE(owner.has_value());
  CHECK(name_of(*owner) == "54321");
  CHECK(owner->group == 54'322);
  CHECK(status_of([&] { return become_user(*owner) && ::getuid() == without_account && ::getgid() == 54'322; }) == 0);
}

TEST_CASE("a process that may not become another user says so") {
  if (::geteuid() != 0) return test::skip("only root can give up its rights first");
  const auto user = user_named("nobody").value();
  REQUIRE(user.has_value());
  CHECK(status_of([&] {
          if (!become_user(*user)) return false;
          const auto back = become_user({.id = 0, .group = 0, .name = "root"});
          return back.has_error() && back.error().detail.find("cannot become user root") != std::string::npos;
        }) == 0);
}

}  // namespace
}  // namespace vtmirror::host
