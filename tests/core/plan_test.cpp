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

TEST_CASE("a prune removes a file of the mirror, unless the file is quarantined") {
  for (const auto& kind : vtmirror::test::every<ActionKind>()) {
    for (const auto& reason : vtmirror::test::every<Reason>()) {
      CAPTURE(kind.word);
      CAPTURE(reason.word);
      const bool expected = kind.word == "prune" && reason.word != "quarantine_over";
      CHECK(removes_public_file({.kind = kind.value, .reason = reason.value}) == expected);
    }
  }
}
