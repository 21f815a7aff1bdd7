// What `config check` accepts, `run` accepts: each mistake here is found by both, before anything is downloaded.
#include "end_to_end/daemon_site.hpp"
#include "support/skip.hpp"

#include <doctest/doctest.h>
#include <pwd.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <vector>

using namespace vtmirror::test;

namespace {

using Prepare = std::function<void(Rig& rig, const fs::path& place)>;

struct Mistake {
  std::string name;
  std::string key;  ///< what both name
  Prepare prepare{};
  std::vector<std::string> environment{};
};

std::string quoted(const std::string& text) { return '"' + text + '"'; }

/// Sets `key` of `table` to a path below the case's directory, which `make` fills.
Prepare at(const std::string& table, const std::string& key, const std::string& below,
           const std::function<void(const fs::path&)>& make = {}) {
  return [=](Rig& rig, const fs::path& place) {
    if (make) make(place);
    rig.set(table, key, quoted((place / below).string()));
  };
}

Prepare to(const std::string& table, const std::string& key, const std::string& value) {
  return [=](Rig& rig, const fs::path&) { rig.set(table, key, quoted(value)); };
}

void refused_by_both(const Mistake& mistake) {
  CAPTURE(mistake.name);
  Rig rig;
  const auto place = rig.directory() / "place";
  fs::create_directory(place);
  write_file(place / "file", "x");
  if (mistake.prepare) mistake.prepare(rig, place);
  const auto checked = rig.vtmirror({"config", "check"}, mistake.environment);
  CAPTURE(checked.err);
  CHECK(checked.status == 2);
  CHECK(has(checked.err, mistake.key + ": "));
  const auto ran = rig.vtmirror({"run"}, mistake.environment);
  CAPTURE(ran.err);
  CHECK(ran.status == 2);
  CHECK(has(ran.err, mistake.key.substr(mistake.key.rfind('.') + 1)));
  CHECK(rig.requests("store").empty());
}

void accepted(Rig& rig, const std::vector<std::string>& environment = {}) {
  const auto checked = rig.vtmirror({"config", "check"}, environment);
  CAPTURE(checked.err);
  CHECK(checked.status == 0);
  CHECK(has(checked.out, "no mistakes\n"));
}

}  // namespace

TEST_CASE("config check finds a directory or file of the mirror that run cannot use") {
  const std::string state = "state_directory";
  for (const auto& mistake : std::vector<Mistake>{
           {"state is a file", "mirror.state_directory", at("mirror", state, "file")},
           {"state is below a file", "mirror.state_directory", at("mirror", state, "file/state")},
           {"state is a link to nothing", "mirror.state_directory",
            at("mirror", state, "link", [](const auto& in) { fs::create_symlink("none", in / "link"); })},
           {"state is a link to itself", "mirror.state_directory",
            at("mirror", state, "link", [](const auto& in) { fs::create_symlink("link", in / "link"); })},
           {"state has too long a name", "mirror.state_directory", at("mirror", state, std::string(300, 'x'))},
           {"the mirror is a file", "mirror.directory", at("mirror", "directory", "file")},
           {"the mirror is a link to nothing", "mirror.directory",
            at("mirror", "directory", "link", [](const auto& in) { fs::create_symlink("none", in / "link"); })},
           {"the catalogue is a directory", "mirror.catalogue",
            at("mirror", "catalogue", "c", [](const auto& in) { fs::create_directory(in / "c"); })},
           {"the catalogue is a device", "mirror.catalogue", to("mirror", "catalogue", "/dev/null")}})
    refused_by_both(mistake);
}

TEST_CASE("config check finds a file of the state directory that run does not use because others may read it") {
  Rig rig;
  REQUIRE(rig.vtmirror({"sync"}).status == 0);
  fs::permissions(rig.directory() / "config/state/fingerprint.key", fs::perms{0644});
  const auto ended = rig.vtmirror({"config", "check"});
  CAPTURE(ended.err);
  CHECK(ended.status == 2);
  CHECK(has(ended.err, "fingerprint.key"));
  CHECK(has(ended.err, "chmod 600"));
}

