#include "control/caller.hpp"
#include "control/daemon.hpp"
#include "support/every.hpp"
#include "support/skip.hpp"
#include "vtmirror/base/encoding.hpp"
#include "vtmirror/core/cause_json.hpp"
#include "vtmirror/core/request.hpp"

#include <sys/stat.h>
#include <sys/syscall.h>

#include <doctest/doctest.h>
#include <boost/json/parse.hpp>

#include <algorithm>
#include <map>
#include <thread>
#include <vector>

namespace vtmirror::test {
namespace {

using base::Errc;
using base::Error;

std::string code_of(const Reply& reply) {
  const auto body = boost::json::parse(reply.body);
  const auto& error = body.as_object().at("error").as_object();
  CHECK_FALSE(error.at("message").as_string().empty());
  return std::string(error.at("code").as_string());
}

TEST_CASE("every path that is read gives what the daemon answers") {
  Daemon daemon;
  Caller caller(daemon.path());
  CHECK(caller.get("/v1/status").body == "{\"state\":\"idle\"}\n");
  CHECK(caller.get("/v1/files").body == "{\"files\":[]}\n");
  CHECK(caller.get("/v1/coverage").body == "{\"coverage\":1}\n");
  CHECK(caller.get("/v1/history").body == "{\"newest\":20}\n");
  CHECK(caller.get("/v1/history?n=7").body == "{\"newest\":7}\n");
  CHECK(caller.get("/v1/changes").body == "{\"since\":0}\n");
  CHECK(caller.get("/v1/changes?since=42").body == "{\"since\":42}\n");
  CHECK(caller.get("/v1/plan").body == "{\"actions\":[]}\n");
  const auto status = caller.get("http://localhost/v1/status");
  CHECK(status.status == 200);
  CHECK(status.has("Content-Type: application/json"));
  const auto metrics = caller.get("/metrics");
  CHECK(metrics.body == "vtmirror_up 1\n");
  CHECK(metrics.has("Content-Type: text/plain; version=0.0.4"));
}

TEST_CASE("a verification is asked for with the names of files, or for all, and with a rate") {
  Daemon daemon;
  Caller caller(daemon.path());
  const auto all = caller.ask("POST", "/v1/verify");
  CHECK(all.status == 202);
  CHECK(all.body == "{\"verification\":7}\n");
  CHECK(daemon.answers.verified.names.empty());
  CHECK(daemon.answers.verified.bytes_a_second == 0);
  CHECK(caller.ask("POST", "/v1/verify?name=bulk&name=delta%2016%20Nov").status == 202);
  CHECK(daemon.answers.verified.names == std::vector<std::string>{"bulk", "delta 16 Nov"});
  CHECK(caller.ask("POST", "/v1/verify?rate=20000000&name=bulk").status == 202);
  CHECK(daemon.answers.verified.names == std::vector<std::string>{"bulk"});
  CHECK(daemon.answers.verified.bytes_a_second == 20'000'000);
  for (const auto* target :
       {"/v1/verify?name=", "/v1/verify?x=1", "/v1/verify?name=a&b", "/v1/verify?name=a&name",
        "/v1/verify?rate=", "/v1/verify?rate=-1", "/v1/verify?rate=20MB", "/v1/verify?rate=1000000000001"}) {
    INFO(target);
    const auto reply = caller.ask("POST", target);
    CHECK(reply.status == 400);
    CHECK(code_of(reply) == "bad_request");
  }
  CHECK(caller.get("/v1/verify").status == 405);
}

TEST_CASE("a parameter that is no number, out of range or unknown is a bad request") {
  Daemon daemon;
  Caller caller(daemon.path());
  for (const auto* target : {"/v1/history?n=0", "/v1/history?n=-1", "/v1/history?n=x", "/v1/history?n=99999999999",
                             "/v1/history?n", "/v1/history?newest=3", "/v1/changes?since=", "/v1/changes?since=1&n=2",
                             "/v1/changes?since=99999999999999999999", "/v1/status?n=1"}) {
    INFO(target);
    const auto reply = caller.get(target);
    CHECK(reply.status == 400);
    CHECK(code_of(reply) == "bad_request");
  }
}

TEST_CASE("HEAD gets the head of GET and no body, and the connection stays open") {
  Daemon daemon;
  Caller caller(daemon.path());
  for (const auto* target : {"/v1/status", "/v1/files", "/metrics", "/v1/events"}) {
    const auto head = caller.ask("HEAD", target);
    CHECK(head.status == 200);
  }
  CHECK(caller.ask("HEAD", "/v1/status").has("Content-Length: 17"));
  CHECK(caller.get("/v1/status").body == "{\"state\":\"idle\"}\n");
}

TEST_CASE("a path that is not there is not found") {
  Daemon daemon;
  Caller caller(daemon.path());
  for (const auto* target : {"/", "/v1", "/v1/", "/v1/status/", "/V1/status", "/v1/../metrics", "*", "/metrics%00"}) {
    INFO(target);
    const auto reply = caller.get(target);
    CHECK(reply.status == 404);
    CHECK(code_of(reply) == "not_found");
  }
}

TEST_CASE("a method that a path does not take is refused with those that it takes") {
  Daemon daemon;
  Caller caller(daemon.path());
  for (const auto* method : {"POST", "PUT", "DELETE", "PATCH", "OPTIONS"}) {
    const auto reply = caller.ask(method, "/v1/status");
    CHECK(reply.status == 405);
    CHECK(reply.has("Allow: GET, HEAD"));
  }
  for (const auto* target : {"/v1/sync", "/v1/reload"}) {
    const auto reply = caller.get(target);
    CHECK(reply.status == 405);
    CHECK(reply.has("Allow: POST"));
    CHECK(code_of(reply) == "method_not_allowed");
  }
  CHECK(daemon.on_loop([&] { return daemon.answers.cycles + daemon.answers.reloads; }) == 0);
  const auto reply = caller.ask("PUT", "/v1/prune");
  CHECK(reply.status == 405);
  CHECK(reply.has("Allow: GET, HEAD, POST"));
}

TEST_CASE("a GET of removals shows them, and only a POST removes") {
  Daemon daemon;
  Caller caller(daemon.path());
  CHECK(caller.get("/v1/prune").body == "{\"removals\":[]}\n");
  CHECK(daemon.on_loop([&] { return daemon.answers.prunes; }) == 0);
  const auto reply = caller.ask("POST", "/v1/prune");
  CHECK(reply.status == 200);
  CHECK(reply.body == "{\"removals\":[\"a\"]}\n");
  CHECK(daemon.on_loop([&] { return daemon.answers.prunes; }) == 1);
}

TEST_CASE("a cycle is started and the settings are read again on request") {
  Daemon daemon;
  Caller caller(daemon.path());
  const auto sync = caller.ask("POST", "/v1/sync", "Content-Length: 0\r\n");
  CHECK(sync.status == 202);
  CHECK(sync.body == "{\"cycle\":7}\n");
  CHECK(caller.ask("POST", "/v1/reload").status == 200);
  CHECK(daemon.on_loop([&] { return daemon.answers.cycles; }) == 1);
  CHECK(daemon.on_loop([&] { return daemon.answers.reloads; }) == 1);
}

TEST_CASE("wrong settings are answered with every mistake") {
  Daemon daemon;
  const std::string mistakes = "vtmirror.toml:3: no such key \"sokcet\"\nvtmirror.toml:9: \"25:00\" is no time";
  daemon.on_loop([&] { daemon.answers.reload_outcome = Error{Errc::config, mistakes}; });
  const auto reply = Caller(daemon.path()).ask("POST", "/v1/reload");
  CHECK(reply.status == 422);
  CHECK(code_of(reply) == "config");
  CHECK(boost::json::parse(reply.body).at("error").at("message").as_string() == mistakes);
}

TEST_CASE("an error in the daemon is returned with its code, as valid JSON even if the reason is not UTF-8") {
  Daemon daemon;
  daemon.on_loop([&] {
    daemon.answers.files_text = Error{Errc::catalogue, "row \xff\xfe of\n\"files\""};
    daemon.answers.start_outcome = Error{Errc::locked, "/srv/mirror"};
  });
  Caller caller(daemon.path());
  const auto files = caller.get("/v1/files");
  CHECK(files.status == 500);
  CHECK(code_of(files) == "catalogue");
  CHECK(base::valid_utf8(files.body));
  const auto sync = caller.ask("POST", "/v1/sync");
  CHECK(sync.status == 409);
  CHECK(code_of(sync) == "locked");
}

TEST_CASE(
    "an error in the daemon is returned with all that is known of it, and what the asker did wrong with its code") {
  Daemon daemon;
  Error met{.code = Errc::forbidden, .detail = "token request failed: HTTP 401", .status = 401};
  met.service_code = std::string(core::wrong_secret);
  met.subject = core::name(core::ServiceRequest::token);
  met.why = "HTTP 401";
  daemon.on_loop([&] { daemon.answers.files_text = met; });
  Caller caller(daemon.path());
  const auto body = boost::json::parse(caller.get("/v1/files").body);
  const auto cause = core::cause_in(base::JsonObject(body.at("error")));
  REQUIRE(cause.has_value());
  CHECK(core::error_of(*cause) == met);
  const auto wrong = boost::json::parse(caller.get("/v1/history?n=x").body);
  CHECK_FALSE(wrong.at("error").as_object().contains("cause"));
}

TEST_CASE("a failure of any kind is answered with its code and the status of that kind") {
  Daemon daemon;
  Caller caller(daemon.path());
  for (const auto& kind : every<Errc>()) {
    CAPTURE(kind.word);
    daemon.on_loop([&] { daemon.answers.files_text = Error{kind.value, "why"}; });
    const auto reply = caller.get("/v1/files");
    const std::map<Errc, int> own{{Errc::config, 422}, {Errc::locked, 409}, {Errc::cancelled, 503}};
    CHECK(reply.status == (own.contains(kind.value) ? own.at(kind.value) : 500));
    CHECK(code_of(reply) == kind.word);
  }
}

TEST_CASE("root and the daemon's own user may change things, others may only read") {
  struct Case {
    std::optional<unsigned> uid;
    bool may_change;
  };
  for (const auto& each :
       {Case{0, true}, Case{::geteuid(), true}, Case{::geteuid() + 1, false}, Case{std::nullopt, false}}) {
    Setup setup;
    setup.rules.peer_uid = [known = each.uid](int) { return known; };
    Daemon daemon(setup);
    Caller caller(daemon.path());
    CHECK(caller.ask("POST", "/v1/sync").status == (each.may_change ? 202 : 403));
    CHECK(caller.ask("POST", "/v1/reload").status == (each.may_change ? 200 : 403));
    CHECK(caller.ask("POST", "/v1/prune").status == (each.may_change ? 200 : 403));
    CHECK(caller.get("/v1/prune").status == 200);
    CHECK(caller.get("/v1/status").status == 200);
    CHECK(daemon.on_loop([&] { return daemon.answers.cycles + daemon.answers.reloads; }) == (each.may_change ? 2 : 0));
  }
}

TEST_CASE("the kernel says who a client is") {
  if (::geteuid() != 0) return test::skip("only root can become another user");
  Daemon daemon;
  ::chmod(daemon.directory().c_str(), 0755);
  ::chmod(daemon.path().c_str(), 0666);
  Reply change, read;
  std::thread stranger([&] {
    constexpr unsigned nobody = 65534;
    // The raw call changes this thread alone, where the library's would change the process.
    if (::syscall(SYS_setresuid, nobody, nobody, nobody) != 0) return;
    Caller caller(daemon.path());
    change = caller.ask("POST", "/v1/sync");
    read = caller.get("/v1/status");
  });
  stranger.join();
  CHECK(change.status == 403);
  CHECK(code_of(change) == "forbidden");
  CHECK(read.status == 200);
  CHECK(Caller(daemon.path()).ask("POST", "/v1/sync").status == 202);
}

TEST_CASE("the plain line status gets the table and the end of the connection") {
  Daemon daemon;
  for (const auto* line : {"status\n", "status\r\n"}) {
    Caller caller(daemon.path());
    caller.send(line);
    CHECK(caller.rest() == "vtmirror is idle\n");
  }
  Caller in_pieces(daemon.path());
  for (const auto* piece : {"s", "tat", "us", "\r", "\n"}) in_pieces.send(piece);
  CHECK(in_pieces.rest() == "vtmirror is idle\n");
  Caller without_end(daemon.path());
  without_end.send("status");
  without_end.finish();
  CHECK(without_end.rest() == "vtmirror is idle\n");
  Caller other(daemon.path());
  other.send("statuses\n");
  CHECK(other.reply().status == 400);
}

TEST_CASE("a connection is kept for more requests unless the client says otherwise") {
  Daemon daemon;
  Caller kept(daemon.path());
  for (int i = 0; i < 3; ++i) CHECK(kept.get("/v1/status").has("Connection: keep-alive"));
  CHECK(kept.get("/nowhere").status == 404);
  const auto last = kept.ask("GET", "/v1/status", "Connection: close\r\n");
  CHECK(last.has("Connection: close"));
  CHECK(kept.hung_up());
  Caller old(daemon.path());
  old.send("GET /v1/status HTTP/1.0\r\n\r\n");
  CHECK(old.reply().has("Connection: close"));
  CHECK(old.hung_up());
}

TEST_CASE("requests sent together are answered in their order") {
  Daemon daemon;
  Caller caller(daemon.path());
  std::string all;
  for (int i = 1; i <= 50; ++i) all += "GET /v1/history?n=" + std::to_string(i) + " HTTP/1.1\r\n\r\n";
  caller.send("\r\n" + all);
  for (int i = 1; i <= 50; ++i) CHECK(caller.reply().body == "{\"newest\":" + std::to_string(i) + "}\n");
}

TEST_CASE("a body that is not too large is read over, and one that waits for leave is given it") {
  Daemon daemon;
  Caller caller(daemon.path());
  caller.send("POST /v1/sync HTTP/1.1\r\nContent-Length: 4096\r\nExpect: 100-continue\r\n\r\n");
  CHECK(caller.reply().status == 100);
  caller.send(std::string(4096, 'x'));
  CHECK(caller.reply().status == 202);
  caller.send("POST /v1/sync HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n");
  CHECK(caller.reply().status == 202);
  CHECK(caller.get("/v1/status").status == 200);
}

TEST_CASE("a status is answered at once, two thousand times") {
  using Clock = std::chrono::steady_clock;
  Daemon daemon;
  std::vector<Clock::duration> took;
  for (int i = 0; i < 2000; ++i) {
    const auto start = Clock::now();
    Caller caller(daemon.path());
    REQUIRE(caller.get("/v1/status").status == 200);
    took.push_back(Clock::now() - start);
  }
  std::sort(took.begin(), took.end());
  const auto microseconds = [&](std::size_t at) {
    return std::chrono::duration_cast<std::chrono::microseconds>(took[at]).count();
  };
  MESSAGE("GET /v1/status, connection included: median ", microseconds(1000), " us, p99 ", microseconds(1980), " us");
  CHECK(microseconds(1000) < 50'000);
}

}  // namespace
}  // namespace vtmirror::test
