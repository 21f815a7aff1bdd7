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
