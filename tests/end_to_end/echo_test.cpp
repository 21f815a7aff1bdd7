// A service that repeats what it was sent, in every kind of answer: nothing of it is anywhere afterwards. ~Rig looks
// for whole secrets, and here for parts of them too.
#include "end_to_end/rig.hpp"

#include <doctest/doctest.h>

#include <sys/stat.h>

#include <signal.h>

using namespace vtmirror::test;
namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

/// Shorter parts are in other texts by chance: digests are made of the same letters.
constexpr std::size_t part = 12;

bool says(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

struct EchoRig : Rig {
  EchoRig() : Rig(R"({"bulk_bytes": 200000, "delta_bytes": 20000})") {
    for (const auto* name : {"hook.sh", "sendmail.sh"}) {
      write_file(directory() / name, "#!/bin/sh\n(env; cat) >> \"" + (directory() / name).string() + ".said\"\n");
      ::chmod((directory() / name).c_str(), 0755);
    }
    set("notify", "sendmail", '"' + (directory() / "sendmail.sh").string() + '"');
    set("notify", "mail_to", R"(["a@b.example"])");
    set("notify", "webhook", "\"https://localhost:1/\"");
    set("download", "attempts", "1");
    write_file(config(), read_file(config()) +
                             "\n[[hook]]\non = [\"published\", \"cycle\", \"warning\"]\ncommand = [\"" +
                             (directory() / "hook.sh").string() + "\"]\n");
  }
  ~EchoRig() {
    const auto logged = control("GET", "/secrets");
    for (const auto& secret : logged.at("secrets").as_array()) mark_parts(std::string(secret.as_string()));
  }

  void mark_parts(const std::string& secret) {
    // Any longer part of a token holds one of these.
    const std::size_t step = secret.size() > 100 ? part : 1;
    for (std::size_t at = 0; at + part <= secret.size(); at += step) mark(secret.substr(at, part));
  }
  void script(const std::string& members) { control("POST", "/script", "{" + members + "}"); }
  /// What the service repeats, one fault for every request from now on.
  void echo(const std::string& fault) { script(R"("faults": [)" + fault + "]"); }
  std::string value(const char* key) const { return std::string(service().at(key).as_string()); }
};

const std::vector<std::string> echoes{
    // The API: in each field, in a form, cut off by a limit, and as text that is no JSON.
    R"({"at": "api", "times": 0, "status": 403, "content_type": "application/json", "body":
        "{\"errorCode\":\"MOTH-FB-03\",\"errorMessage\":\"no key @api_key\",\"requestId\":\"@token\"}"})",
    R"({"at": "api", "times": 0, "status": 403, "content_type": "application/json", "body":
        "{\"errorCode\":\"@api_key\",\"errorMessage\":\"Bearer @token\"}"})",
    R"({"at": "api", "times": 0, "status": 400, "content_type": "application/json", "body":
        "{\"message\":\")" +
        std::string(280, 'x') + R"(@api_key\"}"})",
    R"({"at": "api", "times": 0, "status": 200, "content_type": "@api_key", "body": "@api_key"})",
    R"({"at": "api", "times": 0, "status": 200, "content_type": "application/json", "body":
        "{\"bulk\":[],\"delta\":[{\"filename\":\"@api_key/@token\"},{\"filename\":\"x\",\"fileCreatedOn\":\"@api_key\"}]}"})",
    // The store.
    R"({"at": "store", "times": 0, "status": 403, "content_type": "application/xml", "body":
        "<Error><Code>@api_key</Code><Message>Bearer @token</Message></Error>"})",
    R"({"at": "store", "times": 0, "status": 418, "content_type": "application/xml", "body":
        "<Error><Code>AccessDenied</Code><Message>x @client_secret</Message></Error>"})",
    R"({"at": "store", "times": 0, "redirect": "ftp://@api_key/@token"})",
    // The issuer.
    R"({"at": "issuer", "times": 0, "status": 401, "content_type": "application/json", "body":
        "{\"error\":\"invalid_client\",\"error_description\":\"secret @client_secret is wrong\"}"})",
    R"({"at": "issuer", "times": 0, "status": 400, "content_type": "application/json", "body":
        "{\"error\":\"@client_secret\",\"error_codes\":[\"@client_secret\"]}"})",
};

}  // namespace

