#include "vtmirror/base/encoding.hpp"

#include <doctest/doctest.h>

#include <random>

using namespace vtmirror::base;

namespace {

std::string random_bytes(std::mt19937& chance, std::size_t size) {
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(chance() & 0xFFU);
  return bytes;
}

// The client and the bundled service both use these: what they agree on proves nothing, so the answers stand here.

TEST_CASE("hexadecimal digits are lower case, two a byte, the high half first") {
  CHECK(hex("").empty());
  CHECK(hex("vtmirror") == "76746d6972726f72");
  CHECK(hex({"\x00\x01\x7f\x80\xab\xff", 6}) == "00017f80abff");
}

TEST_CASE("base64 gives the answers of RFC 4648") {
  CHECK(base64("").empty());
  CHECK(base64("f") == "Zg==");
  CHECK(base64("fo") == "Zm8=");
  CHECK(base64("foo") == "Zm9v");
  CHECK(base64("foob") == "Zm9vYg==");
  CHECK(base64("fooba") == "Zm9vYmE=");
  CHECK(base64("foobar") == "Zm9vYmFy");
}

TEST_CASE("base64 knows every letter of its alphabet, and bytes over 127") {
  CHECK(base64({"\x00\x10\x83\x10\x51\x87\x20\x92\x8b\x30\xd3\x8f\x41\x14\x93\x51\x55\x97\x61\x96\x9b\x71\xd7\x9f\x82"
                "\x18\xa3"
                "\x92\x59\xa7\xa2\x9a\xab\xb2\xdb\xaf\xc3\x1c\xb3\xd3\x5d\xb7\xe3\x9e\xbb\xf3\xdf\xbf",
                48}) == "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
  CHECK(base64("Aladdin:open sesame") == "QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
}

TEST_CASE("letters, digits and four signs need no percent sign, every other byte does, in upper case") {
  CHECK(percent_encoded("AZaz09-._~") == "AZaz09-._~");
  CHECK(percent_encoded("a b+c/d?e&f=g%h") == "a%20b%2Bc%2Fd%3Fe%26f%3Dg%25h");
  CHECK(percent_encoded({"\0\xc3\xa4\xff", 4}) == "%00%C3%A4%FF");
  CHECK(percent_encoded("").empty());
}

TEST_CASE("percent signs are decoded where two hexadecimal digits follow, and left alone elsewhere") {
  CHECK(percent_decoded("a%2Fb%2fc") == "a/b/c");
  CHECK(percent_decoded("%41%7a") == "Az");
  CHECK(percent_decoded("1+1") == "1+1");
  CHECK(percent_decoded("%00") == std::string(1, '\0'));
  CHECK(percent_decoded("%C3%A4") == "\xc3\xa4");
  CHECK(percent_decoded("%252F") == "%2F");
  for (const auto* text : {"", "%", "%4", "100%", "%G1", "%1G", "% 41", "%%41x"}) {
    CAPTURE(text);
    const auto decoded = percent_decoded(text);
    CHECK(decoded == (std::string(text) == "%%41x" ? "%Ax" : text));
  }
}

TEST_CASE("percent-encoded bytes are the same again when decoded") {
  std::mt19937 chance(20261122);
  for (std::size_t size = 0; size < 300; ++size) {
    const auto bytes = random_bytes(chance, size);
    CHECK(percent_decoded(percent_encoded(bytes)) == bytes);
  }
}

}  // namespace
