#include "architecture/source_tree.hpp"
#include "architecture/tool.hpp"
#include "support/skip.hpp"
#include "support/temporary_directory.hpp"

#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <vector>

namespace vtmirror::architecture {
namespace {

/// The highest exposure that the unit may have, in tenths.
constexpr int highest_exposure = 12;

const std::string& unit() {
  static const auto text = source("systemd/vtmirror.service").text;
  return text;
}

/// The values of a setting, in their order.
std::vector<std::string> values(const std::string& setting) {
  std::vector<std::string> all;
  std::istringstream lines(unit());
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(setting + '=')) all.push_back(line.substr(setting.size() + 1));
  }
  return all;
}

using Values = std::vector<std::string>;

TEST_CASE("the service is as closed as a client of the network can be") {
  if (const auto why = test::absent("systemd-analyze", "systemd")) return test::skip(*why);
  const auto ran =
      run("systemd-analyze security --no-pager --offline=true --threshold=" + std::to_string(highest_exposure) + ' ' +
          quoted_path("systemd/vtmirror.service"));
  CHECK_MESSAGE(ran.status == 0, ran.output);
  CHECK(ran.output.find("Overall exposure level") != std::string::npos);
}

/// The lines of a paper that are indented as examples are, without the indentation; all others are empty.
std::string shown_lines(const std::string& paper) {
  std::istringstream lines(paper);
  std::string shown;
  for (std::string line; std::getline(lines, line);) shown += (line.starts_with("  ") ? line.substr(2) : "") + '\n';
  return shown;
}

const std::string of_the_system = "--system", of_a_user = "--user";

/// The unit in a directory of its own, with a program that is there in the place of the one that need not be installed.
/// `failed` is the text of vtmirror-failed.service beside it. `manager` is of_the_system or of_a_user.
std::string verified(std::string text, const std::string& failed = "", const std::string& manager = of_the_system) {
  const test::TemporaryDirectory directory;
  const std::string program = "/usr/bin/vtmirror";
  const auto at = text.find(program);
  REQUIRE(at != std::string::npos);
  text.replace(at, program.size(), "/bin/true");
  test::write_file(directory / "vtmirror.service", text);
  if (!failed.empty()) test::write_file(directory / "vtmirror-failed.service", failed);
  const auto ran = run("XDG_RUNTIME_DIR='" + directory.string() + "' systemd-analyze " + manager +
                       " verify --man=no --recursive-errors=no '" + directory.string() + "'/vtmirror*.service");
  return ran.status == 0 ? ran.output : ran.output + "exit status " + std::to_string(ran.status);
}

TEST_CASE("systemd finds nothing in the unit that it does not know or that cannot be") {
  if (const auto why = test::absent("systemd-analyze", "systemd")) return test::skip(*why);
  CHECK(verified(unit()) == "");
  CHECK(verified(unit() + "\n[Service]\nTypo=yes\n") != "");
}

TEST_CASE("systemd finds nothing in the unit for a user's own mirror that it does not know or that cannot be") {
  if (const auto why = test::absent("systemd-analyze", "systemd")) return test::skip(*why);
  const auto text = source("systemd/user/vtmirror.service").text;
  CHECK(verified(text, "", of_a_user) == "");
  CHECK(verified(text + "\n[Service]\nTypo=yes\n", "", of_a_user) != "");
  // Without settings of their own, no user's mirror is begun with the system's.
  CHECK(text.find("\nConditionPathExists=%E/vtmirror/vtmirror.toml\n") != std::string::npos);
  for (const auto* of_root : {"\nUser=", "\nLoadCredential=", "\nStateDirectory="})
    CHECK_MESSAGE(text.find(of_root) == std::string::npos, of_root);
}

