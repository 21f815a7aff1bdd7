#include "cli/commands.hpp"

#include "support/directory.hpp"
#include "support/variables.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

namespace vtmirror::cli {
namespace {

using report::AskedDaemon;
using report::Unanswered;

const base::Error absent{base::Errc::unreachable};
constexpr bool ordinary = false;
constexpr bool root = true;

Arguments with(const std::string& config) {
  Arguments arguments;
  arguments.command = Command::status;
  arguments.config = config;
  return arguments;
}

/// An ordinary user with settings of their own.
struct OwnSettings {
  OwnSettings() {
    std::filesystem::create_directories(directory.path("vtmirror"));
    file = directory.write("vtmirror/vtmirror.toml", "[service]\nbase_url = \"https://api.example\"\n");
  }
  settings::Environment environment() const { return test::environment_of({{"XDG_CONFIG_HOME", directory.path()}}); }

  test::Directory directory;
  std::string file;
};

TEST_CASE("an ordinary user's own settings are those of a daemon of their own") {
  const OwnSettings own;
  CHECK(unanswered(absent, with(own.file), own.environment(), ordinary) == Unanswered{.daemon = AskedDaemon::own});
  CHECK(unanswered({base::Errc::timed_out}, with(own.file), own.environment(), ordinary) ==
        Unanswered{.daemon = AskedDaemon::own, .hangs = true});
}

TEST_CASE("settings that nobody has filled in are none") {
  const OwnSettings own;
  own.directory.write("vtmirror/vtmirror.toml", "[service]\nbase_url = \"\"\n[schedule]\nat = \"08:00\"\n");
  CHECK(unanswered(absent, with(own.file), own.environment(), ordinary).daemon == AskedDaemon::none);
}

TEST_CASE("a mistake that hides which socket the settings name is said") {
  const OwnSettings own;
  const auto asked = [&own](const std::string& file) {
    return unanswered(absent, with(file), own.environment(), ordinary);
  };
  for (const std::string text : {"[service\n", "[control]\nsocket = 5\n"}) {
    own.directory.write("vtmirror/vtmirror.toml", text);
    CHECK(asked(own.file) == Unanswered{.daemon = AskedDaemon::unknown, .settings = own.file});
    const auto named = own.directory.write("other.toml", text);
    CHECK(asked(named) == Unanswered{.daemon = AskedDaemon::unknown, .settings = named});
  }
  own.directory.write("vtmirror/vtmirror.toml", "[schedule]\nat = 5\n[service]\nbase_url = \"https://api.example\"\n");
  CHECK(asked(own.file).daemon == AskedDaemon::own);
}

TEST_CASE("a settings file that was named is neither the system's nor the user's own") {
  const OwnSettings own;
  const auto named = own.directory.write("other.toml", "");
  for (const bool is_root : {ordinary, root})
    CHECK(unanswered(absent, with(named), own.environment(), is_root) ==
          Unanswered{.daemon = AskedDaemon::named, .is_root = is_root, .settings = named});
  CHECK(unanswered(absent, with(own.file), own.environment(), root).daemon == AskedDaemon::named);
}

TEST_CASE("a settings file that was named and does not exist is none, with its name") {
  const OwnSettings own;
  const auto missing = own.directory.path("missing.toml");
  CHECK(unanswered(absent, with(missing), own.environment(), ordinary) ==
        Unanswered{.daemon = AskedDaemon::none, .settings = missing});
}

TEST_CASE("the system's settings are the system's daemon's, or nobody has set up anything yet") {
  const test::Directory home;
  const auto environment = test::environment_of({{"XDG_CONFIG_HOME", home.path()}});
  const auto system = settings::load_config(settings::system_settings_file, environment);
  const bool is_set_up =
      system ? !system->config.service.base_url.empty() : std::filesystem::exists(settings::system_settings_file);
  for (const bool is_root : {ordinary, root})
    CHECK(unanswered(absent, with(settings::system_settings_file), environment, is_root) ==
          Unanswered{.daemon = is_set_up ? AskedDaemon::system : AskedDaemon::none, .is_root = is_root});
}

TEST_CASE("a socket that was named may be any daemon's, except the system's own socket") {
  const OwnSettings own;
  auto arguments = with(own.file);
  arguments.socket = own.directory.path("s");
  CHECK(unanswered(absent, arguments, own.environment(), ordinary).daemon == AskedDaemon::other);
  arguments.socket = settings::Config().control.socket;
  CHECK(unanswered(absent, arguments, own.environment(), ordinary).daemon == AskedDaemon::system);
}

}  // namespace
}  // namespace vtmirror::cli
