// The real program while the machine's clock stands on another day: the service's own clock stays where it is.
#include "end_to_end/noon.hpp"
#include "end_to_end/rig.hpp"
#include "support/sanitizer.hpp"
#include "support/skip.hpp"

#include <doctest/doctest.h>

#include <unistd.h>

using namespace vtmirror;
using namespace vtmirror::test;
namespace json = boost::json;

namespace {

std::optional<std::string> no_faketime() {
  if (sanitized) return "a sanitizer's runtime and faketime both want to be loaded first";
  return absent("faketime", "faketime");
}

struct LaterRig : Rig {
  explicit LaterRig(int days_of_the_secret) : Rig(R"({"bulk_bytes": 200000, "delta_bytes": 20000})") {
    const auto end = std::chrono::sys_days(Noon().today) + std::chrono::days(days_of_the_secret);
    set("credentials", "secret_expires_on", '"' + base::iso8601(base::Date(end)) + '"');
  }
  Ended later(int days, const std::vector<std::string>& command) const {
    auto line = command_line(command);
    line.insert(line.begin(), {"/usr/bin/faketime", "-f", "+" + std::to_string(days) + "d"});
    return run(line, {"FAKETIME_DONT_FAKE_MONOTONIC=1"});
  }
  std::int64_t days_left(int days) const {
    const auto logged = later(days, {"secret", "status", "--json"});
    REQUIRE_MESSAGE(logged.status == 0, logged.err);
    return json::parse(logged.out).at("secret").at("days_left").as_int64();
  }
};

bool says(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

TEST_CASE(
    "as the machine's days go by each warning of the secret's end comes once, and a later one replaces an earlier") {
  if (const auto why = no_faketime()) return skip(*why);
  const LaterRig rig(31);
  struct Day {
    int later;
    bool warned;
  };
  for (const auto& day : {Day{0, false}, Day{1, true}, Day{2, false}, Day{18, true}, Day{19, false}, Day{29, false}}) {
    CAPTURE(day.later);
    const auto synced = rig.later(day.later, {"sync"});
    CHECK_MESSAGE(synced.status == 0, synced.err);
    CHECK(says(synced.err, "vtmirror secret rotate") == day.warned);
    CHECK(says(synced.err, "in " + std::to_string(31 - day.later) + " days") == day.warned);
    CHECK(rig.days_left(day.later) == 31 - day.later);
  }
}

TEST_CASE("a machine that was off from the first warning to after the second gives the second alone") {
  if (const auto why = no_faketime()) return skip(*why);
  const LaterRig rig(31);
  CHECK(rig.later(0, {"sync"}).status == 0);
  const auto synced = rig.later(18, {"sync"});
  CHECK_MESSAGE(says(synced.err, "in 13 days"), synced.err);
  CHECK(json::parse(rig.later(18, {"secret", "status", "--json"}).out).at("secret").at("warned") == json::array{14});
}

TEST_CASE(
    "after its last day the secret's expiry is an error, reported once, with advice while the issuer still accepts "
    "it") {
  if (const auto why = no_faketime()) return skip(*why);
  const LaterRig rig(1);
  CHECK(rig.later(0, {"sync"}).status == 0);
  const auto expired = rig.later(2, {"sync"});
  CHECK_MESSAGE(says(expired.err, "the client secret is past its expiry date"), expired.err);
  CHECK(says(expired.err, "vtmirror secret rotate"));
  CHECK_FALSE(says(rig.later(3, {"sync"}).err, "the client secret is past its expiry date"));
}

TEST_CASE(
    "a secret that the issuer refuses after its last day is a matter of a support request, in the issuer's words") {
  if (const auto why = no_faketime()) return skip(*why);
  LaterRig rig(1);
  CHECK(rig.later(0, {"sync"}).status == 0);
  rig.control("POST", "/script", R"({"secret_expired": true})");
  const auto refused = rig.later(2, {"sync"});
  CHECK(refused.status == 1);
  CHECK_MESSAGE(says(refused.err, "support request"), refused.err);
  CHECK(says(refused.err, "7000222"));
}

}  // namespace
