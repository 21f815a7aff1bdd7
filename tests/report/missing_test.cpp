// What a chain lacks, in words.
#include "vtmirror/report/missing.hpp"
#include "vtmirror/core/chain_failures.hpp"
#include "vtmirror/report/sentence.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

namespace vtmirror::report {
namespace {

using core::MissingReason;

const std::string file = "v1/a.zip";

core::Missing missing(MissingReason reason, core::Cause cause = {}) {
  return {core::Kind::delta, file, std::nullopt, reason, std::move(cause)};
}

const core::Cause too_large{
    .code = base::Errc::no_space,
    .fields = {{"needed", std::int64_t{60}}, {"free", std::int64_t{39}}, {"reserve", std::int64_t{1000}}}};
const std::string too_large_words = "it needs 60 B, and 39 B are free beside the reserve of 1.00 KB: 21 B short";

struct Case {
  core::Missing missing;
  std::string detail;
  std::string phrase;
};

const std::vector<Case> cases{
    {missing(MissingReason::not_downloaded), "", "not downloaded yet"},
    {missing(MissingReason::lost), "", "lost from disk"},
    {missing(MissingReason::damaged), "", "damaged on disk"},
    {missing(MissingReason::refused, {.detail = "fileSize: it is missing"}), "fileSize: it is missing",
     "its entry in the listing was refused: fileSize: it is missing"},
    {missing(MissingReason::quarantined, {.code = base::Errc::integrity, .detail = file + ": a member is cut"}),
     "a member is cut", "quarantined: a member is cut"},
    {missing(MissingReason::quarantined, core::deadly_check(3)),
     "the program ended 3 times while it checked this file, perhaps for lack of memory",
     "quarantined: the program ended 3 times while it checked this file, perhaps for lack of memory"},
    {missing(MissingReason::does_not_fit, too_large), too_large_words, "no room on the disk: " + too_large_words}};

TEST_CASE("a missing file is named with the reason, and with the cause where the reason does not say it all") {
  for (const auto& each : cases) {
    CAPTURE(each.phrase);
    CHECK(detail(each.missing) == each.detail);
    CHECK(phrase(each.missing) == each.phrase);
    core::Chain chain{.missing = {each.missing}};
    CHECK(sentence(core::failures_of(chain).front()) == file + ": " + each.phrase);
  }
}

TEST_CASE("a manifest gives all these details but one: by how much a file does not fit changes without a generation") {
  core::Chain chain;
  std::vector<std::string> expected;
  for (const auto& each : cases) {
    chain.missing.push_back(each.missing);
    expected.push_back(each.missing.reason == MissingReason::does_not_fit ? "" : each.detail);
  }
  CHECK(lasting_details(chain) == expected);
}

TEST_CASE("a missing file of which an older version stored the sentence reads as it did") {
  const core::Failure failure{
      core::FailureKind::other,
      {.subject = file, .detail = "quarantined: a member is cut", .fields = {{"not_listed", std::int64_t{1}}}}};
  CHECK(sentence(failure) == file + ": quarantined: a member is cut");
}

}  // namespace
}  // namespace vtmirror::report
