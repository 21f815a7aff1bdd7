#include "notify/mail_text.hpp"

#include "notify/chat.hpp"

#include <doctest/doctest.h>

#include <sstream>

namespace vtmirror::test {
namespace {

core::Notice warning(std::string message) {
  core::Notice notice{.topic = core::Topic::warning, .code = "low_space"};
  notice.urgency = core::Urgency::error;
  notice.stage = core::Stage::began;
  notice.message = std::move(message);
  notice.at = base::parse_time("2026-11-18T08:07:12Z").value();
  notice.id = "0123abcd";
  notice.fields = {{"reason", "no room"}, {"bytes", std::int64_t{42}}, {"remedy", "make room"}};
  return notice;
}

notify::MailSettings settings() {
  return {.program = "/usr/sbin/sendmail", .from = "mirror@fleet.example", .to = "ops@fleet.example", .host = "store1"};
}

std::vector<std::string> headers_of(const std::string& mail) {
  std::vector<std::string> headers;
  std::istringstream lines(mail);
  for (std::string line; std::getline(lines, line) && !line.empty();) {
    if (line.starts_with(' '))
      headers.back() += line;
    else
      headers.push_back(line);
  }
  return headers;
}

TEST_CASE("a warning is a whole message that says what happened and what to do") {
  CHECK(notify::mail_text(warning("a.zip does not fit"), settings()) ==
        "From: vtmirror <mirror@fleet.example>\n"
        "To: ops@fleet.example\n"
        "Subject: [vtmirror store1] a.zip does not fit\n"
        "Date: Wed, 18 Nov 2026 08:07:12 +0000\n"
        "Message-ID: <0123abcd@fleet.example>\n"
        "Auto-Submitted: auto-generated\n"
        "MIME-Version: 1.0\n"
        "Content-Type: text/plain; charset=utf-8\n"
        "Content-Transfer-Encoding: quoted-printable\n"
        "\n"
        "a.zip does not fit\n"
        "\n"
        "What to do: make room\n"
        "\n"
        "event:      warning, low_space\n"
        "stage:      began\n"
        "at:         2026-11-18T08:07:12Z\n"
        "host:       store1\n"
        "bytes:      42\n"
        "\n"
        "--=20\n"
        "vtmirror on store1; see: vtmirror status\n");
}

TEST_CASE("a subject has few words where the notice has them, and the body the whole message") {
  auto notice = warning("token request to login.example/T failed: HTTP 404");
  notice.fields.push_back({std::string(core::headline_field), std::string("token request failed: HTTP 404")});
  const auto mail = notify::mail_text(notice, settings());
  CHECK(mail.find("Subject: [vtmirror store1] token request failed: HTTP 404\n") != std::string::npos);
  CHECK(mail.find("\n\ntoken request to login.example/T failed: HTTP 404\n\n") != std::string::npos);
  CHECK(mail.find("headline") == std::string::npos);
}

TEST_CASE("people read times by the clock of their zone, with its offset") {
  auto notice = warning("a.zip does not fit");
  notice.fields.push_back({"since", "2026-11-18T07:00:00Z"});
  auto local = settings();
  local.times = {"Europe/Athens", [](base::Time at) { return base::iso8601(at + std::chrono::hours(2)) + " there"; }};
  const auto mail = notify::mail_text(notice, local);
  CHECK(mail.find("\nat:         2026-11-18T10:07:12Z there\n") != std::string::npos);
  CHECK(mail.find("\nsince:      2026-11-18T09:00:00Z there\n") != std::string::npos);
  CHECK(mail.find("\nDate: Wed, 18 Nov 2026 08:07:12 +0000\n") != std::string::npos);
}

TEST_CASE("a warning's reason, which its message says, is not repeated in other words; any other field is shown") {
  auto notice = warning("delta 16 Nov does not fit");
  for (const auto* reason : {"v1/d.zip does not fit", "delta 16 Nov does not fit"}) {
    CAPTURE(reason);
    notice.fields = {{"reason", reason}, {"file", "delta 16 Nov does not fit"}};
    const auto mail = notify::mail_text(notice, settings());
    CHECK(mail.find("reason:") == std::string::npos);
    CHECK(mail.find("file:       delta 16 Nov does not fit\n") != std::string::npos);
  }
  notice.topic = core::Topic::cycle;
  notice.fields = {{"reason", notice.message}};
  CHECK(notify::mail_text(notice, settings()).find("reason:     delta 16 Nov does not fit\n") != std::string::npos);
}

TEST_CASE("no message can add a header, end the headers, or hide a receiver in them") {
  for (const std::string evil :
       {"a\nBcc: x@evil.example", "a\r\n\r\nbody", "a\rTo: x", "a\x0b\x0c", "=?UTF-8?B?Cg==?="}) {
    CAPTURE(evil);
    const auto headers = headers_of(notify::mail_text(warning(evil), settings()));
    CHECK(headers.size() == 9);
    for (const auto& header : headers) {
      CHECK_FALSE(header.starts_with("Bcc"));
      CHECK(header.find('\r') == std::string::npos);
      CHECK(header.size() < 998);
    }
  }
}

TEST_CASE("a subject beyond ASCII is encoded in words of at most 75 characters, and no letter is cut") {
  std::string words;
  for (int i = 0; i < 60; ++i) words += "ü€";
  const auto encoded = notify::header_text(words);
  std::istringstream lines(encoded);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const auto word = line.substr(line.find_first_not_of(' '));
    CHECK(word.size() <= 75);
    CHECK(word.starts_with("=?UTF-8?B?"));
    CHECK(word.ends_with("?="));
  }
  CHECK(count == 7);
  CHECK(notify::header_text("ü") == "=?UTF-8?B?w7w=?=");
  CHECK(notify::header_text("plain") == "plain");
}

TEST_CASE("quoted-printable keeps its lines short, and what would get lost on the way") {
  CHECK(notify::quoted_printable("a = ü \n") == "a =3D =C3=BC=20\n");
  std::istringstream lines(notify::quoted_printable(std::string(500, 'x') + std::string(100, '=')));
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 76);
}

TEST_CASE("the same notice has the same Message-ID in every attempt, another one another") {
  auto notice = warning("a");
  const auto id = [](const std::string& mail) { return headers_of(mail).at(4); };
  const auto first = id(notify::mail_text(notice, settings()));
  CHECK(id(notify::mail_text(notice, settings())) == first);
  notice.id = "other";
  CHECK(id(notify::mail_text(notice, settings())) != first);
}

}  // namespace
}  // namespace vtmirror::test
