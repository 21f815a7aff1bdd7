#include "vtmirror/settings/secret_in_use.hpp"

#include "support/directory.hpp"
#include "support/variables.hpp"
#include "vtmirror/mirror/secrets.hpp"

#include <doctest/doctest.h>

#include <filesystem>

namespace vtmirror::settings {
namespace {

struct Place {
  test::Directory directory;
  Config config;
  std::unique_ptr<ports::Secrets> kept;

  Place() {
    config.mirror.state_directory = directory.path();
    kept = mirror::open_secrets(directory.path());
    std::filesystem::create_directory(directory.path("systemd"));
  }
  Environment environment() const {
    return test::environment_of({{"CREDENTIALS_DIRECTORY", directory.path("systemd")}});
  }
  void give(const std::string& secret) { directory.write("systemd/client_secret", secret); }
  base::Result<SecretInUse> look() { return secret_in_use(read_secret_files(config, environment()), *kept); }
  std::string in_use() {
    auto found = look();
    return found ? found->secret.reveal() : "error: " + found.error().detail;
  }
  /// As a rotation leaves it.
  void rotate_to(const std::string& secret, const std::optional<std::string>& given) {
    core::SecretIssue issue;
    issue.fingerprint = kept->fingerprint(base::Secret(secret)).value();
    issue.at = base::parse_time("2026-11-18T08:00:00Z").value();
    issue.by_service = true;
    issue.given = given;
    REQUIRE(kept->keep_new(base::Secret(secret)));
    REQUIRE(kept->adopt(issue));
  }
  std::optional<std::string> given_now() { return look().value().given; }
};

TEST_CASE("after a rotation the state directory's secret wins over systemd's, which it replaced") {
  Place place;
  place.give("old");
  CHECK(place.in_use() == "old");
  place.rotate_to("new", place.given_now());
  CHECK(place.in_use() == "new");
  CHECK(place.look()->why.find("2026-11-18") != std::string::npos);
  place.rotate_to("newer", place.given_now());
  CHECK(place.in_use() == "newer");
}

TEST_CASE("a secret that is given after a rotation wins over the rotated one") {
  Place place;
  place.give("old");
  place.rotate_to("new", place.given_now());
  place.give("from support");
  CHECK(place.in_use() == "from support");
  place.give("old");
  CHECK(place.in_use() == "new");
}

TEST_CASE("a file that the settings name counts as systemd's does") {
  Place place;
  place.config.credentials.client_secret_file = place.directory.write("set", "old");
  place.rotate_to("new", place.given_now());
  CHECK(place.in_use() == "new");
  place.directory.write("set", "changed");
  CHECK(place.in_use() == "changed");
}

TEST_CASE("a file that the settings name in the state directory is the one that a rotation replaces") {
  Place place;
  place.config.credentials.client_secret_file = place.directory.write("client_secret", "old");
  CHECK(place.in_use() == "old");
  place.rotate_to("new", place.given_now());
  CHECK(place.in_use() == "new");
}

TEST_CASE("a stray file in the state directory changes nothing beside a given secret, whatever its mode") {
  Place place;
  place.give("old");
  place.directory.write("client_secret", "stray", 0644);
  CHECK(place.in_use() == "old");
}

TEST_CASE("a rotated secret that others can read is refused, and not passed over") {
  Place place;
  place.give("old");
  place.rotate_to("new", place.given_now());
  std::filesystem::permissions(place.directory.path("client_secret"), std::filesystem::perms::group_read,
                               std::filesystem::perm_options::add);
  CHECK(place.in_use().find("chmod 600") != std::string::npos);
}

TEST_CASE("a rotated secret stays in use if the file that the settings name is gone") {
  Place place;
  place.config.credentials.client_secret_file = place.directory.path("gone");
  CHECK(place.in_use().find("there is no") != std::string::npos);
  place.rotate_to("new", std::nullopt);
  CHECK(place.in_use() == "new");
}

TEST_CASE("a secret set where systemd's could not be seen wins, and the daemon notes which one it replaced") {
  Place place;
  place.give("old");
  place.rotate_to("new", std::nullopt);
  auto found = place.look();
  REQUIRE(found);
  CHECK(found->secret.reveal() == "new");
  REQUIRE(keep_given(*found, *place.kept));
  CHECK(place.in_use() == "new");
  place.give("newest");
  CHECK(place.in_use() == "newest");
}

TEST_CASE("another client id makes another credential of the same secret") {
  Place place;
  place.config.credentials.client_id = "one";
  const auto first = credential_fingerprint(place.config, base::Secret("s"), *place.kept).value();
  place.config.credentials.client_id = "two";
  CHECK(credential_fingerprint(place.config, base::Secret("s"), *place.kept).value() != first);
}

}  // namespace
}  // namespace vtmirror::settings
