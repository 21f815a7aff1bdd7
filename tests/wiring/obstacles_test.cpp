#include "vtmirror/wiring/obstacles.hpp"

#include "support/temporary_directory.hpp"

#include <doctest/doctest.h>

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <vector>

using namespace vtmirror;

namespace {

/// Settings whose places lie below one directory, each in one of its own.
settings::Config below(const test::TemporaryDirectory& directory) {
  settings::Config config;
  config.mirror.state_directory = (directory / "state").string();
  config.mirror.catalogue = (directory / "catalogue/catalogue.db").string();
  config.mirror.directory = (directory / "mirror").string();
  config.control.socket = (directory / "s").string();
  return config;
}

std::vector<std::string> keys(const std::vector<wiring::Obstacle>& obstacles) {
  std::vector<std::string> all;
  for (const auto& each : obstacles) all.push_back(each.key);
  return all;
}

using Keys = std::vector<std::string>;

}  // namespace

TEST_CASE("places that a start makes are no obstacles, and stay unmade") {
  const test::TemporaryDirectory directory;
  CHECK(wiring::obstacles_of_mirror(below(directory)).empty());
  CHECK(wiring::obstacles_of_control(below(directory)).empty());
  CHECK(std::filesystem::is_empty(directory.path()));
}

TEST_CASE("a socket may lie in a directory that a start makes, and not in one below it") {
  const test::TemporaryDirectory directory;
  auto config = below(directory);
  config.control.socket = (directory / "catalogue/s").string();
  CHECK(wiring::obstacles_of_control(config).empty());
  config.mirror.catalogue = (directory / "a/b/catalogue.db").string();
  config.control.socket = (directory / "a/s").string();
  CHECK(wiring::obstacles_of_control(config).empty());
  // An ordinary user's last directory is made, and none that root named.
  config.control.socket = (directory / "state/deep/s").string();
  CHECK(keys(wiring::obstacles_of_control(config)) == (::geteuid() == 0 ? Keys{"control.socket"} : Keys{}));
  config.control.socket = (directory / "state/deep/er/s").string();
  const auto found = wiring::obstacles_of_control(config);
  REQUIRE(keys(found) == Keys{"control.socket"});
  CHECK(found[0].is_missing);
}

TEST_CASE(
    "a place that is missing is distinguished from one that is there, and what a user may not from what nobody can") {
  const test::TemporaryDirectory directory;
  const auto config = below(directory);
  std::filesystem::create_directory(directory / "state");
  test::write_file(directory / "mirror", "");
  const auto found = wiring::obstacles_of_mirror(config, [](const std::string&, int) { return EACCES; });
  REQUIRE(keys(found) == Keys{"mirror.state_directory", "mirror.catalogue", "mirror.directory"});
  CHECK(found[0].what == config.mirror.state_directory + ": Permission denied");
  CHECK(found[0].is_of_right);
  CHECK_FALSE(found[0].is_missing);
  CHECK(found[1].is_of_right);
  CHECK(found[1].is_missing);
  CHECK(found[1].what ==
        config.mirror.catalogue + " does not exist, and cannot be made: " + directory.string() + ": Permission denied");
  CHECK(found[2].what == config.mirror.directory + ": is not a directory");
  CHECK_FALSE(found[2].is_of_right);
}

TEST_CASE("what lies in a place that cannot be used is not named too") {
  const test::TemporaryDirectory directory;
  auto config = below(directory);
  test::write_file(config.mirror.state_directory, "");
  config.mirror.directory = config.mirror.state_directory + "/mirror";
  config.mirror.catalogue = config.mirror.state_directory + "/catalogue.db";
  CHECK(keys(wiring::obstacles_of_mirror(config)) == Keys{"mirror.state_directory"});
  config.mirror.directory = "relative";
  CHECK(keys(wiring::obstacles_of_mirror(config)) == Keys{"mirror.state_directory"});
}

TEST_CASE("a failure that may pass is no obstacle") {
  const test::TemporaryDirectory directory;
  for (const int number : {EIO, EMFILE, ENOMEM})
    CHECK(wiring::obstacles_of_mirror(below(directory), [number](const std::string&, int) { return number; }).empty());
}
