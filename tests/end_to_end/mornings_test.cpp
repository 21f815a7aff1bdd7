// The bad mornings: a row for each thing that can be wrong, and what sync, status and mail say of it, in the same
// words.
#include "end_to_end/daemon_site.hpp"
#include "end_to_end/listener.hpp"
#include "end_to_end/state_disk.hpp"
#include "support/sanitizer.hpp"
#include "support/skip.hpp"

#include <doctest/doctest.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <fstream>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

using namespace vtmirror::test;

namespace {

using Change = std::function<void(Rig&)>;

struct Morning {
  std::string name;
  std::string script;  ///< more of the simulator's
  Change change;
  std::string code;    ///< of the problem
  std::string what;    ///< the whole sentence; * stands for what the service makes up, and {...} for an address
  std::string advice;  ///< the whole sentence
  std::vector<std::string> before{};  ///< of the command line
  std::string brief{};                ///< what the mail's subject begins with, where that is not the cause in `what`
};

std::string text_of(const json::value& value) { return std::string(value.as_string()); }

/// The address without its scheme: "localhost:4711/tenant/oauth2/v2.0/token".
std::string place_of(const Rig& rig, const char* name) {
  return text_of(rig.service().at(name)).substr(std::string("https://").size());
}

std::string day_of_today(const char* format) {
  const std::chrono::sys_days day(Noon().today);
  const auto time = std::chrono::system_clock::to_time_t(day);
  std::tm broken{};
  ::gmtime_r(&time, &broken);
  std::array<char, 40> text{};
  std::strftime(text.data(), text.size(), format, &broken);
  return text.data();
}

std::string replaced(std::string text, const std::map<std::string, std::string>& values) {
  for (const auto& [name, value] : values)
    for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + value.size()))
      text.replace(at, name.size(), value);
  return text;
}

std::string filled(const std::string& text, const Rig& rig) {
  const auto day = day_of_today("%d");
  const auto short_day = day.starts_with('0') ? day.substr(1) : day;
  return replaced(text, {{"{issuer}", place_of(rig, "issuer")},
                         {"{api}", place_of(rig, "api")},
                         {"{store}", place_of(rig, "store")},
                         {"{delta}", "delta " + short_day + day_of_today(" %b")}});
}

/// What the subject of the mail begins with: the cause, without the request's address before it.
std::string cause_of(const Morning& morning) {
  if (!morning.brief.empty()) return morning.brief;
  const std::string before = " failed: ";
  const auto at = morning.what.find(before);
  const auto cause = at == std::string::npos ? morning.what : morning.what.substr(at + before.size());
  constexpr std::size_t enough = 40;
  const bool is_credential = morning.code == "secret_refused" || morning.code == "key_revoked";
  const auto request = at == std::string::npos || is_credential
                           ? ""
                           : morning.what.substr(0, morning.what.find(" request")) + " request failed: ";
  return request + cause.substr(0, std::min({cause.find('*'), cause.find('"'), enough}));
}

/// Whether `text` is `pattern`, whose * stands for anything.
bool is_like(const std::string& text, const std::string& pattern) {
  const auto star = pattern.find('*');
  if (star == std::string::npos) return text == pattern;
  return text.size() >= pattern.size() - 1 && text.starts_with(pattern.substr(0, star)) &&
         text.ends_with(pattern.substr(star + 1));
}

std::string fault(const std::string& members) { return R"("faults":[{)" + members + R"(,"times":0}])"; }
std::string of_today(const std::string& members) {
  return fault(R"("at":"store","match":"delta-light-vehicle_)" + day_of_today("%d-%m-%Y") + "\"," + members);
}
Change file(const std::string& name, const std::string& text) {
  return [name, text](Rig& rig) { write_file(rig.directory() / "config" / name, text); };
}
Change setting(const std::string& table, const std::string& key, const std::string& value) {
  return [table, key, value](Rig& rig) { rig.set(table, key, '"' + value + '"'); };
}
Change other_path_of_token() {
  return [](Rig& rig) {
    rig.set("service", "token_url", '"' + replaced(text_of(rig.service().at("issuer")), {{"token", "tokn"}}) + '"');
  };
}

