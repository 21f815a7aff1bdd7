#include "agent/secret_watch.hpp"
#include "support/agent_rig.hpp"
#include "support/utc.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>

using namespace vtmirror;
using namespace vtmirror::test;

namespace {

void run(boost::asio::io_context& loop, boost::asio::awaitable<void> work) {
  boost::asio::co_spawn(loop, std::move(work), [](const std::exception_ptr& thrown) {
    if (thrown) std::rethrow_exception(thrown);
  });
  loop.restart();
  loop.run();
}

/// A watch of the secret "secret" and the key "key", over a catalogue that outlives it.
struct Watched {
  explicit Watched(AgentRig& rig) : rig_(rig) {
    settings.secret_expires_on = base::parse_date("2026-11-28").value();
    watch.use(settings, std::make_shared<Utc>());
  }
  ~Watched() { pool.join(); }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

  void note(agent::Acceptance secret, agent::Acceptance key) {
    run(loop, watch.note(std::move(secret), std::move(key)));
  }
  core::Cause cause(core::ProblemCode code) const {
    for (const auto& problem : watch.problems(rig_.clock.now()))
      if (problem.code == code) return problem.cause;
    return {};
  }

 private:
  AgentRig& rig_;

 public:
  ports::Stop stop{};
  boost::asio::io_context loop{};
  boost::asio::thread_pool pool{4};
  agent::CatalogueStrand strand{pool, rig_.catalogue};
  agent::CatalogueCalls calls{strand};
  agent::SecretWatch watch{{loop.get_executor(), rig_.clock, rig_.dice, rig_.service, rig_.storage.partials(),
                            rig_.storage.shelf(), rig_.journal, stop, strand, pool, pool, pool},
                           calls};
  agent::CredentialSettings settings{.secret_fingerprint = "secret", .key_fingerprint = "key"};
};

base::Error refusal(const char* request, const char* code) {
  base::Error error{.code = base::Errc::forbidden, .detail = "the request failed: refused", .status = 401};
  error.subject = request;
  error.service_code = code;
  error.why = std::string("refused (") + code + ')';
  return error;
}

}  // namespace

TEST_CASE("days left that are not known yet are not none left: no rotation is due, and nothing is a problem") {
  AgentRig rig;
  ports::Stop stop;
  boost::asio::io_context loop;
  boost::asio::thread_pool pool(4);
  agent::CatalogueStrand strand(pool, rig.catalogue);
  agent::CatalogueCalls calls(strand);
  agent::SecretWatch watch({loop.get_executor(), rig.clock, rig.dice, rig.service, rig.storage.partials(),
                            rig.storage.shelf(), rig.journal, stop, strand, pool, pool, pool},
                           calls);
  agent::CredentialSettings settings{.secret_fingerprint = "secret", .key_fingerprint = "key"};
  settings.secret_expires_on = base::parse_date("2026-11-28").value();
  settings.auto_rotate = true;
  watch.use(settings, std::make_shared<Utc>());

  // As after a look that the catalogue refused: the expiry is read, and was not compared with today.
  run(loop, watch.note({.accepted = true, .refused = {}}, {.accepted = true, .refused = {}}));
  CHECK_FALSE(watch.status().days_left);
  CHECK_FALSE(watch.rotation_due());
  CHECK(watch.problems(rig.clock.now()).empty());

  run(loop, watch.look());
  CHECK(watch.status().days_left == 10);
  CHECK(watch.rotation_due());
  REQUIRE(watch.problems(rig.clock.now()).size() == 1);
  CHECK(watch.problems(rig.clock.now())[0].code == core::ProblemCode::secret_expires);

  // A secret that is refused is not good for any more days, whatever its day is.
  const base::Error refusal{.code = base::Errc::forbidden, .detail = "HTTP 401"};
  run(loop, watch.note({.accepted = false, .refused = refusal}, {}));
  CHECK_FALSE(watch.status().days_left);
  CHECK(watch.status().expires_on == settings.secret_expires_on);
  pool.join();
}

TEST_CASE("a refused secret keeps code, status and service's code, over other failures of a cycle and over restarts") {
  AgentRig rig;
  const auto refused = refusal("token request", "AADSTS7000215");
  auto expected = core::cause_of(refused);
  expected.subject = "client secret";
  {
    Watched first(rig);
    first.note({.accepted = false, .refused = refused}, {});
    CHECK(first.cause(core::ProblemCode::secret_refused) == expected);
    first.note({}, {});  // the next cycle met no issuer
    CHECK(first.cause(core::ProblemCode::secret_refused) == expected);
  }
  Watched second(rig);
  run(second.loop, second.watch.look());
  CHECK(second.cause(core::ProblemCode::secret_refused) == expected);
  CHECK(core::service_code(second.cause(core::ProblemCode::secret_refused)) == "AADSTS7000215");
  second.note({.accepted = true, .refused = {}}, {});
  CHECK(second.cause(core::ProblemCode::secret_refused) == core::Cause());
}

TEST_CASE("why a secret or a key was refused is kept of the request that refused it, each its own") {
  AgentRig rig;
  Watched watched(rig);
  watched.note({.accepted = false, .refused = refusal("token request", "AADSTS7000222")},
               {.accepted = false, .refused = refusal("listing request", "FB-03")});
  const auto secret = watched.cause(core::ProblemCode::secret_refused);
  CHECK(core::why(secret) == "refused (AADSTS7000222)");
  CHECK(core::text(secret, "request") == "token request");
  const auto key = watched.cause(core::ProblemCode::key_revoked);
  CHECK(core::why(key) == "refused (FB-03)");
  CHECK(core::service_code(key) == "FB-03");
  CHECK(key.code == base::Errc::forbidden);
}

TEST_CASE("a secret that is refused after its day keeps why, and has the day beside it") {
  AgentRig rig;
  Watched watched(rig);
  watched.settings.secret_expires_on = base::parse_date("2026-11-10").value();
  watched.watch.use(watched.settings, std::make_shared<Utc>());
  run(watched.loop, watched.watch.look());
  watched.note({.accepted = false, .refused = refusal("token request", "AADSTS7000222")}, {});
  const auto cause = watched.cause(core::ProblemCode::secret_refused);
  CHECK(core::why(cause) == "refused (AADSTS7000222)");
  CHECK(core::text(cause, "expires_on") == "2026-11-10");
}
