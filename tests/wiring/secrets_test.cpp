#include "vtmirror/wiring/agent_settings.hpp"

#include "support/directory.hpp"
#include "support/variables.hpp"

#include <doctest/doctest.h>

namespace vtmirror::wiring {
namespace {

TEST_CASE("mistakes in both secrets are reported at once") {
  const test::Directory directory;
  settings::Config config;
  config.mirror.state_directory = directory.path();
  const auto secrets = read_secrets(config, test::environment_of({}));
  REQUIRE(secrets.has_error());
  CHECK(secrets.error().detail == "credentials.client_secret_file: there is no " + directory.path("client_secret") +
                                      "\ncredentials.api_key_file: there is no " + directory.path("api_key") +
                                      "\nsee `vtmirror config check`");
  directory.write("client_secret", "one");
  directory.write("api_key", "two");
  const auto both = read_secrets(config, test::environment_of({}));
  REQUIRE(both.has_value());
  CHECK(both->client_secret.secret.reveal() == "one");
  CHECK(both->api_key.reveal() == "two");
}

}  // namespace
}  // namespace vtmirror::wiring