TEST_CASE("the daemon is started, watched and ended as it expects") {
  CHECK(values("Type") == Values{"notify"});
  CHECK(values("NotifyAccess") == Values{"main"});
  CHECK(values("ExecStart") == Values{"/usr/bin/vtmirror run"});
  CHECK(values("ExecReload") == Values{"/bin/sh -c 'kill -HUP $MAINPID'"});
  CHECK(values("WatchdogSec") == Values{"60"});
  CHECK(values("TimeoutStopSec") == Values{"10"});
  CHECK(values("Environment") == Values{"VTMIRROR_HOOK_GRACE=80s"});
  CHECK(values("LimitCORE") == Values{"0"});
  CHECK(values("UMask") == Values{"0027"});
}

TEST_CASE("a service that cannot start is given up in the end, because the limit of starts fits into its interval") {
  CHECK(values("RestartSec") == Values{"10s"});
  CHECK(values("StartLimitBurst") == Values{"30"});
  CHECK(values("StartLimitIntervalSec") == Values{"1h"});
}

TEST_CASE("the drop-ins that the papers show, and the unit for a failure, are sound") {
  if (const auto why = test::absent("systemd-analyze", "systemd")) return test::skip(*why);
  const auto shown = shown_lines(source("debian/vtmirror.README.Debian").text);
  CHECK(shown.find("[Unit]\nOnFailure=vtmirror-failed.service\n") != std::string::npos);
  const auto begin = shown.find("[Unit]\nDescription=");
  REQUIRE(begin != std::string::npos);
  const auto failed = shown.substr(begin, shown.find("\n\n\n", begin) - begin);
  CHECK(verified(unit() + "\n[Unit]\nOnFailure=vtmirror-failed.service\n", failed) == "");
  CHECK(verified(unit() + "\n[Unit]\nOnFailure=vtmirror-failed.service\n", failed + "\nTypo=yes\n") != "");
  CHECK(source("packaging/man/vtmirror.8").text.find("\nEnvironment=VTMIRROR_HOOK_GRACE=30m\n") != std::string::npos);
  CHECK(verified(unit() + "\n[Service]\nEnvironment=VTMIRROR_HOOK_GRACE=30m\n") == "");
}

TEST_CASE("a secret that is not there yet does not keep the daemon from starting") {
  const auto all = values("LoadCredential");
  CHECK(all == Values{"client_secret:vtmirror.client_secret", "api_key:vtmirror.api_key"});
  // With a path of its own, a missing file fails the start.
  for (const auto& each : all) CHECK(each.find('/') == std::string::npos);
}

TEST_CASE("the unit, the user and the files beside them name the same user") {
  CHECK(values("User") == Values{"vtmirror"});
  CHECK(values("Group") == Values{"vtmirror"});
  CHECK(source("systemd/vtmirror.sysusers").text.find("\nu vtmirror - ") != std::string::npos);
  CHECK(source("debian/vtmirror.postinst").text.find("chgrp vtmirror \"$settings/vtmirror.toml\"") !=
        std::string::npos);
}

TEST_CASE("the user can be made, and what the tmpfiles say can be done") {
  if (const auto why = test::absent("systemd-sysusers", "systemd")) return test::skip(*why);
  if (const auto why = test::absent("systemd-tmpfiles", "systemd")) return test::skip(*why);
  const auto users = run("systemd-sysusers --dry-run " + quoted_path("systemd/vtmirror.sysusers"));
  CHECK_MESSAGE(users.status == 0, users.output);
  const test::TemporaryDirectory root;
  test::write_file(root / "etc/passwd", "root:x:0:0::/root:/bin/sh\n");
  test::write_file(root / "etc/group", "root:x:0:\nvtmirror:x:0:\n");
  const auto made =
      run("systemd-tmpfiles --create --root='" + root.string() + "' " + quoted_path("systemd/vtmirror.tmpfiles") +
          " && stat -c %a '" + root.string() + "/etc/credstore'");
  if (run("id -u").output != "0\n") return test::skip("only root can do what the tmpfiles say");
  CHECK(made.output == "700\n");
  CHECK(made.status == 0);
}

}  // namespace
}  // namespace vtmirror::architecture
