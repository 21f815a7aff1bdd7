#include "support/agent_rig.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

using namespace vtmirror;
using namespace vtmirror::test;

namespace {

/// What a cycle shows of itself at its events.
struct Seen {
  ports::EventKind at{};
  ports::CycleProgress progress;
};

std::vector<Seen> seen_in_a_cycle(AgentRig& rig) {
  std::vector<Seen> seen;
  std::optional<base::Result<core::CycleReport>> report;
  rig.in_process([&](agent::Agent& agent) {
    rig.journal.heard = [&seen, &agent](const ports::Event& event) {
      if (const auto* progress = agent.progress(); progress != nullptr) seen.push_back({event.kind, *progress});
    };
    return AgentRig::whole_run(agent, rig.meanwhile, report);
  });
  rig.journal.heard = {};
  CHECK(report.has_value());
  return seen;
}

const ports::CycleProgress* at(const std::vector<Seen>& seen, ports::EventKind kind) {
  for (const auto& each : seen)
    if (each.at == kind) return &each.progress;
  return nullptr;
}

ports::Response refusal(int status, std::chrono::seconds retry_after) {
  ports::Response response;
  response.status = status;
  response.retry_after = retry_after;
  return response;
}

}  // namespace

TEST_CASE("a cycle shows what it does: it asks for the listing, compares it with the mirror, downloads") {
  AgentRig rig;
  list_wednesday(rig);
  const auto seen = seen_in_a_cycle(rig);
  const auto* started = at(seen, ports::EventKind::cycle_started);
  REQUIRE(started != nullptr);
  CHECK(started->step == ports::Step::listing);
  const auto* listed = at(seen, ports::EventKind::listed);
  REQUIRE(listed != nullptr);
  CHECK_FALSE(listed->asking);
  const auto* planned = at(seen, ports::EventKind::planned);
  REQUIRE(planned != nullptr);
  CHECK(planned->step == ports::Step::comparing);
  const auto* fetching = at(seen, ports::EventKind::fetch_started);
  REQUIRE(fetching != nullptr);
  CHECK(fetching->step == ports::Step::downloading);
}

TEST_CASE("while a refused request for the listing pauses, the cycle shows until when and why") {
  AgentRig rig;
  list_wednesday(rig);
  rig.service.listing_script = [](int n) {
    return n == 1 ? refusal(429, std::chrono::seconds(29)) : ports::Response();
  };
  const auto begun = rig.clock.now();
  const auto seen = seen_in_a_cycle(rig);
  const auto* paused = at(seen, ports::EventKind::request_retried);
  REQUIRE(paused != nullptr);
  REQUIRE(paused->asking);
  CHECK(paused->asking->since == begun);
  CHECK(paused->asking->until == begun + std::chrono::seconds(29));
  CHECK(paused->asking->reason == "the service asks for fewer requests (HTTP 429)");
  CHECK_FALSE(at(seen, ports::EventKind::listed)->asking);
}

TEST_CASE("while the token issuer pauses the cycle, it is the issuer that is named") {
  AgentRig rig;
  list_wednesday(rig);
  rig.service.token_script = [](int n) { return n == 1 ? refusal(429, std::chrono::seconds(29)) : ports::Response(); };
  const auto seen = seen_in_a_cycle(rig);
  const auto* paused = at(seen, ports::EventKind::request_retried);
  REQUIRE(paused != nullptr);
  REQUIRE(paused->asking);
  CHECK(paused->asking->reason == "the token issuer asks for fewer requests (HTTP 429)");
}

TEST_CASE("a web page in place of the file list does not say that the API key is accepted") {
  const auto key_after = [](bool is_page) {
    AgentRig rig;
    list_wednesday(rig);
    rig.service.listing_script = [is_page](int) {
      ports::Response page;
      if (!is_page) return page;
      page.status = 200;
      page.content_type = "text/html";
      page.body = "<html>log in</html>";
      return page;
    };
    bool is_accepted = false;
    std::optional<base::Result<core::CycleReport>> report;
    rig.in_process([&](agent::Agent& agent) {
      rig.journal.heard = [&](const ports::Event&) { is_accepted = agent.key().accepted; };
      return AgentRig::whole_run(agent, rig.meanwhile, report);
    });
    rig.journal.heard = {};
    return is_accepted;
  };
  CHECK_FALSE(key_after(true));
  CHECK(key_after(false));
}