/// A server with a certificate that is trusted, and is for another host.
struct OtherHost {
  Change change() {
    return [this](Rig& rig) {
      const auto at = rig.directory() / "other";
      fs::create_directories(at);
      const auto made =
          run({"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
               "2", "-subj", "/CN=other.example", "-addext", "subjectAltName=DNS:other.example", "-keyout",
               (at / "key.pem").string(), "-out", (at / "cert.pem").string()});
      REQUIRE_MESSAGE(made.status == 0, made.err);
      server = std::make_unique<Child>(std::vector<std::string>{"openssl", "s_server", "-accept", "127.0.0.1:0",
                                                                "-cert", (at / "cert.pem").string(), "-key",
                                                                (at / "key.pem").string(), "-www"});
      REQUIRE(
          server->read_until([](const Ended& e) { return has(e.out, "ACCEPT 127.0.0.1:") && e.out.ends_with('\n'); }));
      const auto& out = server->so_far().out;
      const std::string words = "ACCEPT 127.0.0.1:";
      const auto begin = out.find(words) + words.size();
      rig.set("service", "token_url",
              "\"https://localhost:" + out.substr(begin, out.find('\n', begin) - begin) + "/t\"");
      rig.set("service", "ca_file", '"' + (at / "cert.pem").string() + '"');
    };
  }
  std::unique_ptr<Child> server;
};

/// Answers whatever it is asked for in one way, one client at a time.
class FakeProxy {
 public:
  explicit FakeProxy(std::string answer) : answer_(std::move(answer)), thread_([this] { serve(); }) {}
  ~FakeProxy() {
    ::shutdown(listener_.socket(), SHUT_RDWR);
    thread_.join();
  }
  FakeProxy(const FakeProxy&) = delete;
  FakeProxy& operator=(const FakeProxy&) = delete;
  std::string address() const { return "127.0.0.1:" + std::to_string(listener_.port()); }

 private:
  void serve() const {
    for (int client = -1; (client = ::accept(listener_.socket(), nullptr, nullptr)) >= 0; ::close(client)) {
      ::setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &longest_silence, sizeof longest_silence);
      std::string request;
      std::array<char, 4096> buffer{};
      for (ssize_t got = 1; got > 0 && !has(request, "\r\n\r\n");) {
        got = ::recv(client, buffer.data(), buffer.size(), 0);
        if (got > 0) request.append(buffer.data(), static_cast<std::size_t>(got));
      }
      ::send(client, answer_.data(), answer_.size(), MSG_NOSIGNAL);
    }
  }

  std::string answer_;
  Listener listener_;
  std::thread thread_;
};

/// A loopback host would be asked without it.
Change through_proxy(const std::string& address) {
  return [address](Rig& rig) {
    rig.set("service", "token_url", "\"https://login.example/tenant/token\"");
    rig.set("service", "proxy", "\"http://" + address + '"');
  };
}

constexpr char page_of_proxy[] =
    "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 19\r\n\r\n<html>log in</html>";
constexpr char daemon_asks[] = "; the daemon asks again once it has reloaded its settings";
constexpr char secret_or_client[] =
    "check credentials.client_id, and that the secret is its value and not its ID, then run `vtmirror secret set`; if "
    "both are right, the secret has expired or was withdrawn: ask the service's support for a new one";
constexpr char set_the_clock[] = "set this machine's clock, and keep it right by NTP (`timedatectl status`)";
constexpr char expired_link[] =
    R"("status":403,"content_type":"application/xml","body":"<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>")";

