// What the package's unit hides from the service, and what the settings' owner sees of a file.
#include "cli/service_view.hpp"

#include "support/directory.hpp"
#include "support/skip.hpp"

#include <doctest/doctest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace vtmirror::cli {
namespace {

/// The directory that hides the file from the package's service; empty if it is in none.
std::string hidden_by(const std::string& file) {
  const ServiceView unit{.user = host::User{.id = ::geteuid(), .group = ::getegid()}, .in_unit = true};
  const std::string begin = "the service does not see what is below ";
  const auto fault = fault_for_service(unit, file, R_OK);
  return fault.starts_with(begin) ? fault.substr(begin.size()) : std::string();
}

TEST_CASE("what is below a home directory or a directory for temporary files is hidden from the service") {
  CHECK(hidden_by("/root/ca.pem") == "/root");
  CHECK(hidden_by("/home/me/certificates/ca.pem") == "/home");
  CHECK(hidden_by("/etc/../home/ca.pem") == "/home");
  CHECK(hidden_by("/run/user/1000/ca.pem") == "/run/user");
  CHECK(hidden_by("/var/tmp/ca.pem") == "/var/tmp");
  CHECK(hidden_by("/etc/vtmirror/ca.pem").empty());
  CHECK(hidden_by("/rootless/ca.pem").empty());
}

TEST_CASE("a link is hidden with the file that it leads to") {
  const test::Directory directory;
  std::filesystem::create_symlink("/root", directory.path("link"));
  CHECK(hidden_by(directory.path("link/ca.pem")) == "/root");
}

TEST_CASE("a file that another user cannot read is a fault with the reason, for root alone") {
  const test::Directory directory;
  const auto file = directory.write("ca.pem", "x");
  CHECK(fault_for_service({}, file, R_OK).empty());
  if (::geteuid() != 0) return test::skip("only root can become another user");
  const ServiceView view{.user = host::User{.id = 4711, .group = 4711}};
  std::filesystem::permissions(directory.path(), std::filesystem::perms(0755));
  std::filesystem::permissions(file, std::filesystem::perms(0600));
  CHECK(fault_for_service(view, file, R_OK) == "user 4711, as whom the daemon runs, cannot read it: Permission denied");
  std::filesystem::permissions(file, std::filesystem::perms(0644));
  CHECK(fault_for_service(view, file, R_OK).empty());
  CHECK(fault_for_service(view, file, X_OK) ==
        "user 4711, as whom the daemon runs, cannot execute it: Permission denied");
  const ServiceView unit{.user = view.user, .in_unit = true};
  CHECK(fault_for_service(unit, "/root/ca.pem", R_OK) == "the service does not see what is below /root");
}

}  // namespace
}  // namespace vtmirror::cli
