#include "vtmirror/base/known_secrets.hpp"
#include "vtmirror/base/encoding.hpp"
#include "vtmirror/base/text.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>

using namespace vtmirror::base;

namespace {

/// Whether eight characters in a row of the secret stand in the text, in any letter case.
bool comes_through(const std::string& secret, const std::string& text) {
  const auto lowered = lower(text);
  for (std::size_t at = 0; at + 8 <= secret.size(); ++at)
    if (lowered.find(lower(secret.substr(at, 8))) != std::string::npos) return true;
  return false;
}

class Dice {
 public:
  std::size_t below(std::size_t end) { return random_() % end; }
  std::string text(std::size_t size, std::string_view letters) {
    std::string made;
    while (made.size() < size) made += letters[below(letters.size())];
    return made;
  }
  /// Printable ASCII, as secrets are: each of these alphabets is that of some service.
  std::string secret() {
    std::string all;
    for (char c = ' '; c <= '~'; ++c) all += c;
    const std::string_view alphabets[] = {all, "0123456789abcdef", "ABCdef0189~._-", "ab", "*a%\\&;"};
    return text(8 + below(60), alphabets[below(std::size(alphabets))]);
  }
  /// The forms in which a service may repeat it.
  std::string form(const std::string& secret) {
    std::string made;
    switch (below(7)) {
      case 0:
        return secret;
      case 1:
        return percent_encoded(secret);
      case 2:
        return base64(text(below(7), "abc:") + secret + text(below(7), "abc"));
      case 3:
        for (const char c : secret) made += "%" + hex({&c, 1});
        return made;
      case 4:
        for (const char c : secret) made += below(2) == 0 ? std::string(1, c) : "\\u00" + hex({&c, 1});
        return made;
      case 5:
        return percent_encoded(percent_encoded(secret));
      default:
        return lower(secret);
    }
  }

 private:
  std::mt19937 random_{23};
};

}  // namespace

TEST_CASE("text without a known secret stays as it is") {
  KnownSecrets known;
  CHECK(known.masked("HTTP 403 MOTH-FB-03 \"API key is not recognised\"") ==
        "HTTP 403 MOTH-FB-03 \"API key is not recognised\"");
  known.add(Secret("key-0123456789abcdef"));
  CHECK(known.masked("") == "");
  CHECK(known.masked("the key 01234567 is unknown: 100% \\ &amp; %zz &#; &#x;") !=
        "the key 01234567 is unknown: 100% \\ &amp; %zz &#; &#x;");
  for (const std::string text : {"key-012", "a key of 16 digits", "%4", "\\", "\\u00", "&#65", "&"})
    CHECK(known.masked(text) == text);
}

TEST_CASE("a known secret is masked whole and in part, and what stands around it stays") {
  KnownSecrets known;
  known.add(Secret("s3cr3t~value/of+the=client"));
  CHECK(known.masked("no \"s3cr3t~value/of+the=client\" here") == "no \"***\" here");
  CHECK(known.masked("no s3cr3t~v") == "no ***");
  CHECK(known.masked("no s3cr3t~") == "no s3cr3t~");
  CHECK(known.masked("S3CR3T~VALUE/OF+THE=CLIENT") == "***");
  CHECK(known.masked("client_secret=s3cr3t~value%2Fof%2Bthe%3Dclient&scope=x") == "client_secret=***&scope=x");
  CHECK(known.masked("client_secret=s3cr3t%7Evalue%252Fof%252Bthe") == "client_secret=***");
  CHECK(known.masked(R"({\"x\":\"s3cr3t~value\/of+the=client\"})") == R"({\"x\":\"***\"})");
  CHECK(known.masked("s3cr3t&#126;value&#x2f;of") == "***");
  const auto basic = base64("user:s3cr3t~value/of+the=client");
  CHECK_FALSE(known.masked("Basic " + basic).find(basic.substr(10, 8)) != std::string::npos);
  CHECK(known.appear_in("x%73%33%63%72%33%74%7e%76x"));
  CHECK_FALSE(known.appear_in("x%73%33%63%72%33%74%7ex"));
}

TEST_CASE("a short secret is masked as a word, and one of three letters is not") {
  KnownSecrets known;
  known.add(Secret("hush"));
  known.add(Secret("key"));
  CHECK(known.masked("hush, \"hush\" and hushed: the key") == "***, \"***\" and hushed: the key");
}

TEST_CASE("sixteen secrets are known at one time, and one that is used again stays") {
  KnownSecrets known;
  const Secret client("client-secret-0");
  for (int n = 0; n < 40; ++n) {
    known.add(client);
    known.add(Secret("token-number-" + std::to_string(1000 + n) + "-end"));
  }
  CHECK(known.masked("client-secret-0") == "***");
  CHECK(known.appear_in("r-1039-end"));
  CHECK(known.appear_in("r-1026-end"));
  CHECK_FALSE(known.appear_in("r-1020-end"));
}

TEST_CASE("an error is masked in its detail, its service code and why it is one") {
  KnownSecrets known;
  known.add(Secret("0123456789abcdef"));
  Error error{.code = Errc::forbidden, .detail = "HTTP 403 0123456789ABCDEF"};
  error.service_code = "89ABCDEF";
  error.why = "HTTP 403 01234567";
  const auto masked = known.masked(error);
  CHECK(masked.detail == "HTTP 403 ***");
  CHECK(masked.service_code == "***");
  CHECK(masked.why == "HTTP 403 ***");
  CHECK(masked.code == Errc::forbidden);
}

TEST_CASE("no eight characters of a secret come through, in whatever form, cut anywhere, and in any surroundings") {
  Dice dice;
  const std::string around = "abc019 \"'<>&;%\\{}:,=/+-_.*\n";
  for (int i = 0; i < 20'000; ++i) {
    KnownSecrets known;
    const auto secret = dice.secret();
    known.add(Secret(secret));
    known.add(Secret(dice.secret()));
    auto text = dice.text(dice.below(40), around) + dice.form(secret) + dice.text(dice.below(40), around);
    text = text.substr(dice.below(text.size()));
    text = text.substr(0, dice.below(text.size() + 1));
    CAPTURE(secret);
    CAPTURE(text);
    const auto masked = known.masked(text);
    REQUIRE_FALSE(comes_through(secret, masked));
    REQUIRE_FALSE(comes_through(secret, percent_decoded(percent_decoded(masked))));
    REQUIRE_FALSE(known.appear_in(masked));
    REQUIRE_FALSE(comes_through(secret, known.masked(printable(text, dice.below(100)))));
  }
}