std::vector<Morning> of_the_secret_and_the_key() {
  return {
      {"a mistyped secret", "", file("client_secret", "not-the-secret"), "secret_refused",
       "token request to {issuer} failed: the client secret is wrong (AADSTS7000215)",
       std::string("check that it is the secret's value and not its ID, then run `vtmirror secret set`; no support "
                   "request is needed") +
           daemon_asks},
      {"an expired secret",
       R"("secret_expired":true)",
       {},
       "secret_refused",
       "token request to {issuer} failed: the client secret has expired (AADSTS7000222)",
       std::string("ask the service's support for a new secret (only a support request helps), then run `vtmirror "
                   "secret set`") +
           daemon_asks},
      {"a secret that another issuer refuses",
       fault(R"("at":"issuer","status":401,"content_type":"application/json","body":)"
             R"("{\"error\":\"invalid_client\",\"error_description\":\"Client authentication failed\"}")"),
       {},
       "secret_refused",
       R"(token request to {issuer} failed: HTTP 401 invalid_client "Client authentication failed")",
       std::string(secret_or_client) + daemon_asks},
      {"a secret that an issuer refuses in other words",
       fault(R"("at":"issuer","status":401,"content_type":"application/json","body":)"
             R"("{\"error\":\"unauthorized_client\",\"error_description\":\"Invalid client credentials\"}")"),
       {},
       "secret_refused",
       R"(token request to {issuer} failed: HTTP 401 unauthorized_client "Invalid client credentials")",
       std::string(secret_or_client) + daemon_asks},
      {"a client ID that the issuer does not know", "",
       setting("credentials", "client_id", "11111111-2222-3333-4444-555555555555"), "cycle_failed",
       "token request to {issuer} failed: HTTP 400 unauthorized_client \"AADSTS700016: *",
       "check credentials.client_id, and the tenant in service.token_url"},
      {"an API key that never worked", "", file("api_key", "key-of-somebody"), "key_revoked",
       "listing request to {api}/v1/trade/vehicles/bulk-download failed: the service does not know the API key: HTTP "
       "403 "
       "MOTH-FB-03 *; it was never accepted here",
       std::string(
           "check that the file of the API key (credentials.api_key_file) holds the whole key as it was issued; "
           "if it does, ask the service's support") +
           daemon_asks},
      {"an API key that was revoked", "",
       [](Rig& rig) {
         REQUIRE(rig.vtmirror({"sync", "--quiet"}).status == 0);
         rig.control("POST", "/script", R"({"api_key_revoked": true})");
       },
       "key_revoked",
       "listing request to {api}/v1/trade/vehicles/bulk-download failed: the service does not know the API key: HTTP "
       "403 "
       "MOTH-FB-03 *; it was last accepted on " +
           vtmirror::base::iso8601(
               vtmirror::base::Date(std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()))),
       std::string("the API key was probably revoked or replaced: store the new key in the file of the API key "
                   "(credentials.api_key_file), or ask the service's support for one") +
           daemon_asks},
      {"an API key that a gateway refuses",
       fault(R"("at":"api","status":403,"content_type":"application/json","body":"{\"message\":\"Forbidden\"}")"),
       {},
       "cycle_failed",
       R"(listing request to {api}/v1/trade/vehicles/bulk-download failed: HTTP 403 "Forbidden")",
       "check the file of the API key (credentials.api_key_file), service.base_url and service.listing_path"},
  };
}

std::vector<Morning> of_the_addresses() {
  const std::string listing = "listing request to {api}/v1/trade/vehicles/bulk-download failed: ";
  return {
      {"a wrong scope", "", setting("service", "scope", "https://other.example/.default"), "cycle_failed",
       "token request to {issuer} failed: HTTP 400 invalid_scope *", "check service.scope"},
      {"a wrong token path", "", other_path_of_token(), "cycle_failed", "token request to *tokn failed: HTTP 404",
       "check service.token_url"},
      {"a wrong listing path", "", setting("service", "listing_path", "/v1/nothing"), "cycle_failed",
       "listing request to {api}/v1/nothing failed: HTTP 404 MOTH-NF-02 *",
       "check service.base_url and service.listing_path"},
      {"a name that does not resolve", "", setting("service", "token_url", "https://login.invalid/tenant/token"),
       "cycle_failed", "token request to login.invalid/tenant/token failed: the name cannot be resolved: *",
       "check service.token_url, this machine's network and DNS, and service.proxy"},
      {"an unknown certificate authority", "", setting("service", "ca_file", ""), "cycle_failed",
       "token request to {issuer} failed: certificate refused: unable to get local issuer certificate",
       "if its certificate comes from a private authority or an inspecting proxy, set service.ca_file to that "
       "authority's "
       "certificate"},
      {"a listing that a proxy answers with HTML",
       fault(R"("at":"api","html":true)"),
       {},
       "cycle_failed",
       listing + "a web page (text/html), not JSON: a proxy or a login page answers",
       "check service.base_url and service.proxy, and whether this network wants a login"},
      {"a listing that is redirected",
       fault(R"("at":"api","redirect":"https://login.example/?next=token")"),
       {},
       "cycle_failed",
       listing + "HTTP 302: a redirect to another address, which is not followed",
       "check service.base_url and service.proxy: the address has moved, or this network wants a login first"},
      {"a token that a proxy answers with HTML",
       fault(R"("at":"issuer","html":true)"),
       {},
       "cycle_failed",
       "token request to {issuer} failed: a web page (text/html), not JSON: a proxy or a login page answers",
       "check service.token_url and service.proxy, and whether this network wants a login"},
      {"a listing that is forbidden with HTML",
       fault(R"("at":"api","status":403,"content_type":"text/html","body":"<html>blocked</html>")"),
       {},
       "cycle_failed",
       listing + "HTTP 403 with a web page (text/html), not JSON: a proxy or a login page answers",
       "check service.base_url and service.proxy, and whether this network wants a login"},
  };
}

std::vector<Morning> of_a_busy_service() {
  const std::string listing = "listing request to {api}/v1/trade/vehicles/bulk-download failed: ";
  const std::string fewer =
      "no action needed: it is tried again after a while; check that nothing else uses the same client ID and API key "
      "so "
      "often";
  const std::string wait = "no action needed: it is tried again; if it continues, ask the service";
  const std::string retry_after = R"(,"headers":{"Retry-After":"900"})";
  return {
      {"429 with Retry-After",
       fault(R"("at":"api","status":429)" + retry_after),
       {},
       "cycle_failed",
       listing + "too many requests (HTTP 429); it asks to wait 15m 00s",
       fewer},
      {"429 without it",
       fault(R"("at":"api","status":429)"),
       {},
       "cycle_failed",
       listing + "too many requests (HTTP 429)",
       fewer},
      {"503 with Retry-After",
       fault(R"("at":"api","status":503)" + retry_after),
       {},
       "cycle_failed",
       listing + "the service is unavailable (HTTP 503); it asks to wait 15m 00s",
       wait},
      {"503 without it",
       fault(R"("at":"api","status":503)"),
       {},
       "cycle_failed",
       listing + "the service is unavailable (HTTP 503)",
       wait},
      {"503 of the issuer",
       fault(R"("at":"issuer","status":503)" + retry_after),
       {},
       "cycle_failed",
       "token request to {issuer} failed: the token issuer is unavailable (HTTP 503); it asks to wait 15m 00s",
       "no action needed: it is tried again; if it continues, ask the operator of the token issuer "
       "(service.token_url)"},
      {"an empty listing",
       R"("listing_raw":"{\"bulk\":[],\"delta\":[]}")",
       {},
       "empty_listing",
       "the service lists no file; the mirror was left as it is",
       "no action needed: the listing is requested again; if it stays empty, report it to the service"},
  };
}

std::vector<Morning> of_the_files() {
  return {
      {"403 from the store",
       of_today(R"("status":403,"content_type":"application/xml","body":"<Error><Code>AccessDenied</Code></Error>")"),
       {},
       "missing_files",
       "{delta}: the store at {store} answered HTTP 403 AccessDenied",
       "the store refuses links that are new: the next cycle tries again; if it continues, check any proxy between "
       "this "
       "machine and the store, and ask the service",
       {},
       "{delta}: the store answered HTTP 403"},
      {"404 from the store",
       of_today(R"("status":404)"),
       {},
       "missing_files",
       "{delta}: the store at {store} answered HTTP 404",
       "the store does not have the file that the service lists: the next cycle tries again; if it continues, report "
       "it "
       "to the service",
       {},
       "{delta}: the store answered HTTP 404"},
      {"503 from the store",
       of_today(R"("status":503,"headers":{"Retry-After":"7200"})"),
       {},
       "missing_files",
       "{delta}: the store at {store} answered HTTP 503; it asks to wait 2h 00m",
       "no action needed: the next cycle tries again; if the store stays busy or down, ask the service",
       {},
       "{delta}: the store answered HTTP 503"},
      {"a damaged ZIP",
       of_today(R"("flip_at":5000)"),
       {},
       "quarantined_file",
       "{delta} is damaged (member *), downloaded twice",
       "the next cycle downloads it again; if it stays damaged, report it to the service with the reason, which is in "
       ".vtmirror/quarantine",
       {},
       "{delta} is damaged (the "},
      {"no room beside the reserve",
       "",
       setting("mirror", "reserve", "900TiB"),
       "low_space",
       "*(and 4 more)",
       "make room under mirror.directory, set mirror.keep_cycles, or lower mirror.reserve",
       {},
       "delta "},
  };
}

std::vector<Morning> of_the_clock() {
  const std::vector<std::string> ahead{"faketime", "-f", "+2h"};
  const std::string expired = R"("{\"errorCode\":\"MOTH-FB-02\",\"errorMessage\":\"Access token expired\"}")";
  return {
      {"a clock that is years ahead",
       "",
       {},
       "cycle_failed",
       "token request to {issuer} failed: certificate refused: certificate has expired; this machine's clock says *",
       "check this machine's clock (`timedatectl status`); if it is right, the service has to renew its certificate",
       {"faketime", "-f", "+4000d"}},
      {"a token that looks expired at once",
       fault(R"("at":"api","status":403,"content_type":"application/json","body":)" + expired),
       {},
       "cycle_failed",
       "listing request to {api}/v1/trade/vehicles/bulk-download failed: HTTP 403 MOTH-FB-02 \"Access token expired\"; "
       "the server's Date is *: the clock may be wrong",
       set_the_clock,
       ahead,
       "this machine's clock may be wrong (listing request: HTTP 403)"},
      {"a link that looks expired at once",
       of_today(expired_link),
       {},
       "missing_files",
       "{delta}: the store at {store} answered HTTP 403 AccessDenied \"Request has expired\"; the server's Date is *: "
       "the clock "
       "may "
       "be wrong",
       set_the_clock,
       ahead,
       "{delta}: this machine's clock may be wrong"},
  };
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> waiting{
    {{"no action needed: it is tried again after a while", "run this again later"},
     {"no action needed: it is tried again", "run this again later"},
     {"no action needed: the listing is requested again; if it stays", "run this again later; if the listing stays"}}};

/// Where no daemon runs, none asks again by itself.
std::string without_a_daemon(const std::string& advice) {
  for (const auto& [waits, by_hand] : waiting)
    if (advice.starts_with(waits)) return std::string(by_hand) + advice.substr(waits.size());
  return advice.ends_with(daemon_asks) ? advice.substr(0, advice.size() - std::string(daemon_asks).size()) : advice;
}

/// The plain text of the mails that were sent, without the line breaks of their encoding.
std::string mail_of(const Rig& rig) {
  const auto at = rig.directory() / "mail";
  return fs::exists(at) ? replaced(read_file(at), {{"=\n", ""}, {"=3D", "="}}) : std::string();
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

/// One morning, with its own service and mirror. All of them happen at the same time: some take many retries.
class Trial {
 public:
  explicit Trial(Morning morning)
      : morning_(std::move(morning)),
        rig_(script(Noon(), morning_.script.empty() ? "" : ", " + morning_.script),
             vtmirror::base::iso8601(Noon().today)) {
    rig_.set("notify", "mail_to", R"(["ops@fleet.example"])");
    const auto sendmail = rig_.directory() / "sendmail";
    write_file(sendmail, "#!/bin/sh\ncat >>" + (rig_.directory() / "mail").string() + "\n");
    fs::permissions(sendmail, fs::perms::owner_all);
    rig_.set("notify", "sendmail", '"' + sendmail.string() + '"');
    if (morning_.change) morning_.change(rig_);
    fs::remove(rig_.directory() / "mail");
    sync_ = std::make_unique<Child>(line({"sync"}), environment());
  }

  void judge() {
    CAPTURE(morning_.name);
    const auto synced = sync_->wait();
    CAPTURE(synced.err);
    CHECK(synced.status == 1);
    const auto problem = problem_of_daemon();
    const auto message = text_of(problem.at("message"));
    const auto advice = text_of(problem.at("advice"));
    CHECK_MESSAGE(is_like(message, filled(morning_.what, rig_)), message);
    CHECK(advice == morning_.advice);
    // Sync says the same once: the lines of its retries apart, which end in the time of the next try.
    std::string end;
    std::istringstream lines(synced.err);
    for (std::string each; std::getline(lines, each);)
      if (each.starts_with("vtmirror: ")) end += each + '\n';
    const auto by_hand = without_a_daemon(advice);
    CHECK(count_of(end, by_hand) == 1);
    CHECK(count_of(synced.err, by_hand) == 1);
    const bool waits = by_hand.starts_with("run this again later");
    CHECK(has(end, by_hand + (waits ? "\n" : "; next try: `vtmirror sync`, or when the daemon starts\n")));
    CHECK(count_of(end, "daemon") == (waits ? 0 : 1));
    CHECK_MESSAGE(count_of(end, message) == 1, message);
    const auto mail = mail_of(rig_);
    CAPTURE(mail);
    CHECK(count_of(mail, "Subject: [vtmirror ") == 1);
    CHECK(has(mail, "\n\n" + message + "\n\nWhat to do: "));
    judge_subject(mail);
    CHECK(count_of(mail, "What to do: " + by_hand + "\n") == 1);
    for (const auto* code : {"http_status:", "protocol:", "integrity:", "tls:", "io:"})
      CHECK_FALSE(has(message + advice + synced.err, code));
  }

 private:
  /// A telephone shows the first 78 characters: the cause is among them, and no address.
  void judge_subject(const std::string& mail) {
    const std::string mark = "Subject: ";
    const auto at = mail.find(mark);
    REQUIRE(at != std::string::npos);
    const auto subject = mail.substr(at + mark.size(), mail.find('\n', at) - at - mark.size());
    CAPTURE(subject);
    const auto cause = filled(cause_of(morning_), rig_);
    REQUIRE_FALSE(cause.empty());
    const auto begin = subject.find("] ") + 2;
    CHECK(subject.substr(begin).starts_with(cause));
    CHECK(begin + cause.size() <= 78);
    for (const auto* place : {"issuer", "api", "store"}) CHECK_FALSE(has(subject.substr(0, 78), place_of(rig_, place)));
  }

  std::vector<std::string> line(const std::vector<std::string>& command) const {
    auto line = morning_.before;
    const auto own = rig_.command_line(command);
    line.insert(line.end(), own.begin(), own.end());
    return line;
  }
  static std::vector<std::string> environment() { return {"FAKETIME_DONT_FAKE_MONOTONIC=1", "NO_PROXY=*"}; }

  /// The daemon's, which knows it from the catalogue, and when it tries again.
  json::object problem_of_daemon() {
    const Child daemon(line({"run"}), environment());
    const_cast<Child&>(daemon).read_until([](const Ended& e) { return has(e.err, "settings read from "); });
    Events events(rig_.directory() / "config/control.sock");
    const auto status = events.status([](const json::object& s) {
      const auto state = text_of(s.at("state"));
      return (state == "waiting" || state == "idle") && !s.at("problems").as_array().empty();
    });
    for (const auto& each : status.at("problems").as_array()) {
      const auto& problem = each.as_object();
      if (text_of(problem.at("code")) != morning_.code) continue;
      CHECK(problem.at("next_try").is_string());
      return problem;
    }
    throw std::runtime_error("no problem " + morning_.code + ": " + json::serialize(status.at("problems")));
  }

  Morning morning_;
  Rig rig_;
  std::unique_ptr<Child> sync_;
};

void live_through(std::vector<Morning> mornings) {
  std::list<Trial> trials;
  for (auto& each : mornings) trials.emplace_back(std::move(each));
  for (auto& each : trials) each.judge();
}

TEST_CASE("a refused secret or key is said with the cause, what to do and the next try, alike everywhere") {
  live_through(of_the_secret_and_the_key());
}

TEST_CASE("a wrong address, name, certificate or proxy is said with the setting that is wrong, alike everywhere") {
  live_through(of_the_addresses());
}

TEST_CASE("a certificate for another host names that request and the setting of its host") {
  if (const auto why = absent("openssl", "openssl")) return skip(*why);
  OtherHost other;
  live_through({{"a certificate for another host", "", other.change(), "cycle_failed",
                 "token request to localhost:*/t failed: certificate refused: hostname mismatch",
                 "check the host in service.token_url; if it is right, a proxy answers in its place"}});
}

TEST_CASE("a proxy that is gone, refuses, wants a login or answers by itself is named, with the setting of the proxy") {
  Listener listener;
  const auto gone = "127.0.0.1:" + std::to_string(listener.port());
  listener.close();
  const FakeProxy refuses("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
  const FakeProxy login("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n");
  const FakeProxy page(page_of_proxy);
  const std::string failed = "token request to login.example/tenant/token failed: the proxy at ";
  const std::string check =
      "check service.proxy (or HTTPS_PROXY in the environment), and that the proxy runs and allows this host";
  live_through(
      {{"a proxy that is gone", "", through_proxy(gone), "cycle_failed", failed + gone + ": Connection refused", check},
       {"a proxy that refuses", "", through_proxy(refuses.address()), "cycle_failed",
        failed + refuses.address() + " refused the connection (HTTP 403)", check},
       {"a proxy that wants a login", "", through_proxy(login.address()), "cycle_failed",
        failed + login.address() + " wants a login (HTTP 407)",
        "the proxy asks for a login: set service.proxy to http://USER:PASSWORD@HOST:PORT, with its user and password"},
       {"a proxy that answers with a page", "", through_proxy(page.address()), "cycle_failed",
        failed + page.address() + " answered with a page of its own in place of a connection", check}});
}

TEST_CASE("config check calls no certificate valid where a proxy answered") {
  const FakeProxy page(page_of_proxy);
  Rig rig;
  through_proxy(page.address())(rig);
  const auto checked = rig.vtmirror({"config", "check", "--online"});
  CAPTURE(checked.out);
  CHECK(checked.status == 1);
  CHECK_FALSE(has(checked.out, "login.example"));
  CHECK(has(checked.err, "the proxy at " + page.address() + " answered with a page of its own"));
  CHECK(has(checked.err, "check service.proxy "));
}

TEST_CASE("a service that is busy, down or empty needs no action, which is said alike everywhere") {
  live_through(of_a_busy_service());
}

TEST_CASE("a file that does not come is named with the store's answer and what to do, alike everywhere") {
  live_through(of_the_files());
}

TEST_CASE("sync names the request that failed, although a file's problem with the same code stands") {
  const std::string busy = R"("status":503,"headers":{"Retry-After":"7200"})";
  Rig rig(script(Noon(), ", " + of_today(busy)), vtmirror::base::iso8601(Noon().today));
  REQUIRE(rig.vtmirror({"sync", "--quiet"}).status == 1);
  rig.control("POST", "/script", '{' + fault(R"("at":"api",)" + busy) + '}');
  const auto ended = rig.vtmirror({"sync"});
  CAPTURE(ended.err);
  CHECK(ended.status == 1);
  CHECK(has(ended.err, "vtmirror: listing request to "));
  CHECK_FALSE(has(ended.err, "the store at "));
}

TEST_CASE("a wrong clock is suspected where something new looks expired, with both clocks") {
  if (sanitized) return skip("a sanitizer's runtime and faketime both want to be loaded first");
  if (const auto why = absent("faketime", "faketime")) return skip(*why);
  live_through(of_the_clock());
}

TEST_CASE("a wrong time zone is a mistake in the settings, with its place and an example") {
  Rig rig;
  rig.set("schedule", "time_zone", "\"Europe/Londn\"");
  for (const auto* command : {"sync", "run"}) {
    const auto ended = rig.vtmirror({command});
    CHECK(ended.status == 2);
    CHECK(has(ended.err,
              "schedule.time_zone: unknown time zone \"Europe/Londn\" (use an IANA name such as "
              "\"Europe/London\""));
    CHECK(count_of(ended.err, "\n") == 1);
  }
}

TEST_CASE("a disk that is mounted read-only is said to be so") {
  Rig rig;
  const StateDisk disk(rig.directory() / "config/state", MS_RDONLY);
  if (!disk.reason().empty()) return skip(disk.reason());
  const auto ended = rig.vtmirror({"sync"});
  CAPTURE(ended.err);
  CHECK(ended.status == 2);
  CHECK(has(ended.err,
            "Read-only file system\nvtmirror: the file system there is mounted read-only: `dmesg` says why; "
            "remount it, or set another mirror."));
  const auto checked = rig.vtmirror({"config", "check", "--online"});
  CAPTURE(checked.err);
  CHECK(checked.status == 2);
  CHECK(has(checked.err, "mirror.state_directory: "));
  const std::string advice =
      "is mounted read-only: `dmesg` says why; remount it, or set another mirror.state_directory\n";
  CHECK(has(checked.err, advice));
  // The catalogue lies there too, and is opened first.
  CHECK(has(ended.err, advice));
  const auto daemon = rig.vtmirror({"run"});
  CHECK(daemon.status == 2);
  CHECK(has(daemon.err, advice));
}

TEST_CASE("a full disk is named with its file and what to do by sync, the status and the journal") {
  Site site;
  const StateDisk disk(site.rig.directory() / "config/state");
  if (!disk.reason().empty()) return skip(disk.reason());
  REQUIRE(site.rig.vtmirror({"sync"}).status == 0);
  disk.fill();
  const std::string advice =
      "make room on that disk: the space of files that mirror.keep_cycles or `vtmirror prune` removes becomes free "
      "after 24 hours, or when consumers.lease ends if `vtmirror next` gave them and nobody acknowledged";
  const auto ended = site.rig.vtmirror({"sync"});
  CAPTURE(ended.err);
  CHECK(ended.status == 1);
  CHECK(has(ended.err, "catalogue.db: database or disk is full\nvtmirror: " + advice + '\n'));
  // Another subscription is written at the start, which has no room that was kept for it.
  fs::remove(site.rig.directory() / "config/state/catalogue.db.reserve");
  disk.fill();
  site.rig.set("notify", "webhook", "\"http://127.0.0.1:9/\"");
  site.start();
  CHECK(site.logged("; what to do: " + advice + "; next try in 1m"));
  const auto status = site.status();
  REQUIRE(has_problem(status, "low_space"));
  CHECK(text_of(status.at("problems").at(0).at("advice")) == advice);
  CHECK(site.stop().status == 0);
}

TEST_CASE("the daemon's journal says the cause once, then what to do and when it tries again; so does sync beside it") {
  for (const auto& morning : {of_the_addresses().at(1), of_the_secret_and_the_key().at(0)}) {
    CAPTURE(morning.name);
    Site site;
    morning.change(site.rig);
    site.start();
    REQUIRE(site.logged("what to do: " + morning.advice + "; next try "));
    const auto log = site.daemon->so_far().err;
    CAPTURE(log);
    CHECK(count_of(log, "request to ") == 1);
    CHECK(count_of(log, morning.advice) == 1);
    const auto beside = site.rig.vtmirror({"sync"});
    CAPTURE(beside.err);
    CHECK(beside.status == 1);
    CHECK(count_of(beside.err, "request to ") == 1);
    CHECK(has(beside.err, morning.advice + "; next try "));
    CHECK(site.stop().status == 0);
    // A log that begins with the next process says the same, once.
    site.start();
    REQUIRE(site.logged("what to do: " + morning.advice));
    CHECK(site.stop().status == 0);
    CHECK(count_of(site.daemon->so_far().err, "request to ") == 1);
    CHECK(count_of(site.daemon->so_far().err, morning.advice) == 1);
  }
}

TEST_CASE("log, status and mail name the next try by one clock, the machine's, whatever schedule.time_zone is") {
  Site site;
  const auto at = site.rig.directory() / "sendmail";
  write_file(at, "#!/bin/sh\ncat >>" + (site.rig.directory() / "mail").string() + "\n");
  fs::permissions(at, fs::perms::owner_all);
  site.rig.set("notify", "mail_to", R"(["ops@fleet.example"])");
  site.rig.set("notify", "sendmail", '"' + at.string() + '"');
  site.rig.set("schedule", "time_zone", "\"Etc/GMT+8\"");
  file("client_secret", "not-the-secret")(site.rig);
  const std::vector<std::string> tokyo{"TZ=Asia/Tokyo"};
  site.daemon = std::make_unique<Child>(site.rig.command_line({"run"}), tokyo);
  REQUIRE(site.logged("what to do: check that it is the secret's value"));
  REQUIRE(site.logged("next wake-up "));
  REQUIRE(site.logged("mail to ops@fleet.example delivered "));
  const auto status = site.status();
  const auto next = vtmirror::base::parse_time(text_of(status.at("next_wake"))).value() + std::chrono::hours(9);
  const auto local = vtmirror::base::iso8601(next);  // of Tokyo's clock, in spite of its Z
  const auto clock = local.substr(11, 5);
  CAPTURE(clock);
  const auto table = site.rig.vtmirror({"status"}, tokyo);
  CHECK(has(table.out, clock));
  CHECK(site.stop().status == 0);
  const auto log = site.daemon->so_far().err;
  CAPTURE(log);
  CHECK(count_of(log, "next try ") == 1);
  CHECK(count_of(log, ' ' + clock) >= 2);
  const auto mail = mail_of(site.rig);
  CAPTURE(mail);
  CHECK(has(mail, clock + "\n"));
  CHECK(has(mail, "next_try:   " + local.substr(0, 10) + ' ' + clock));
  CHECK(has(mail, "+09:00"));
}

}  // namespace
