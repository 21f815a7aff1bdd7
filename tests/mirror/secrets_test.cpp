#include "vtmirror/mirror/secrets.hpp"

#include "mirror/issues.hpp"
#include "support/temporary_directory.hpp"

#include <doctest/doctest.h>

#include <sys/stat.h>

#include <filesystem>

namespace vtmirror::test {
namespace {

namespace fs = std::filesystem;
using base::Secret;

struct Place {
  TemporaryDirectory directory;
  std::unique_ptr<ports::Secrets> secrets = mirror::open_secrets(directory.string());

  core::SecretIssue issue(const std::string& secret) {
    return {.fingerprint = secrets->fingerprint(Secret(secret)).value(),
            .at = base::parse_time("2026-11-18T08:00:00Z").value(),
            .by_service = true,
            .given = "given",
            .date_then = base::parse_date("2026-12-01").value()};
  }
  bool all_private() const {
    for (const auto& entry : fs::directory_iterator(directory.path())) {
      struct stat status {};
      if (::stat(entry.path().c_str(), &status) != 0 || (status.st_mode & 0777) != 0600) return false;
    }
    return true;
  }
};

TEST_CASE("a process that only looks makes no key and no directory, and has one fingerprint for one secret") {
  const TemporaryDirectory directory;
  const auto missing = mirror::look_at_secrets((directory / "state").string());
  CHECK(missing->issues().value().empty());
  CHECK(missing->fingerprint(Secret("a")).value() == missing->fingerprint(Secret("a")).value());
  CHECK(missing->fingerprint(Secret("a")).value() != missing->fingerprint(Secret("b")).value());
  CHECK(fs::is_empty(directory.path()));
  Place place;
  const auto print = place.secrets->fingerprint(Secret("a")).value();
  CHECK(mirror::look_at_secrets(place.directory.string())->fingerprint(Secret("a")).value() == print);
}

TEST_CASE("a new secret waits under its own name until it is verified, and replaces the old one in one step") {
  Place place;
  write_file(place.directory / "client_secret", "old\n");
  ::chmod((place.directory / "client_secret").c_str(), 0600);
  REQUIRE(place.secrets->make_room());
  CHECK_FALSE(place.secrets->unproved().value());
  REQUIRE(place.secrets->keep_new(Secret("fresh")));
  CHECK(place.secrets->unproved().value()->reveal() == "fresh");
  CHECK(read_file(place.directory / "client_secret") == "old\n");
  CHECK(place.all_private());
  REQUIRE(place.secrets->adopt(place.issue("fresh")));
  CHECK(read_file(place.directory / "client_secret") == "fresh");
  CHECK_FALSE(place.secrets->unproved().value());
  CHECK(place.secrets->issues().value() == std::vector{place.issue("fresh")});
  CHECK(place.all_private());
}

TEST_CASE("a process that died while it wrote the new secret has left it whole under its name") {
  Place place;
  REQUIRE(place.secrets->make_room());
  auto text = read_file(place.directory / "client_secret.new");
  text.replace(0, 5, "fresh");
  write_file(place.directory / "client_secret.new", text);
  CHECK(place.secrets->unproved().value()->reveal() == "fresh");
}

TEST_CASE("files of ours are open to nobody else, whatever the umask says, and refused when they are") {
  const auto before = ::umask(0);
  Place place;
  REQUIRE(place.secrets->keep_new(Secret("fresh")));
  const auto turn = place.secrets->acquire_turn();
  REQUIRE(turn);
  CHECK(place.all_private());
  ::umask(before);
  REQUIRE(::chmod((place.directory / "client_secret.new").c_str(), 0640) == 0);
  const auto refused = place.secrets->unproved();
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == base::Errc::config);
  CHECK(refused.error().detail.find("fresh") == std::string::npos);
}

TEST_CASE("a fingerprint is the same over restarts, another on another machine, and no plain digest") {
  Place place;
  const auto first = place.secrets->fingerprint(Secret("secret")).value();
  CHECK(mirror::open_secrets(place.directory.string())->fingerprint(Secret("secret")).value() == first);
  CHECK(place.secrets->fingerprint(Secret("secret2")).value() != first);
  Place elsewhere;
  CHECK(elsewhere.secrets->fingerprint(Secret("secret")).value() != first);
  CHECK(first.size() == 32);
}

TEST_CASE("one process at a time has the turn") {
  Place place;
  {
    const auto turn = place.secrets->acquire_turn();
    REQUIRE(turn);
    const auto other = mirror::open_secrets(place.directory.string())->acquire_turn();
    REQUIRE_FALSE(other);
    CHECK(other.error().code == base::Errc::locked);
  }
  CHECK(place.secrets->acquire_turn());
}

TEST_CASE("no symlink in the place of a secret is followed") {
  Place place;
  write_file(place.directory / "elsewhere", "untouched");
  fs::create_symlink("elsewhere", place.directory / "client_secret.new");
  CHECK_FALSE(place.secrets->make_room());
  CHECK_FALSE(place.secrets->keep_new(Secret("fresh")));
  CHECK(read_file(place.directory / "elsewhere") == "untouched");
}

TEST_CASE("which given secret was replaced can be said later, once") {
  Place place;
  auto issue = place.issue("fresh");
  issue.given.reset();
  REQUIRE(place.secrets->keep_issue(issue));
  REQUIRE(place.secrets->keep_given(issue.fingerprint, "one"));
  REQUIRE(place.secrets->keep_given(issue.fingerprint, "two"));
  CHECK(place.secrets->issues().value().at(0).given == "one");
}

TEST_CASE("records are read back as they were written, and other lines are skipped") {
  std::vector<core::SecretIssue> issues;
  const auto when = base::parse_time("2026-11-18T08:00:00Z").value();
  issues.push_back({.fingerprint = "a", .at = when, .by_service = true, .given = "g", .date_then = {}});
  issues.push_back({.fingerprint = "b", .at = when, .by_service = false, .given = "", .date_then = {}});
  issues.push_back({.fingerprint = "c",
                    .at = when,
                    .by_service = false,
                    .given = {},
                    .date_then = base::parse_date("2026-12-01").value()});
  const auto text = mirror::issues_text(issues);
  CHECK(mirror::read_issues(text) == issues);
  CHECK(mirror::read_issues("\n x \na 2026-11-18T08:00:00Z nobody - -\n" + text + "a 2026") == issues);
  CHECK(mirror::read_issues("").empty());
}

TEST_CASE("the records of the newest secrets are kept, and older ones are removed") {
  Place place;
  for (int i = 0; i < 20; ++i) {
    const auto secret = "secret-" + std::to_string(i);
    REQUIRE(place.secrets->keep_issue(place.issue(secret)));
  }
  const auto issues = place.secrets->issues().value();
  CHECK(issues.size() == 16);
  CHECK(issues.back() == place.issue("secret-19"));
}

}  // namespace
}  // namespace vtmirror::test
