#include "vtmirror/core/links.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace vtmirror;
using namespace vtmirror::core;
using namespace std::chrono_literals;

namespace {

/// Of links that live 300 s by what is in them, so that they are used for 290 s.
struct Cycle {
  explicit Cycle(const std::vector<std::string>& names) { links.begin(listing(names)); }

  FreshListing listing(const std::vector<std::string>& names, std::string parameters = {}) const {
    FreshListing fresh{.received = now};
    for (const auto& name : names) {
      auto link = "https://store.example/" + name;
      link.append("?").append(parameters);
      fresh.listing.entries.push_back({.name = name, .size = 7, .link = base::Secret(std::move(link))});
    }
    return fresh;
  }
  void renew(const std::vector<std::string>& names) { links.renew(listing(names)); }
  /// Links that have expired already when they come.
  void renew_expired(const std::vector<std::string>& names) {
    auto fresh = listing(names, "X-Amz-Date=20261118T080000Z&X-Amz-Expires=60");
    fresh.server_now = base::parse_time("2026-11-18T09:00:00Z").value();
    links.renew(fresh);
  }
  /// "link 1", "ask", or why there is none.
  std::string find(const std::string& name, int refused = 0) const {
    const auto found = links.find(name, refused, now);
    if (!found) return found.error().detail;
    return *found ? "link " + std::to_string((*found)->listing) : "ask";
  }
  std::string in_newest(const std::string& name, int refused = 0) const {
    const auto found = links.in_newest(name, refused, now);
    return found ? "link " + std::to_string(found->listing) : found.error().detail;
  }

  base::Steady now{};
  Links links;
};

constexpr char unlisted[] = "it is no longer listed";
constexpr char expired[] = "the service's links have already expired";

}  // namespace

TEST_CASE("a link is used while it has time left, and after that a listing is asked for") {
  Cycle cycle({"a"});
  CHECK(cycle.links.listing() == 1);
  CHECK(cycle.find("a") == "link 1");
  cycle.now = cycle.now + (290s - 1ms);
  CHECK(cycle.find("a") == "link 1");
  cycle.now = cycle.now + 1ms;
  CHECK(cycle.find("a") == "ask");
  cycle.renew({"a"});
  CHECK(cycle.find("a") == "link 2");
  CHECK(cycle.links.find("a", 0, cycle.now).value()->size == 7);
}

TEST_CASE("after a link was refused only one of a later listing is used") {
  Cycle cycle({"a"});
  CHECK(cycle.find("a", 1) == "ask");
  cycle.renew({"a"});
  CHECK(cycle.find("a", 1) == "link 2");
  CHECK(cycle.find("a", 2) == "ask");
}

TEST_CASE("one listing is enough for all whose links were refused or are over") {
  Cycle cycle({"a", "b"});
  cycle.now = cycle.now + 300s;
  CHECK(cycle.find("a") == "ask");
  CHECK(cycle.find("b", 1) == "ask");
  cycle.renew({"a", "b"});
  CHECK(cycle.find("a") == "link 2");
  CHECK(cycle.find("b", 1) == "link 2");
}

TEST_CASE("a listing of the cycle answers for files that left it, for five minutes, and the first one does not") {
  Cycle cycle({"a", "b"});
  CHECK(cycle.find("c") == "ask");
  cycle.renew({"a"});
  CHECK(cycle.find("b") == unlisted);
  CHECK(cycle.find("b", 1) == unlisted);
  CHECK(cycle.find("b", 2) == "ask");
  cycle.now = cycle.now + 300s;
  CHECK(cycle.find("b") == unlisted);
  cycle.now = cycle.now + 1ms;
  CHECK(cycle.find("b") == "ask");
}

TEST_CASE("links that are expired when they come are asked for again once, not once for every file") {
  Cycle cycle({});
  cycle.renew_expired({"a", "b"});
  CHECK(cycle.find("a") == expired);
  CHECK(cycle.find("b") == expired);
  Cycle first({});
  first.links.begin({});
  CHECK(first.find("a") == "ask");
}

TEST_CASE("a listing that was asked for is the last word, whatever it brings") {
  Cycle cycle({"a", "b"});
  cycle.renew({"a"});
  CHECK(cycle.in_newest("a", 1) == "link 2");
  CHECK(cycle.in_newest("a", 2) == expired);
  CHECK(cycle.in_newest("b", 1) == unlisted);
  cycle.renew_expired({"a"});
  CHECK(cycle.in_newest("a") == expired);
}

TEST_CASE("after a listing that could not be had none is asked for, and links with time left are used all the same") {
  Cycle cycle({"a", "b"});
  cycle.links.failed({base::Errc::timed_out, "no answer"});
  CHECK(cycle.find("a") == "link 1");
  CHECK(cycle.find("a", 1) == "no answer");
  CHECK(cycle.find("c") == "no answer");
  cycle.renew({"a"});
  CHECK(cycle.find("a", 1) == "link 2");
  CHECK(cycle.find("b", 2) == "ask");
}

TEST_CASE("another cycle counts its listings anew") {
  Cycle cycle({"a"});
  cycle.renew({"a"});
  cycle.links.failed({base::Errc::timed_out, "no answer"});
  cycle.links.begin(cycle.listing({"b"}));
  CHECK(cycle.links.listing() == 1);
  CHECK(cycle.find("b") == "link 1");
  CHECK(cycle.find("a") == "ask");
}
