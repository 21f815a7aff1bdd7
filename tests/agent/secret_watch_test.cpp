#include "agent/secret_watch.hpp"
#include "support/agent_rig.hpp"
#include "support/utc.hpp"

#include <doctest/doctest.h>

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