TEST_CASE("config check finds a socket or an address at which run cannot listen") {
  for (const auto& mistake :
       std::vector<Mistake>{{"no directory", "control.socket", at("control", "socket", "none/s")},
                            {"in a file", "control.socket", at("control", "socket", "file/s")},
                            {"a file", "control.socket", at("control", "socket", "file")},
                            {"a directory", "control.socket",
                             at("control", "socket", "d", [](const auto& in) { fs::create_directory(in / "d"); })},
                            {"link-local without an interface", "control.web", to("control", "web", "[fe80::1]:9465")},
                            {"an address of no machine", "control.web", to("control", "web", "192.0.2.9:9465")}})
    refused_by_both(mistake);
}

TEST_CASE("config check reads the certificates as run does") {
  for (const std::string file : {"/tmp", "/dev/null", "/etc/passwd", "/none/ca.pem"})
    refused_by_both({file, "service.ca_file", to("service", "ca_file", file)});
}

TEST_CASE("config check reads the variables of the environment that run reads") {
  for (const auto& mistake :
       std::vector<Mistake>{{"no address", "HTTPS_PROXY in the environment", {}, {"HTTPS_PROXY=junk junk"}},
                            {"a proxy by TLS", "https_proxy in the environment", {}, {"https_proxy=https://p:1"}},
                            {"no time", "VTMIRROR_HOOK_GRACE", {}, {"VTMIRROR_HOOK_GRACE=sys"}}})
    refused_by_both(mistake);
}

TEST_CASE("config check accepts what a start makes, and what a running daemon holds") {
  Rig rig;
  SUBCASE("directories that do not exist yet, and the service's directory of its socket") {
    rig.set("mirror", "state_directory", quoted((rig.directory() / "a/b/c").string()));
    rig.set("mirror", "directory", quoted((rig.directory() / "d/e").string()));
    rig.set("mirror", "catalogue", quoted((rig.directory() / "f/catalogue.db").string()));
    rig.set("control", "socket", "\"/run/vtmirror/control.sock\"");
    accepted(rig);
    CHECK_FALSE(fs::exists(rig.directory() / "a"));
    CHECK_FALSE(fs::exists(rig.directory() / "d"));
    CHECK_FALSE(fs::exists(rig.directory() / "f"));
  }
  SUBCASE("a socket below the state directory, which is made before it") {
    rig.set("control", "socket", quoted((rig.directory() / "config/state/s").string()));
    accepted(rig);
  }
  SUBCASE("its own socket and catalogue") {
    Child daemon(rig.command_line({"run"}));
    REQUIRE(daemon.read_until([](const Ended& so_far) { return has(so_far.err, "settings read from"); }));
    accepted(rig);
    daemon.signal(SIGTERM);
    CHECK(daemon.wait().status == 0);
    accepted(rig);
  }
}

