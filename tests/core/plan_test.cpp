#include <doctest/doctest.h>

#include "vtmirror/core/plan.hpp"

#include "support/every.hpp"

using namespace vtmirror::core;

TEST_CASE("every reason and every kind of action is named by its word in the source") {
  for (const auto& reason : vtmirror::test::every<Reason>()) {
    CHECK(name(reason.value) == reason.word);
    CHECK(reason_named(reason.word) == reason.value);
  }
  for (const auto& kind : vtmirror::test::every<ActionKind>()) {
    CHECK(name(kind.value) == kind.word);
    CHECK(action_named(kind.word) == kind.value);
  }
  CHECK_FALSE(reason_named("unknown").has_value());
  CHECK_FALSE(action_named("").has_value());
}

namespace {

Action planned(ActionKind kind, std::string name) {
  Action action;
  action.kind = kind;
  action.name = std::move(name);
  return action;
}

std::string words_of(const std::vector<Action>& actions) {
  std::string words;
  for (const auto& action : actions) words += std::string(name(action.kind)) + ' ' + action.name + ' ';
  return words;
}

}  // namespace

TEST_CASE("a later plan adds what the running one does nothing about, and brings its own removals") {
  const Plan running{{planned(ActionKind::resume, "bulk"), planned(ActionKind::fetch, "one"),
                      planned(ActionKind::keep, "held"), planned(ActionKind::keep, "replaced"),
                      planned(ActionKind::skip, "big"), planned(ActionKind::refuse, "delta[3]"),
                      planned(ActionKind::prune, "old")}};
  const Plan later{{planned(ActionKind::fetch, "two"), planned(ActionKind::fetch_again, "replaced"),
                    planned(ActionKind::fetch, "big"), planned(ActionKind::skip, "bulk"),
                    planned(ActionKind::adopt, "found"), planned(ActionKind::keep, "one"),
                    planned(ActionKind::refuse, "delta[3]"), planned(ActionKind::refuse, "delta[4]"),
                    planned(ActionKind::drop_partial, "bulk"), planned(ActionKind::prune, "older")}};
  CHECK(words_of(additions(running, later)) == "fetch two fetch_again replaced refuse delta[4] ");
  CHECK(words_of(extended(running, later).actions) ==
        "resume bulk fetch one keep held skip big refuse delta[3] fetch two fetch_again replaced refuse delta[4] "
        "prune older ");
  CHECK(additions(extended(running, later), later).empty());
}

TEST_CASE("a later plan downloads again what has ended and was replaced, or failed, and nothing that still runs") {
  const Plan running{{planned(ActionKind::fetch, "published"), planned(ActionKind::resume, "failed"),
                      planned(ActionKind::fetch, "runs")}};
  const Plan later{{planned(ActionKind::fetch_again, "published"), planned(ActionKind::fetch, "failed"),
                    planned(ActionKind::fetch_again, "runs")}};
  const std::vector<std::string> over{"published", "failed"};
  CHECK(words_of(additions(running, later, over)) == "fetch_again published fetch failed ");
  CHECK(words_of(extended(running, later, over).actions) == "fetch runs fetch_again published fetch failed ");
  CHECK(additions(running, later).empty());
  const Plan kept{{planned(ActionKind::keep, "published"), planned(ActionKind::refuse, "failed")}};
  CHECK(additions(running, kept, over).empty());
}
