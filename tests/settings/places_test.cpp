#include "vtmirror/settings/places.hpp"

#include "support/directory.hpp"
#include "support/variables.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

namespace vtmirror::settings {
namespace {

using test::environment_of;

TEST_CASE("an ordinary user's own settings file counts before the system's, if it exists") {
  const test::Directory home;
  const auto environment = environment_of({{"HOME", home.path()}});
  CHECK(default_settings_file(environment, false) == system_settings_file);
  std::filesystem::create_directories(home.path(".config/vtmirror"));
  const auto own = home.write(".config/vtmirror/vtmirror.toml", "");
  CHECK(default_settings_file(environment, false) == own);
  CHECK(default_settings_file(environment, true) == system_settings_file);
  CHECK(own_settings_file(environment_of({{"HOME", "/home/me"}})) == "/home/me/.config/vtmirror/vtmirror.toml");
  CHECK(own_settings_file(environment_of({{"HOME", "/home/me"}, {"XDG_CONFIG_HOME", "/srv/c"}})) ==
        "/srv/c/vtmirror/vtmirror.toml");
}

TEST_CASE("a variable with a relative path counts as not set") {
  CHECK(own_settings_file(environment_of({{"HOME", "/home/me"}, {"XDG_CONFIG_HOME", "c"}})) ==
        "/home/me/.config/vtmirror/vtmirror.toml");
}

TEST_CASE("a tilde at the beginning of a path is the home directory") {
  CHECK(below_home("~", "/home/me") == "/home/me");
  CHECK(below_home("~/a/b", "/home/me") == "/home/me/a/b");
  CHECK(below_home("~you/a", "/home/me") == "~you/a");
  CHECK(below_home("/a/~/b", "/home/me") == "/a/~/b");
  CHECK(below_home("~/a", "") == "~/a");
}

TEST_CASE("a tilde is understood in each path of the settings, and in a hook's program") {
  const auto read = read_config(
      "[service]\nca_file = '~/ca.pem'\n[mirror]\ndirectory = '~/mirror'\n[control]\nsocket = '~/s'\n"
      "[[hook]]\ncommand = ['~/load', '~/as it is']\n",
      "/home/me");
  CHECK(read.config.service.ca_file == "/home/me/ca.pem");
  CHECK(read.config.mirror.directory == "/home/me/mirror");
  CHECK(read.config.control.socket == "/home/me/s");
  REQUIRE(read.config.hooks.size() == 1);
  CHECK(read.config.hooks.front().command == Texts{"/home/me/load", "~/as it is"});
}

TEST_CASE("what a user's own settings leave open follows that user's places") {
  ReadConfig read;
  SUBCASE("by the variables") {
    use_own_places(read, environment_of({{"HOME", "/home/me"}, {"XDG_STATE_HOME", "/s"}, {"XDG_RUNTIME_DIR", "/r"}}));
    CHECK(read.config.mirror.state_directory == "/s/vtmirror");
    CHECK(read.config.control.socket == "/r/vtmirror/control.sock");
    CHECK(read.config.control.group.empty());
  }
  SUBCASE("without them, below the home directory") {
    use_own_places(read, environment_of({{"HOME", "/home/me"}}));
    CHECK(read.config.mirror.state_directory == "/home/me/.local/state/vtmirror");
    CHECK(read.config.control.socket == "/home/me/.local/state/vtmirror/control.sock");
  }
  SUBCASE("also if systemd's variable is relative, which counts as not set") {
    use_own_places(read, environment_of({{"HOME", "/home/me"}, {"STATE_DIRECTORY", "d"}}));
    CHECK(read.config.mirror.state_directory == "/home/me/.local/state/vtmirror");
  }
  SUBCASE("but not what systemd or the file sets") {
    read = read_config("[control]\nsocket = '/c'\ngroup = 'staff'\n");
    use_own_places(read, environment_of({{"HOME", "/home/me"}, {"STATE_DIRECTORY", "/d"}, {"XDG_RUNTIME_DIR", "/r"}}));
    CHECK(read.config.mirror.state_directory.empty());
    CHECK(read.config.control.socket == "/c");
    CHECK(read.config.control.group == "staff");
  }
}

}  // namespace
}  // namespace vtmirror::settings