TEST_CASE("an ordinary user who may not write to the state directory hears it from config check and from run") {
  if (::geteuid() != 0) return skip("only root can become another user");
  const auto* nobody = ::getpwnam("nobody");
  if (nobody == nullptr) return skip("there is no user nobody here");
  const std::vector<std::string> as_nobody{"setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"};
  const auto with = [&](std::vector<std::string> words, const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  if (run(with(as_nobody, {"test", "-x", VTMIRROR_PROGRAM})).status != 0)
    return skip("nobody may not run " + std::string(VTMIRROR_PROGRAM));
  Rig rig;
  fs::permissions(rig.directory(), fs::perms(0755));
  const auto config = rig.directory() / "config";
  for (const auto& each : fs::recursive_directory_iterator(config))
    REQUIRE(::chown(each.path().c_str(), nobody->pw_uid, nobody->pw_gid) == 0);
  REQUIRE(::chown(config.c_str(), nobody->pw_uid, nobody->pw_gid) == 0);
  const auto closed = rig.directory() / "closed";
  fs::create_directory(closed);
  const auto both = [&](const std::string& key) {
    for (const auto& command : {std::vector<std::string>{"config", "check"}, std::vector<std::string>{"run"}}) {
      const auto ended = run(with(as_nobody, rig.command_line(command)));
      CAPTURE(ended.err);
      CHECK(ended.status == 2);
      CHECK(has(ended.err, key));
      CHECK(has(ended.err, "Permission denied"));
    }
  };
  SUBCASE("which exists") {
    rig.set("mirror", "state_directory", quoted(closed.string()));
    both("mirror.state_directory");
  }
  SUBCASE("which does not exist yet") {
    rig.set("mirror", "state_directory", quoted((closed / "state").string()));
    both("mirror.state_directory");
  }
  SUBCASE("or to the mirror's") {
    rig.set("mirror", "directory", quoted(closed.string()));
    both("mirror.directory");
  }
  SUBCASE("or to the socket's") {
    rig.set("control", "socket", quoted((closed / "s").string()));
    both("control.socket");
  }
  SUBCASE("but is only warned of a mirror that has files already, with which run starts") {
    fs::create_directory(closed / ".vtmirror");
    rig.set("mirror", "directory", quoted(closed.string()));
    const auto checked = run(with(as_nobody, rig.command_line({"config", "check"})));
    CAPTURE(checked.err);
    CHECK(checked.status == 0);
    CHECK(has(checked.err, "warning: mirror.directory: " + closed.string() + ": Permission denied"));
  }
}

TEST_CASE("root's config check asks what the daemon's user may, and warns of what may be made before the start") {
  if (::geteuid() != 0) return skip("only root can ask for another user");
  const auto* nobody = ::getpwnam("nobody");
  if (nobody == nullptr) return skip("there is no user nobody here");
  Rig rig;
  fs::permissions(rig.directory(), fs::perms(0755));
  fs::permissions(rig.directory() / "config", fs::perms(0755));
  fs::create_directory(rig.directory() / "config/state");
  for (const auto& each : fs::directory_iterator(rig.directory() / "config"))
    REQUIRE(::chown(each.path().c_str(), nobody->pw_uid, nobody->pw_gid) == 0);
  const auto closed = rig.directory() / "closed";
  const auto open = rig.directory() / "open";
  for (const auto& each : {closed, open}) fs::create_directory(each);
  REQUIRE(::chown(open.c_str(), nobody->pw_uid, nobody->pw_gid) == 0);
  rig.set("control", "socket", quoted((open / "s").string()));
  accepted(rig, {"HTTPS_PROXY=junk", "VTMIRROR_HOOK_GRACE=junk"});
  const std::string as_whom = ": Permission denied, for user nobody, as whom the daemon runs";
  SUBCASE("a directory that exists") {
    rig.set("mirror", "directory", quoted(closed.string()));
    const auto checked = rig.vtmirror({"config", "check"});
    CHECK(checked.status == 2);
    CHECK(has(checked.err, "mirror.directory: " + closed.string() + as_whom));
  }
  SUBCASE("a directory that does not exist yet") {
    rig.set("mirror", "directory", quoted((closed / "mirror").string()));
    const auto checked = rig.vtmirror({"config", "check"});
    CAPTURE(checked.err);
    CHECK(checked.status == 0);
    CHECK(has(checked.err, "warning: mirror.directory: " + (closed / "mirror").string() + " does not exist"));
    CHECK(has(checked.err, as_whom));
  }
}

TEST_CASE("config check --online counts a reserve beyond any disk as what it is") {
  Rig rig;
  rig.set("mirror", "reserve", "\"9223372036854775807B\"");
  const auto ended = rig.vtmirror({"config", "check", "--online"});
  CAPTURE(ended.err);
  CHECK(ended.status == 1);
  CHECK(has(ended.err, "the listed files need 9.22 EB with mirror.reserve: "));
  CHECK_FALSE(has(ended.err, "-9.22"));
}
