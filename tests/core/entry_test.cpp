#include "vtmirror/core/listing.hpp"

#include "core/listing_text.hpp"
#include "support/every.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace vtmirror;
using namespace core::test;
using core::parse_listing;

namespace {

const core::ListingRules strict{};

/// The refusal of the one bad delta between two good entries, which must pass.
core::RefusedEntry refusal_of(const std::string& bad) {
  const auto read = parse_listing(listing({entry("bulk", 15)}, {bad, entry("delta", 17)}), strict);
  REQUIRE(read);
  CHECK(read->entries.size() == 2);
  REQUIRE(read->refused.size() == 1);
  return read->refused.front();
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("an entry with a bad field is refused with that field's name, and the other entries are used") {
  struct Case {
    std::string Fields::*field;
    std::string value;
    const char* reason;
  };
  for (const Case& row : {
           Case{&Fields::filename, "", "filename: it is missing"},
           {&Fields::filename, "null", "filename: it is not a string"},
           {&Fields::filename, "7", "filename: it is not a string"},
           {&Fields::filename, R"("")", "filename: the name is empty"},
           {&Fields::filename, R"("../../etc/cron.d/x.zip")", "filename: the name has a part \"..\""},
           {&Fields::filename, R"("/etc/x.zip")", "filename: the name is an absolute path"},
           {&Fields::filename, R"("a\\b.zip")", "backslash"},
           {&Fields::filename, R"("a\u0000b.zip")", "control character"},
           {&Fields::filename, R"("a\nb.zip")", "control character"},
           {&Fields::filename, R"(".vtmirror/partial/a.zip")", ".vtmirror"},
           {&Fields::filename, "\"" + std::string(256, 'x') + ".zip\"", "255 bytes"},
           {&Fields::filename, "\"caf\xe9.zip\"", "UTF-8"},
           {&Fields::filename, R"("a.zip.exe")", "does not end in .zip"},
           {&Fields::filename, R"("a_31-02-2026.zip")", "the file name says 31-02-2026"},
           {&Fields::size, "", "fileSize: it is missing"},
           {&Fields::size, "null", "fileSize: it is not a whole number"},
           {&Fields::size, R"("95800000")", "fileSize: it is not a whole number"},
           {&Fields::size, "95800000.0", "fileSize: it is not a whole number"},
           {&Fields::size, "1e9", "fileSize: it is not a whole number"},
           {&Fields::size, "true", "fileSize: it is not a whole number"},
           {&Fields::size, "0", "fileSize: 0 bytes is not a file size"},
           {&Fields::size, "-1", "fileSize: -1 bytes is not a file size"},
           {&Fields::size, "1099511627777", "fileSize: 1099511627777 bytes is not plausible"},
           {&Fields::size, "18446744073709551615", "is not plausible"},
           {&Fields::size, "99999999999999999999999", "fileSize: it is not a whole number"},
           {&Fields::created, "", "fileCreatedOn: it is missing"},
           {&Fields::created, "20261116", "fileCreatedOn: it is not a string"},
           {&Fields::created, R"("16-11-2026")", "fileCreatedOn"},
           {&Fields::created, R"("2026-02-31")", "\"2026-02-31\" is not a day"},
           {&Fields::created, R"("2026-11-17")", "fileCreatedOn says 2026-11-17, the file name says 16-11-2026"},
           {&Fields::link, "", "downloadUrl: it is missing"},
           {&Fields::link, "[]", "downloadUrl: it is not a string"},
           {&Fields::link, R"("http://store.example/a.zip?X-Amz-Signature=5ecret")",
            "downloadUrl: the link is not https"},
       }) {
    const auto& field = row.field;
    const auto& value = row.value;
    const auto& reason = row.reason;
    Fields fields;
    fields.*field = value;
    CAPTURE(value);
    const auto refused = refusal_of(fields.json());
    CHECK(has(refused.why, reason));
    CHECK_FALSE(has(refused.why + refused.name, "5ecret"));
  }
}

TEST_CASE("a refusal has the check that failed and the member as values, whatever its words say") {
  using core::EntryCheck;
  struct Case {
    std::string entry;
    core::FailedCheck failed;
  };
  const auto with = [](std::string Fields::*field, const char* value) {
    Fields fields;
    fields.*field = value;
    return fields.json();
  };
  for (const Case& row : {Case{"7", {EntryCheck::object, ""}},
                          {with(&Fields::filename, ""), {EntryCheck::presence, "filename"}},
                          {with(&Fields::size, ""), {EntryCheck::presence, "fileSize"}},
                          {with(&Fields::size, "true"), {EntryCheck::type, "fileSize"}},
                          {with(&Fields::link, "[]"), {EntryCheck::type, "downloadUrl"}},
                          {named("../x.zip"), {EntryCheck::name, "filename"}},
                          {named("x.exe"), {EntryCheck::name, "filename"}},
                          {named("v1/bulk/x.zip"), {EntryCheck::kind, "filename"}},
                          {with(&Fields::size, "0"), {EntryCheck::size, "fileSize"}},
                          {with(&Fields::size, "18446744073709551615"), {EntryCheck::size, "fileSize"}},
                          {with(&Fields::created, R"("16-11-2026")"), {EntryCheck::day, "fileCreatedOn"}},
                          {named("x_17-11-2026.zip"), {EntryCheck::days, "fileCreatedOn"}},
                          {with(&Fields::link, R"("http://store.example/a.zip")"), {EntryCheck::link, "downloadUrl"}},
                          {entry("delta", 17), {EntryCheck::unique, "filename"}}}) {
    CAPTURE(row.entry);
    const auto read = parse_listing(listing({entry("bulk", 15)}, {entry("delta", 17), row.entry}), strict);
    REQUIRE(read);
    REQUIRE(read->refused.size() == 1);
    CHECK(core::name(read->refused.front().failed.check) == core::name(row.failed.check));
    CHECK(read->refused.front().failed.member == row.failed.member);
  }
}

TEST_CASE("what is stored of a refusal is read again, and of an older version only the words are") {
  for (const auto& check : test::every<core::EntryCheck>()) {
    CAPTURE(check.word);
    CHECK(core::name(check.value) == check.word);
    CHECK(core::entry_check_named(check.word) == check.value);
    if (check.value == core::EntryCheck::unknown) continue;
    const core::FailedCheck failed{check.value, "fileSize"};
    const auto read = core::read_refusal(core::stored_refusal(failed, "it is \"7\""));
    CHECK(read.failed == failed);
    CHECK(read.words == "it is \"7\"");
  }
  for (const std::string words : {"", "fileSize: it is negative", "{}", R"({"check":"of a later version"})"}) {
    CHECK(core::read_refusal(words).words == words);
    CHECK(core::read_refusal(words).failed == core::FailedCheck());
    CHECK(core::stored_refusal({}, words) == words);
  }
}

TEST_CASE("an entry that is not an object is refused with its position") {
  for (const auto* bad : {"null", "7", "\"a.zip\"", "[]", "true"}) {
    const auto refused = refusal_of(bad);
    CHECK(refused.name == "delta[0]");
    CHECK(refused.why == "the entry is not an object");
  }
  CHECK(has(refusal_of("{}").why, "filename"));
}

TEST_CASE("a refused entry's name is fit for a log line") {
  CHECK(refusal_of(named("a\\nb\\u001b[2J.zip")).name == "a b?[2J.zip");
  CHECK(refusal_of(named("")).name == "delta of 2026-11-16");
  CHECK(refusal_of(named(std::string(2'000, 'x') + ".zip")).name.size() <= 300);
}

TEST_CASE("the largest and the smallest size are accepted") {
  for (const auto* size : {"1", "1099511627776"}) {
    Fields fields;
    fields.size = size;
    const auto read = parse_listing(listing({}, {fields.json()}), strict);
    REQUIRE(read);
    REQUIRE(read->entries.size() == 1);
    CHECK(std::to_string(read->entries.front().size) == size);
  }
}

TEST_CASE("an entry with dates that disagree is refused, and all of the dates are reported") {
  const std::string folders = "delta/year=2026/month=11/day=16/";
  CHECK(has(refusal_of(named(folders + "x_16-11-2026.zip", "2026-11-17")).why, "file name says 16-11-2026"));
  CHECK(has(refusal_of(named(folders + "x_17-11-2026.zip", "2026-11-16")).why, "file name says 17-11-2026"));
  CHECK(has(refusal_of(named(folders + "x_17-11-2026.zip", "2026-11-17")).why, "the path says day=16"));
  CHECK(has(refusal_of(named("delta/year=2025/month=11/day=16/x_16-11-2026.zip")).why, "the path says year=2025"));
  CHECK(has(refusal_of(named("delta/year=2026/month=12/day=16/x_16-11-2026.zip")).why, "the path says month=12"));
  CHECK(has(refusal_of(named("delta/day=17/x.zip")).why, "the path says day=17"));
  CHECK(has(refusal_of(named("delta/day=/x.zip")).why, "the path says day="));
  CHECK(has(refusal_of(named("delta/month=November/x.zip")).why, "fileCreatedOn says 2026-11-16"));
  CHECK(has(refusal_of(named("x_31-02-2026.zip", "2026-03-03")).why, "31-02-2026"));
}

TEST_CASE("a refused entry is of the day that its name states, and else of the day beside it") {
  const std::string folders = "delta/year=2026/month=11/day=17/";
  const auto day_of = [](const std::string& entry) { return refusal_of(entry).date; };
  CHECK(day_of(named(folders + "x_17-11-2026.zip", "2026-11-16")) == base::parse_date("2026-11-17").value());
  CHECK(day_of(named(folders + "x_16-11-2026.zip", "2026-11-16")) == base::parse_date("2026-11-16").value());
}

TEST_CASE("dates are compared only where the name has them") {
  for (const auto* name :
       {"x.zip", "delta/x.zip", "delta/year=2026/x.zip", "year=2026/month=11/day=16/x.zip", "month=11/x_16-11-2026.zip",
        "x_16-11-26.zip", "16-11-2026.zip", "yearly=1/day/month/x.zip"}) {
    CAPTURE(name);
    const auto read = parse_listing(listing({}, {named(name)}), strict);
    REQUIRE(read);
    CHECK(read->entries.size() == 1);
  }
}

TEST_CASE("an entry below the other kind's directory is refused") {
  CHECK(has(refusal_of(named("v1/bulk/x.zip")).why, "listed as delta, but its path says bulk"));
  const auto bulk = parse_listing(listing({named("v1/Delta/x.zip")}, {}), strict);
  REQUIRE(bulk);
  CHECK(bulk->entries.empty());
  for (const auto* name : {"v1/x.zip", "v1/delta/x.zip", "v1/bulk/delta/x.zip", "v1/bulky/x.zip", "bulk-x.zip"}) {
    CAPTURE(name);
    CHECK(parse_listing(listing({}, {named(name)}), strict)->refused.empty());
  }
}

TEST_CASE("an entry that repeats a known secret is refused, and neither its name nor the reason shows it") {
  base::KnownSecrets known;
  known.add(base::Secret("key-0123456789abcdef"));
  const core::ListingRules rules{.known = &known};
  const std::vector<std::string> bad{
      named("v1/delta/key-0123456789abcdef/x.zip"), named("v1/delta/23456789_16-11-2026.zip"),
      named("v1/delta/KEY-0123%34%35/x.zip"),       named("/key-0123456789abcdef.zip"),
      named("x.zip", "key-0123456789abcdef"),       named("2345678_16-11-2026.zip", "01234567")};
  const auto read = parse_listing(listing({entry("bulk", 15)}, bad), rules);
  REQUIRE(read);
  CHECK(read->entries.size() == 1);
  REQUIRE(read->refused.size() == bad.size());
  for (const auto& refused : read->refused) {
    CAPTURE(refused.name);
    CAPTURE(refused.why);
    CHECK_FALSE(known.appear_in(refused.name));
    CHECK_FALSE(known.appear_in(refused.why));
  }
  CHECK(has(read->refused[0].why, "the name contains a secret of this client"));
  CHECK(read->refused[0].failed == core::FailedCheck{core::EntryCheck::secret, "filename"});
  CHECK(read->refused[0].name == "v1/delta/***/x.zip");
}

TEST_CASE("a secret that has a word of every file's name costs no file") {
  base::KnownSecrets known;
  known.add(base::Secret("my-vehicle-key-of-year=2026/month=11/day=15/bulk-light-vehicle_"));
  const auto read = parse_listing(listing({entry("bulk", 15)}, {entry("delta", 17)}), {.known = &known});
  REQUIRE(read);
  CHECK(read->refused.empty());
}
