// A token issuer that is not of this project: npm oidc-provider, behind TLS, with right, wrong and expired secrets.
#include "end_to_end/rig.hpp"
#include "support/repository.hpp"
#include "support/skip.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace vtmirror::test;
namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

constexpr char secret[] = "a-secret-that-is-long-enough-for-the-issuer";
constexpr char long_past[] = "1000000000";
constexpr char never[] = "0";

/// Where `./dev test` has npm put it.
fs::path modules() { return fs::path(VTMIRROR_PROGRAM).parent_path().parent_path() / "oidc-provider/node_modules"; }

std::optional<std::string> no_issuer() {
  if (auto why = absent("node", "nodejs")) return why;
  if (fs::exists(modules() / "oidc-provider")) return std::nullopt;
  return "there is no oidc-provider here (./dev test installs it where there is npm)";
}

struct Issuer {
  Issuer(Rig& rig, const std::string& lifetime, const std::string& expires)
      : process({program("node").value(), (repository() / "tests/end_to_end/issuer.mjs").string(), modules().string(),
                 (rig.directory() / "simulator/server.pem").string(),
                 (rig.directory() / "simulator/server.key").string(), "the-client", secret, lifetime, expires}) {
    REQUIRE_MESSAGE(process.read_until([](const Ended& e) { return e.out.find('\n') != std::string::npos; }),
                    process.so_far().err);
    const auto logged = json::parse(process.so_far().out.substr(0, process.so_far().out.find('\n')));
    const auto quoted = [&](const char* key) { return "\"" + std::string(logged.at(key).as_string()) + "\""; };
    rig.set("service", "base_url", quoted("address"));
    rig.set("service", "token_url", quoted("token"));
    rig.set("credentials", "client_id", "\"the-client\"");
    write_file(rig.directory() / "config/client_secret", secret);
  }
  Child process;
};

/// What a cycle ends with once its token was taken: the issuer's API lists nothing.
constexpr char listing_was_read[] = "the service lists no file";

bool says(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

}  // namespace

TEST_CASE("a real issuer takes the right secret, and its token opens the API") {
  if (const auto why = no_issuer()) return skip(*why);
  Rig rig;
  rig.mark(secret);
  const Issuer issuer(rig, "600", never);
  const auto synced = rig.vtmirror({"sync"});
  CHECK(synced.status == 1);
  CHECK_MESSAGE(says(synced.err, listing_was_read), synced.err);
}

TEST_CASE("a real issuer refuses a wrong secret in its own words, and nothing of the secret is repeated") {
  if (const auto why = no_issuer()) return skip(*why);
  Rig rig;
  rig.mark("a-wrong-secret-that-is-long-enough-too");
  const Issuer issuer(rig, "600", never);
  write_file(rig.directory() / "config/client_secret", "a-wrong-secret-that-is-long-enough-too");
  const auto synced = rig.vtmirror({"sync"});
  CHECK(synced.status == 1);
  CHECK_MESSAGE(says(synced.err, "invalid_client"), synced.err);
}

TEST_CASE("a real issuer's answer to an expired secret is a refusal too, and the daemon waits for a person") {
  if (const auto why = no_issuer()) return skip(*why);
  Rig rig;
  const Issuer issuer(rig, "600", long_past);
  Child daemon(rig.command_line({"run"}));
  CHECK(daemon.read_until([](const Ended& e) { return says(e.err, "what to do: check credentials.client_id"); }));
  CHECK(says(daemon.so_far().err, "token request to "));
  CHECK(says(daemon.so_far().err, "invalid_client"));
}

TEST_CASE("tokens that live for a second are renewed, and every cycle gets its listing") {
  if (const auto why = no_issuer()) return skip(*why);
  Rig rig;
  const Issuer issuer(rig, "1", never);
  Child daemon(rig.command_line({"run"}));
  REQUIRE(daemon.read_until([](const Ended& e) { return says(e.err, listing_was_read); }));
  for (int cycle = 0; cycle < 12; ++cycle) {
    const auto synced = rig.vtmirror({"sync"});
    CHECK_MESSAGE(says(synced.err, listing_was_read), synced.err);
    CHECK_FALSE(says(synced.err, "FB-02"));
    CHECK_FALSE(says(synced.err, "forbidden"));
  }
  CHECK_FALSE(says(daemon.so_far().err, "forbidden"));
}
