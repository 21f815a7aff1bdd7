#include "vtmirror/base/text.hpp"

#include <doctest/doctest.h>

#include <array>
#include <limits>
#include <random>

using namespace vtmirror::base;
using namespace std::chrono_literals;

namespace {
constexpr auto largest = std::numeric_limits<std::int64_t>::max();
constexpr auto smallest = std::numeric_limits<std::int64_t>::min();
}  // namespace

TEST_CASE("sizes are printed with three figures") {
  CHECK(human_size(0) == "0 B");
  CHECK(human_size(812) == "812 B");
  CHECK(human_size(999) == "999 B");
  CHECK(human_size(1'000) == "1.00 KB");
  CHECK(human_size(9'996) == "10.0 KB");
  CHECK(human_size(99'960) == "100 KB");
  CHECK(human_size(999'499) == "999 KB");
  CHECK(human_size(999'500) == "1.00 MB");
  CHECK(human_size(95'800'000) == "95.8 MB");
  CHECK(human_size(37'718'225'291) == "37.7 GB");
  CHECK(human_size(largest) == "9.22 EB");
  CHECK(human_size(-812) == "-812 B");
  CHECK(human_size(smallest) == "-9.22 EB");
}

TEST_CASE("no size takes more than ten characters") {
  std::mt19937_64 random{7};
  for (int i = 0; i < 10'000; ++i) {
    const auto size = static_cast<std::int64_t>(random() >> (1 + random() % 63));
    REQUIRE(human_size(size).size() <= 10);
  }
}

TEST_CASE("durations are printed in their two largest units") {
  CHECK(human_duration(0s) == "0s");
  CHECK(human_duration(12s) == "12s");
  CHECK(human_duration(3min + 5s) == "3m 05s");
  CHECK(human_duration(72min) == "1h 12m");
  CHECK(human_duration(24h) == "1d 00h");
  CHECK(human_duration(27h + 59min) == "1d 03h");
  CHECK(human_duration(-5s) == "-5s");
  CHECK(human_duration(std::chrono::seconds::min()).starts_with("-"));
}

TEST_CASE("sizes are read in units of 1000 and of 1024, and only zero needs none") {
  CHECK(parse_size("0").value() == 0);
  CHECK(parse_size("512B").value() == 512);
  CHECK(parse_size("20MB").value() == 20'000'000);
  CHECK(parse_size("2GiB").value() == std::int64_t{2} << 30);
  CHECK(parse_size(" 2 gib ").value() == std::int64_t{2} << 30);
  CHECK(parse_size("3TB").value() == 3'000'000'000'000);
  CHECK(parse_size("9223372036854775807B").value() == largest);
}

TEST_CASE("a rate is a size, with or without its second") {
  CHECK(parse_rate("0").value() == 0);
  CHECK(parse_rate("20MB/s").value() == 20'000'000);
  CHECK(parse_rate("1KiB").value() == 1024);
  CHECK(parse_rate("1TB/s").value() == largest_rate);
  // Too large for an integer, and still a rate: the caller has the words for it.
  CHECK(parse_rate("99999999999999999999MB/s").value() > largest_rate);
  for (const auto* text : {"", "/s", "20", "20/s", "MB/s", "-1MB/s", "fast", "20MB/m", "99999999999999999999"}) {
    CAPTURE(text);
    CHECK(parse_rate(text).error().code == Errc::config);
  }
}

TEST_CASE("a text that is not a size is refused as a mistake in the settings") {
  for (const auto* text : {"", "MB", "-1", "20", "512 ", "1.5GB", "20 XB", "20MB/s", "9223372036854775808B",
                           "9223373TB", "8388608TiB", "0x10", "1 2", "1kk"}) {
    CAPTURE(text);
    const auto size = parse_size(text);
    REQUIRE_FALSE(size);
    CHECK(size.error().code == Errc::config);
  }
}

TEST_CASE("every size times every unit is read as their product") {
  std::mt19937_64 random{11};
  const std::array units{std::pair{"KB", std::int64_t{1'000}}, std::pair{"MiB", std::int64_t{1} << 20},
                         std::pair{"TB", std::int64_t{1'000'000'000'000}}};
  for (int i = 0; i < 3'000; ++i) {
    const auto& [unit, bytes] = units.at(static_cast<std::size_t>(i) % units.size());
    const auto count = static_cast<std::int64_t>(random() % 9'000'000);
    REQUIRE(parse_size(std::to_string(count) + unit).value() == count * bytes);
  }
}

TEST_CASE("durations are read in seconds, minutes, hours and days") {
  CHECK(parse_duration("0s").value() == 0s);
  CHECK(parse_duration("0").value() == 0s);
  CHECK(parse_duration("30s").value() == 30s);
  CHECK(parse_duration("10m").value() == 10min);
  CHECK(parse_duration("6h").value() == 6h);
  CHECK(parse_duration("2d").value() == 48h);
  for (const auto* text :
       {"", "30", "00", "h", "-1s", "1h30m", "1.5h", "10M", "40000d", "9223372036854775807d", "1w"}) {
    CAPTURE(text);
    const auto duration = parse_duration(text);
    REQUIRE_FALSE(duration);
    CHECK(duration.error().code == Errc::config);
  }
}

TEST_CASE("numbers are digits that fit and nothing else") {
  CHECK(parse_int("0").value() == 0);
  CHECK(parse_int("007").value() == 7);
  CHECK(parse_int("9223372036854775807").value() == largest);
  for (const auto* text : {"", "-1", "+1", " 1", "1 ", "1.0", "1e3", "9223372036854775808", "0x1", "\xc2\xb2"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_int(text));
  }
}

TEST_CASE("letters are compared without case, blanks are trimmed") {
  CHECK(iequals("SHA256SUMS", "sha256sums"));
  CHECK(iequals("", ""));
  CHECK_FALSE(iequals("a", "ab"));
  CHECK_FALSE(iequals("@", "`"));
  CHECK(lower("AbZ[\xc3\x84") == "abz[\xc3\x84");
  CHECK(trim(" \t a b\r\n") == "a b");
  CHECK(trim(" \n ").empty());
  CHECK(trim("").empty());
}