TEST_CASE("what the service repeats of the secrets is on no output and in no file, status, mail, hook or metric") {
  EchoRig rig;
  int masks = 0;
  for (const auto& echo : echoes) {
    CAPTURE(echo);
    rig.echo(echo);
    const auto synced = rig.vtmirror({"sync", "--log-level", "debug"});
    CHECK(synced.status == 1);
    masks += says(synced.err, "***") ? 1 : 0;
    static_cast<void>(rig.vtmirror({"history", "--json"}));
    static_cast<void>(rig.vtmirror({"coverage", "--json"}));
    static_cast<void>(rig.vtmirror({"secret", "status", "--json"}));
  }
  CHECK(masks >= 5);
  CHECK(fs::exists(rig.directory() / "hook.sh.said"));
  CHECK(fs::exists(rig.directory() / "sendmail.sh.said"));

  // Entries whose names repeat them: one that is refused anyway, and one that is not. The other files are published,
  // under an ETag with the key in it.
  const auto entry = [](const std::string& name) {
    return R"({"filename": ")" + name +
           R"(", "downloadUrl": "@sign", "fileSize": 20000, "fileCreatedOn": "2026-11-18"})";
  };
  rig.script(R"("extra_entries": {"delta": [)" + entry("v1/" + rig.value("api_key") + "/../x.zip") + "," +
             entry("v1/public/delta/" + rig.value("api_key") + "/delta-light-vehicle_18-11-2026.zip") + "]}");
  rig.echo(R"({"at": "store", "times": 0, "etag": "\"@api_key\""})");
  const auto listed = rig.vtmirror({"sync", "--log-level", "debug"});
  CHECK(says(listed.err, "contains a secret of this client"));
  CHECK(says(listed.err, "published"));
  static_cast<void>(rig.vtmirror({"coverage", "--json"}));
  static_cast<void>(rig.vtmirror({"files", "--json"}));

  rig.echo(
      R"({"at": "api", "match": "/credentials", "times": 0, "status": 400, "content_type": "application/json", "body":
      "{\"errorCode\":\"MOTH-BR-01\",\"errorMessage\":\"@client_secret and @api_key\"}"})");
  CHECK(says(rig.vtmirror({"secret", "rotate"}).err, "***"));
  rig.echo(
      R"({"at": "api", "match": "/credentials", "times": 0, "status": 200, "content_type": "@token", "body": "x"})");
  CHECK(says(rig.vtmirror({"secret", "rotate"}).err, "***"));
}

TEST_CASE("what the service repeats of the secrets is in no answer of the daemon") {
  EchoRig rig;
  rig.echo(R"({"at": "store", "times": 0, "status": 418, "content_type": "application/xml", "body":
      "<Error><Code>@api_key</Code><Message>Bearer @token</Message></Error>"})");
  const auto log = rig.directory() / "daemon.log";
  auto line = rig.command_line({"run", "--log-level", "debug"});
  line.insert(line.begin(), {"/bin/sh", "-c", "exec \"$@\" 2> \"$0\"", log.string()});
  Child daemon(line);
  REQUIRE(daemon.read_until(
      [&](const Ended&) { return fs::exists(log) && says(read_file(log), "could not be downloaded"); }));
  CHECK(daemon.read_until([&](const Ended&) { return says(read_file(log), "***"); }));
  for (const auto* path : {"/v1/status", "/v1/files", "/v1/coverage", "/v1/history", "/metrics"})
    static_cast<void>(run({"curl", "-s", "--unix-socket", (rig.directory() / "config/control.sock").string(),
                           std::string("http://localhost") + path}));
  static_cast<void>(rig.vtmirror({"status"}));
  daemon.signal(SIGTERM);
  CHECK(daemon.wait().status == 0);
}
