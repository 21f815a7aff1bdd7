#include "vtmirror/settings/secret_in_use.hpp"

#include "support/directory.hpp"
#include "support/no_descriptors.hpp"
#include "support/skip.hpp"
#include "support/variables.hpp"

#include <doctest/doctest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace vtmirror::settings {
namespace {

struct Place {
  test::Directory directory;
  Config config;

  Place() { config.mirror.state_directory = directory.path(); }
  SecretFile find(const Environment& environment = test::environment_of({})) const {
    return find_secret(config, client_secret, environment);
  }
};

std::string refusal(const SecretFile& file) {
  const auto secret = read_secret(file);
  return secret.has_error() ? secret.error().detail : "";
}

TEST_CASE("a secret is looked for in systemd's place, then in the state directory") {
  Place place;
  std::filesystem::create_directory(place.directory.path("credentials"));
  const auto environment = test::environment_of({{"CREDENTIALS_DIRECTORY", place.directory.path("credentials")}});
  place.directory.write("client_secret", "from the state");
  CHECK(read_secret(place.find(environment))->reveal() == "from the state");
  place.directory.write("credentials/client_secret", "from systemd");
  CHECK(read_secret(place.find(environment))->reveal() == "from systemd");
  place.config.credentials.client_secret_file = place.directory.write("set", "from the setting");
  CHECK(read_secret(place.find(environment))->reveal() == "from the setting");
}

TEST_CASE("a missing secret is reported with every place that was searched") {
  Place place;
  const auto file = place.find(test::environment_of({{"CREDENTIALS_DIRECTORY", "/run/credentials/x"}}));
  CHECK_FALSE(file.exists);
  CHECK(refusal(file) ==
        "there is neither /run/credentials/x/client_secret nor " + place.directory.path("client_secret"));
}

TEST_CASE("root finds a stopped service's secrets where systemd loads them from, and its own mirror's not there") {
  Place place;
  const std::string stored = "/etc/credstore/vtmirror.client_secret";
  const auto state = place.directory.path();
  CHECK(place.find().looked_in == std::vector{state + "/client_secret"});
  if (::geteuid() != 0) return test::skip("only root can read the secrets of a service");
  constexpr uid_t another = 4711;
  REQUIRE(::chown(state.c_str(), another, another) == 0);
  CHECK(place.find().looked_in == std::vector{stored, state + "/client_secret"});
  const auto passed = test::environment_of({{"CREDENTIALS_DIRECTORY", "/run/credentials/x"}});
  CHECK(place.find(passed).looked_in ==
        std::vector<std::string>{"/run/credentials/x/client_secret", state + "/client_secret"});
  place.config.credentials.client_secret_file = place.directory.write("set", "from the setting");
  CHECK(place.find().looked_in == std::vector{place.directory.path("set")});
}

TEST_CASE("one newline at the end does not belong to the secret") {
  Place place;
  place.directory.write("client_secret", "a~b c.\n");
  CHECK(read_secret(place.find())->reveal() == "a~b c.");
  place.directory.write("client_secret", "abc\r\n");
  CHECK(read_secret(place.find())->reveal() == "abc");
  place.directory.write("client_secret", "abc\n\n");
  CHECK(refusal(place.find()).find("not printable") != std::string::npos);
}

TEST_CASE("a secret for which no descriptor is free is no mistake of the settings") {
  Place place;
  const auto path = place.directory.write("client_secret", "secret");
  const auto file = place.find();
  std::optional<test::NoDescriptors> no_descriptors(std::in_place);
  const auto secret = read_secret(file);
  no_descriptors.reset();
  REQUIRE(secret.has_error());
  CHECK(secret.error().code == base::Errc::io);
  CHECK(secret.error().subject == path);
  CHECK(secret.error().detail.find("cannot be read: Too many open files") != std::string::npos);
}

TEST_CASE("a secret that others can read is refused with the command that helps") {
  Place place;
  for (const mode_t mode : {0640U, 0604U, 0620U, 0601U, 0644U, 0666U}) {
    CAPTURE(mode);
    const auto path = place.directory.write("client_secret", "secret", mode);
    const auto secret = read_secret(place.find());
    REQUIRE(secret.has_error());
    CHECK(secret.error().code == base::Errc::config);
    CHECK(secret.error().detail.find("chmod 600 " + path) != std::string::npos);
    CHECK(secret.error().detail.find("secret\n") == std::string::npos);
  }
  for (const mode_t mode : {0600U, 0400U, 0700U}) {
    place.directory.write("client_secret", "secret", mode);
    CHECK(read_secret(place.find()).has_value());
  }
}

/// An ordinary user meanwhile, if the process is root's.
class OrdinaryUser {
 public:
  OrdinaryUser() : was_(::geteuid()) {
    if (was_ == 0) REQUIRE(::seteuid(65534) == 0);
  }
  ~OrdinaryUser() {
    if (was_ == 0) static_cast<void>(::seteuid(was_));
  }
  OrdinaryUser(const OrdinaryUser&) = delete;
  OrdinaryUser& operator=(const OrdinaryUser&) = delete;

 private:
  uid_t was_;
};

TEST_CASE("an open secret whose mode this user cannot change, as in a container, is refused with what helps there") {
  SecretFile file;
  file.path = "/etc/passwd";  // root's, and everybody may read it
  file.exists = true;
  const OrdinaryUser user;
  const auto secret = read_secret(file);
  REQUIRE(secret.has_error());
  CHECK(secret.error().code == base::Errc::config);
  CHECK(secret.error().detail ==
        "the file /etc/passwd can be read or changed by others; a secret must be private: give it to user " +
            std::to_string(::geteuid()) +
            " with mode 0400; in a container, set uid and mode in the secret's definition");
}

TEST_CASE("systemd's ACL, which appears as group bits, is accepted in systemd's own directory") {
  Place place;
  const auto environment = test::environment_of({{"CREDENTIALS_DIRECTORY", place.directory.path()}});
  place.directory.write("client_secret", "secret", 0440);
  CHECK(read_secret(place.find(environment)).has_value());
  place.directory.write("client_secret", "secret", 0444);
  CHECK(read_secret(place.find(environment)).has_error());
  const test::Directory other;
  other.write("x", "secret", 0440);
  const auto name = std::filesystem::path(other.path()).filename().string();
  place.config.credentials.client_secret_file = place.directory.path() + "/../" + name + "/x";
  CHECK(read_secret(place.find(environment)).has_error());
}

TEST_CASE("a file without a secret is refused") {
  Place place;
  place.directory.write("client_secret", "");
  CHECK(refusal(place.find()).ends_with("is empty"));
  place.directory.write("client_secret", "\n");
  CHECK(refusal(place.find()).ends_with("is empty"));
  place.directory.write("client_secret", std::string(4097, 'x'));
  CHECK(refusal(place.find()).ends_with("is larger than 4 KiB"));
  place.directory.write("client_secret", std::string(4096, 'x'));
  CHECK(read_secret(place.find()).has_value());
  place.directory.write("client_secret", std::string("a\0b", 3));
  CHECK(refusal(place.find()).find("not printable") != std::string::npos);
}

TEST_CASE("a file that is not regular is refused, and a pipe does not block") {
  Place place;
  std::filesystem::create_directory(place.directory.path("client_secret"));
  CHECK(refusal(place.find()).ends_with("is not a regular file"));
  std::filesystem::remove(place.directory.path("client_secret"));
  REQUIRE(::mkfifo(place.directory.path("client_secret").c_str(), 0600) == 0);
  CHECK(refusal(place.find()).ends_with("is not a regular file"));
}

}  // namespace
}  // namespace vtmirror::settings
