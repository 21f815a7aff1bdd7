#include "vtmirror/base/encoding.hpp"
#include "vtmirror/base/text.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

using namespace vtmirror::base;
using namespace std::string_literals;

TEST_CASE("ordinary text is printed as it is") {
  for (const std::string text :
       {"", "Request has expired", "na\xc3\xafve \xe2\x82\xac 5", "design=blue&mysig=3&valid_token=4",
        "signature does not match", "Bearer token is missing", "{\"error\":\"invalid_client\"}",
        "<Code>AccessDenied</Code>", "the credentials were refused"}) {
    CHECK(printable(text) == text);
  }
}

TEST_CASE("control characters and broken UTF-8 never reach a log line") {
  CHECK(printable("one\ntwo\r\tthree") == "one two  three");
  CHECK(printable("\x1b[31mred\x7f") == "?[31mred?");
  CHECK(printable("a\0b"s) == "a?b");
  CHECK(printable("caf\xe9") == "caf?");
  CHECK(printable("\xe2\x80\xae"
                  "gpj.exe") == "?gpj.exe");
  CHECK(printable("\xe2\x82") == "??");
}

TEST_CASE("long text is cut between two characters") {
  CHECK(printable("abcdefghij", 10) == "abcdefghij");
  CHECK(printable("abcdefghijk", 10) == "abcdefg...");
  CHECK(printable("abc", 2) == "ab");
  CHECK(printable("abc", 0).empty());
  const std::string euros = "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac";
  CHECK(printable(euros, 11) == "\xe2\x82\xac\xe2\x82\xac...");
  CHECK(printable(std::string(1000, 'x')).size() == 300);
}

TEST_CASE("printed text is valid, short and without controls, whatever came") {
  std::mt19937 random{17};
  for (int i = 0; i < 1'000; ++i) {
    std::string text;
    for (auto left = random() % 400; left > 0; --left)
      text += static_cast<char>(random() % 3 == 0 ? random() : ' ' + random() % 95);
    const std::size_t limit = random() % 320;
    const std::string shown = printable(text, limit);
    REQUIRE(shown.size() <= limit);
    REQUIRE(valid_utf8(shown));
    const auto is_plain = [](char c) { return static_cast<unsigned char>(c) >= ' ' && c != '\x7f'; };
    REQUIRE(std::all_of(shown.begin(), shown.end(), is_plain));
  }
}

/// The forms in which bodies carry a value with its name.
std::vector<std::string> forms_with(const std::string& name, const std::string& hidden) {
  return {"https://store.example/a.zip?a=1&" + name + "=" + hidden + "&b=2",
          name + "=" + hidden,
          name + "%3D" + hidden,
          "redirect%26" + name + "%3d" + hidden + "&b",
          name + ": " + hidden,
          name + " : " + hidden + "\nnext",
          "{\"" + name + "\":\"" + hidden + "\"}",
          "{\"" + name + "\" : \n \"" + hidden + " and\\\" " + hidden + "\"}",
          "{'" + name + "': '" + hidden + "'}",
          R"("{\")" + name + R"(\":\")" + hidden + R"(\"}")",
          "{\"" + name + "\":[\"x\",\"" + hidden + "\"]}",
          "{\"" + name + "\":{\"x\":\"" + hidden + "\"}}",
          "<" + name + ">" + hidden + "</" + name + ">",
          "<s3:" + name + " a=\"b\">\n" + hidden + "\n" + hidden + "</s3:" + name + ">",
          "<" + name + "><![CDATA[" + hidden + "]]></" + name + ">",
          "<" + name + "><b>x</b>" + hidden + "</" + name + ">",
          "&lt;" + name + "&gt;" + hidden + "&lt;/" + name + "&gt;",
          "<" + name + ">" + hidden,
          "{\"" + name + "\":\"" + hidden,
          "<" + name + " " + hidden};
}

TEST_CASE("no signing parameter, key or token is printed in any of the forms that bodies use") {
  const std::string hidden = "AKIAS3CRET/0a1b+2c=";
  const std::vector<std::string> names{
      "X-Amz-Signature",  "X-Amz-Credential", "x-amz-security-token", "AWSAccessKeyId", "sig",
      "signature",        "access_token",     "client_secret",        "StringToSign",   "SignatureProvided",
      "CanonicalRequest", "clientSecret",     "cloudApiKeyValue",     "awsApiKeyValue", "X-API-Key"};
  for (const std::string& name : names) {
    for (const std::string& text : forms_with(name, hidden)) {
      CAPTURE(text);
      const std::string shown = printable(text, 10'000);
      CHECK(shown.find("S3CRET") == std::string::npos);
      CHECK(shown.find("***") != std::string::npos);
    }
  }
}

TEST_CASE("the text around a hidden value stays") {
  CHECK(printable("https://store.example/a.zip?X-Amz-Expires=300&X-Amz-Signature=0a1b&X-Amz-SignedHeaders=host") ==
        "https://store.example/a.zip?X-Amz-Expires=300&X-Amz-Signature=***&X-Amz-SignedHeaders=host");
  CHECK(printable("<Code>SignatureDoesNotMatch</Code><AWSAccessKeyId>AKIA</AWSAccessKeyId><Message>no</Message>") ==
        "<Code>SignatureDoesNotMatch</Code><AWSAccessKeyId>***</AWSAccessKeyId><Message>no</Message>");
  CHECK(printable(R"({"token_type":"Bearer","expires_in":1199,"access_token":"eyJ0.eyJ1.c2ln","x":1})") ==
        R"({"token_type":"Bearer","expires_in":1199,"access_token":"***","x":1})");
  CHECK(printable("Authorization: Bearer eyJ0eXAiOiJKV1QiLCJh\nHost: api.example") ==
        "Authorization: *** Host: api.example");
  CHECK(printable("refused Bearer eyJ0eXAiOiJKV1QiLCJh today") == "refused Bearer *** today");
}

TEST_CASE("a value is hidden before the text is cut, so that no half of it remains") {
  const std::string text = "access_token=" + std::string(500, 'S');
  for (std::size_t limit = 0; limit < 40; ++limit) CHECK(printable(text, limit).find('S') == std::string::npos);
}

TEST_CASE("hiding takes linear time even for a text made to annoy") {
  for (const std::string piece :
       {"sig", "<sig ", "sig=\"", "sig\\\\\\\"", "bearer ", "<StringToSign>", "&lt;sig&gt;"}) {
    std::string text;
    while (text.size() < 100'000) text += piece;
    CHECK(printable(text, 100).size() <= 100);
  }
}
