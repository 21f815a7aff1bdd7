// The client secret as a user meets it: shown, rotated, set, refused. No secret may be found where it does not belong.
#include "end_to_end/rig.hpp"
#include "end_to_end/secrecy.hpp"
#include "support/skip.hpp"

#include <doctest/doctest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <signal.h>

#include <cstdio>
#include <fstream>
#include <set>
#include <sstream>

using namespace vtmirror::test;
namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

constexpr char small[] = R"({"bulk_bytes": 200000, "delta_bytes": 20000})";

bool says(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

struct SecretRig : Rig {
  explicit SecretRig(const std::string& script = small) : Rig(script) {}

  fs::path given() const { return directory() / "config/client_secret"; }
  fs::path state() const { return directory() / "config/state"; }
  fs::path kept() const { return state() / "client_secret"; }
  std::string first_secret() const { return std::string(service().at("client_secret").as_string()); }
  std::string api_key() const { return std::string(service().at("api_key").as_string()); }
  std::size_t asked() {
    std::size_t count = 0;
    for (const auto& request : requests("api")) count += request.path.ends_with("/credentials") ? 1 : 0;
    return count;
  }
  json::object status(const std::vector<std::string>& environment = {}) {
    const auto logged = vtmirror({"secret", "status", "--json"}, environment);
    REQUIRE_MESSAGE(logged.status == 0, logged.err);
    return json::parse(logged.out).at("secret").as_object();
  }
  void fault(const std::string& fault) { control("POST", "/script", R"({"faults": [)" + fault + "]}"); }
  Ended set_secret(const std::string& secret) {
    write_file(directory() / "config/state/typed.toml", secret + "\n");
    auto line = command_line({"secret", "set"});
    line.insert(line.begin(), {"/bin/sh", "-c", R"(exec "$@" < "$0")", (state() / "typed.toml").string()});
    return run(line);
  }
};

/// Whether the text is in memory that the process can write to.
bool memory_holds(pid_t pid, const std::string& text) {
  const auto process = "/proc/" + std::to_string(pid);
  std::istringstream regions(read_file(process + "/maps"));
  std::ifstream memory(process + "/mem", std::ios::binary);
  for (std::string line; std::getline(regions, line);) {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    char mode[5] = {};
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, mode) != 3 || mode[1] != 'w') continue;
    constexpr std::uint64_t largest = 256 << 20;  // the regions of a sanitizer's own are larger
    if (end - begin > largest) continue;
    std::string bytes(end - begin, '\0');
    memory.clear();
    memory.seekg(static_cast<std::streamoff>(begin));
    if (memory.read(bytes.data(), static_cast<std::streamsize>(bytes.size())) && says(bytes, text)) return true;
  }
  return false;
}

/// The kernel makes root the owner of this file if the process may not dump core.
bool may_dump_core(pid_t pid) {
  struct stat file {};
  REQUIRE(::stat(("/proc/" + std::to_string(pid) + "/environ").c_str(), &file) == 0);
  return file.st_uid != 0;
}

/// A daemon that has run its first cycle.
struct Running {
  explicit Running(Rig& rig) : process(rig.command_line({"run"})) {
    REQUIRE(process.read_until([](const Ended& so_far) { return says(so_far.err, " published, "); }));
  }
  bool says_in_the_end(const std::string& words) {
    return process.read_until([&](const Ended& so_far) { return says(so_far.err, words); });
  }
  Ended stop() {
    process.signal(SIGTERM);
    return process.wait();
  }
  Child process;
};

}  // namespace

TEST_CASE("a rotated secret is in use from then on, and the file that it replaced is untouched") {
  SecretRig rig;
  CHECK_FALSE(rig.status().at("kept").as_bool());
  const auto rotated = rig.vtmirror({"secret", "rotate"});
  CHECK_MESSAGE(rotated.status == 0, rotated.err);
  CHECK(read_file(rig.given()) == rig.first_secret() + "\n");
  const auto fresh = read_file(rig.kept());
  CHECK(fresh != rig.first_secret());
  CHECK(rig.status().at("kept").as_bool());
  CHECK(rig.status().at("source").as_string() == "issue");
  CHECK(rig.vtmirror({"sync"}).status == 0);
  CHECK(rig.held() == rig.upstream());

  write_file(rig.given(), fresh + "\n");  // as if somebody copied it back
  CHECK(rig.vtmirror({"sync"}).status == 0);
  CHECK(rig.set_secret(rig.first_secret()).status == 0);
  CHECK(read_file(rig.kept()) == rig.first_secret());
}

TEST_CASE("a rotation works beside a running daemon, and the daemon uses the new secret") {
  SecretRig rig;
  Running daemon(rig);
  const auto rotated = rig.vtmirror({"secret", "rotate"});
  CHECK_MESSAGE(rotated.status == 0, rotated.err);
  CHECK(says(rotated.err, "the daemon now uses the new secret"));
  CHECK(daemon.says_in_the_end("were read again"));
  // The daemon has looked at the new secret before the cycle that comes after it.
  CHECK(rig.vtmirror({"sync"}).status == 0);
  const auto status = json::parse(rig.vtmirror({"status", "--json"}).out);
  CHECK(status.at("secret").at("days_left").to_number<int>() >= 729);
  CHECK_FALSE(status.at("secret").at("estimated").as_bool());
  CHECK(daemon.stop().status == 0);
}

TEST_CASE("systemd's secret yields to the rotated one, until systemd's is another") {
  SecretRig rig;
  const auto credentials = rig.directory() / "credentials";
  fs::create_directory(credentials);
  for (const auto* name : {"client_secret", "api_key"}) fs::copy(rig.directory() / "config" / name, credentials / name);
  rig.set("credentials", "client_secret_file", "\"\"");
  rig.set("credentials", "api_key_file", "\"\"");
  const std::vector<std::string> environment{"CREDENTIALS_DIRECTORY=" + credentials.string()};
  CHECK(rig.vtmirror({"sync"}, environment).status == 0);
  CHECK(rig.vtmirror({"secret", "rotate"}, environment).status == 0);
  CHECK(rig.status(environment).at("kept").as_bool());
  CHECK(rig.vtmirror({"sync"}, environment).status == 0);
  write_file(credentials / "client_secret", "another");
  ::chmod((credentials / "client_secret").c_str(), 0600);
  CHECK_FALSE(rig.status(environment).at("kept").as_bool());
}

TEST_CASE("whatever /credentials answers, the old secret stays in use, and it is asked once") {
  SecretRig rig;
  const std::vector<std::pair<std::string, std::string>> answers{
      {R"("status": 200, "body": "{}", "content_type": "application/json")", "has no clientSecret"},
      {R"("status": 200, "body": "{\"clientSecret\":\"\"}", "content_type": "application/json")", "is empty"},
      {R"("status": 200, "body": "{\"clientSecret\":\"x\"}", "content_type": "text/plain")", "not JSON"},
      {R"("status": 200, "body": ")" + std::string(1 << 20, 'x') + R"(", "content_type": "application/json")", "65536"},
      {R"("status": 400, "body": "{\"errorCode\":\"MOTH-BR-01\",\"errorMessage\":\"bad\"}")", "MOTH-BR-01"},
      {R"("status": 404)", "HTTP 404"},
      {R"("status": 500)", "may still have issued"},
      {R"("close": true)", "may still have issued"},
      {R"("cut_after": 3)", "may still have issued"}};
  std::size_t asked = 0;
  for (const auto& answer : answers) {
    const auto& fault = answer.first;
    const auto& words = answer.second;
    CAPTURE(words);
    rig.fault(R"({"at": "api", "match": "/credentials", )" + fault + "}");
    const auto rotated = rig.vtmirror({"secret", "rotate"});
    CHECK(rotated.status == 1);
    CHECK_MESSAGE(says(rotated.err, words), rotated.err);
    CHECK(rig.asked() == ++asked);
    CHECK_FALSE(fs::exists(rig.kept()));
    CHECK_FALSE(fs::exists(rig.state() / "client_secret.new"));
  }
  CHECK(rig.vtmirror({"sync"}).status == 0);
}

TEST_CASE("Ctrl-C loses no secret: once the request is sent, its answer is waited for and kept") {
  SecretRig rig;
  rig.fault(R"({"at": "api", "match": "/credentials", "delay_ms": 3000})");
  Child rotating(rig.command_line({"secret", "rotate"}));
  const auto waiting = rig.state() / "client_secret.new";
  REQUIRE(rotating.read_until([&](const Ended&) { return fs::exists(waiting); }));
  rotating.signal(SIGINT);
  const auto ended = rotating.wait();
  CHECK(ended.status == 130);
  CHECK_FALSE(says(ended.err, "vtmirror sync"));
  const bool sent = rig.asked() == 1;  // the signal may come before the request
  CHECK_MESSAGE(says(ended.err, sent ? "the new secret is stored" : "no new secret was requested"), ended.err);
  CHECK(rig.vtmirror({"secret", "rotate"}).status == 0);
  CHECK(rig.asked() == 1);
  CHECK(rig.status().at("kept").as_bool());
}

TEST_CASE("the bytes of a token whose answer was cut short are nowhere in the daemon's memory") {
  if (::geteuid() != 0) return skip("only root can look into the memory of a process that may not dump core");
  SecretRig rig;
  rig.fault(R"({"at": "issuer", "times": 2, "cut_after": 150})");
  Running daemon(rig);
  CHECK(rig.requests("issuer").size() == 3);
  CHECK_FALSE(memory_holds(daemon.process.pid(), R"("access_token":"ey)"));
  CHECK(memory_holds(daemon.process.pid(), rig.api_key()));  // shows that the search works
  CHECK(daemon.stop().status == 0);
}

TEST_CASE("the limit of active secrets is reported in plain words") {
  SecretRig rig;
  CHECK(rig.vtmirror({"secret", "rotate"}).status == 0);
  CHECK(rig.vtmirror({"secret", "rotate"}).status == 0);
  const auto third = rig.vtmirror({"secret", "rotate"});
  CHECK(third.status == 1);
  CHECK(says(third.err, "as many secrets as it allows to be active"));
  CHECK(rig.vtmirror({"sync"}).status == 0);
}

TEST_CASE("a secret from stdin is verified first: a wrong one changes nothing, and no secret at all is refused") {
  SecretRig rig;
  const auto wrong = rig.set_secret("mistyped-secret");
  CHECK(wrong.status == 1);
  CHECK(says(wrong.err, "the client secret is wrong (AADSTS7000215); nothing has changed"));
  CHECK_FALSE(says(wrong.err, "mistyped"));
  CHECK_FALSE(fs::exists(rig.kept()));
  CHECK(rig.vtmirror({"secret", "set"}).status == 2);
  CHECK(rig.set_secret(rig.first_secret()).status == 0);
  CHECK(rig.vtmirror({"sync"}).status == 0);
}

TEST_CASE("a refused secret is one request a day and one at each reload, and a problem with the issuer's words") {
  SecretRig rig(R"({"secret_expired": true})");
  Running daemon(rig);
  CHECK(daemon.says_in_the_end("what to do: ask the service's support for a new secret"));
  CHECK(rig.requests("issuer").size() == 1);
  const auto status = json::parse(rig.vtmirror({"status", "--json"}).out).as_object();
  CHECK(status.at("state").as_string() == "idle");
  REQUIRE(status.at("problems").as_array().size() == 1);
  const auto& problem = status.at("problems").at(0);
  CHECK(problem.at("code").as_string() == "secret_refused");
  CHECK(says(std::string(problem.at("message").as_string()), "7000222"));
  CHECK(says(std::string(problem.at("message").as_string()), "the client secret has expired"));

  rig.control("POST", "/script", R"({"secret_expired": false})");
  daemon.process.signal(SIGHUP);
  CHECK(daemon.says_in_the_end("resolved: the client secret is accepted"));
  CHECK(daemon.says_in_the_end("cycle complete"));
  CHECK(rig.requests("issuer").size() == 2);
  CHECK(daemon.stop().status == 0);
}

TEST_CASE("an unknown key is reported in plain words") {
  SecretRig rig(R"({"api_key_revoked": true})");
  const auto synced = rig.vtmirror({"sync"});
  CHECK(synced.status == 1);
  CHECK(says(synced.err, "the service does not know the API key"));
}

TEST_CASE("the search for secrets finds one that is there") {
  CHECK(leak_in("a b c", {"b"}) == "secret 0");
  CHECK(leak_in("a", {"b"}).empty());
  CHECK_FALSE(leak_in("X-Amz-Signature=0a", {}).empty());
  CHECK(leak_in("X-Amz-Signature=***", {}).empty());
}

TEST_CASE("the search for secrets looks at each file though others vanish meanwhile, and fails without a directory") {
  const TemporaryDirectory directory;
  const auto file_of = [&](int number) { return directory.path() / std::to_string(number) / "file"; };
  constexpr int count = 40;
  for (int number = 0; number < count; ++number) {
    fs::create_directory(file_of(number).parent_path());
    write_file(file_of(number), "text");
  }
  std::set<fs::path> seen;
  const auto look = [&](const fs::path& path) {
    const bool is_first = seen.empty();
    seen.insert(path);
    for (int number = 0; is_first && number < count; number += 2) fs::remove_all(file_of(number).parent_path());
  };
  CHECK(each_file(directory.path(), look));
  for (int number = 1; number < count; number += 2) CHECK(seen.contains(file_of(number)));
  CHECK_FALSE(each_file(directory.path() / "missing", look));
}

TEST_CASE("six marked secrets are in no file, no output, no hook's environment and no command line, however it fails") {
  SecretRig rig;
  rig.mark("marked-webhook-token");
  rig.mark("marked-heartbeat-token");
  rig.mark("marked-proxy-password");
  rig.mark("marked-typed-secret");
  const auto hook = rig.directory() / "hook.sh";
  write_file(hook, "#!/bin/sh\nenv; cat; tr '\\0' ' ' < /proc/$PPID/cmdline\n");
  ::chmod(hook.c_str(), 0755);
  write_file(rig.directory() / "sendmail.sh", "#!/bin/sh\ncat >> \"" + (rig.directory() / "mails").string() + "\"\n");
  ::chmod((rig.directory() / "sendmail.sh").c_str(), 0755);
  rig.set("notify", "webhook", "\"https://localhost:1/x?token=marked-webhook-token\"");
  rig.set("notify", "heartbeat", "\"https://localhost:1/marked-heartbeat-token\"");
  rig.set("notify", "sendmail", "\"" + (rig.directory() / "sendmail.sh").string() + "\"");
  rig.set("notify", "mail_to", R"(["a@b.example"])");
  rig.set("credentials", "secret_expires_on", "\"2020-01-01\"");
  write_file(rig.config(), read_file(rig.config()) +
                               "\n[[hook]]\non = [\"published\", \"cycle\", \"warning\"]\ncommand = [\"" +
                               hook.string() + "\"]\n");

  // A store that quotes the link and the credentials back, and an API and an issuer that quote what they were sent.
  const std::string back = R"({\"errorCode\":\"MOTH-UA-01\",\"errorMessage\":\"bad\",\"Authorization\":\"Bearer )" +
                           rig.first_secret() + R"(\"})";
  rig.fault(
      R"({"at": "store", "times": 3, "status": 403, "body": "<Error><Code>AccessDenied</Code><Message>X-Amz-Credential=VTSIMULATOR0/a&X-Amz-Signature=0123abcd</Message></Error>"},)"
      R"({"at": "api", "times": 1, "status": 403, "body": ")" +
      back + R"("})");
  // Into a file, since nobody reads a pipe while the commands below run, and hooks say more than a pipe holds.
  const auto log = rig.directory() / "daemon.log";
  auto line = rig.command_line({"run", "--log-level", "debug"});
  line.insert(line.begin(), {"/bin/sh", "-c", "exec \"$@\" 2> \"$0\"", log.string()});
  Child daemon(line);
  const auto said = [&](const std::string& words) {
    return daemon.read_until([&](const Ended&) { return fs::exists(log) && says(read_file(log), words); });
  };
  REQUIRE(said(" published, "));
  const auto process = "/proc/" + std::to_string(daemon.pid());
  auto secrets = std::vector<std::string>{rig.first_secret(), rig.api_key(), "marked-webhook-token"};
  CHECK(leak_in(read_file(process + "/cmdline"), secrets).empty());
  if (::geteuid() == 0) CHECK(leak_in(read_file(process + "/environ"), secrets).empty());
  // A process of root shows no difference. For that case, the test of the package looks at the service.
  if (::geteuid() != 0) {
    CHECK_FALSE(may_dump_core(daemon.pid()));
    CHECK(may_dump_core(::getpid()));
  }
  for (const auto* path : {"/v1/status", "/v1/files", "/v1/history", "/metrics"})
    static_cast<void>(run({"curl", "-s", "--unix-socket", (rig.directory() / "config/control.sock").string(),
                           std::string("http://localhost") + path}));
  CHECK(rig.vtmirror({"secret", "rotate", "--log-level", "debug"}).status == 0);
  static_cast<void>(rig.set_secret("marked-typed-secret"));
  static_cast<void>(rig.vtmirror({"sync", "--log-level", "debug"}));
  CHECK(rig.vtmirror({"sync", "--log-level", "debug"}).status == 0);
  static_cast<void>(rig.vtmirror({"status"}));
  static_cast<void>(rig.vtmirror({"config", "show"}));
  static_cast<void>(rig.vtmirror({"config", "check"}));
  static_cast<void>(rig.vtmirror({"secret", "status"}));
  CHECK(said("VTMIRROR_CODE="));  // the hook ran, and printed its environment
  const auto mails = rig.directory() / "mails";
  CHECK(daemon.read_until([&](const Ended&) { return fs::exists(mails) && says(read_file(mails), "secret_expired"); }));
  CHECK(said("AccessDenied"));
  daemon.signal(SIGTERM);
  CHECK(daemon.wait().status == 0);

  rig.set("service", "proxy", "\"http://user:marked-proxy-password@localhost:1\"");
  rig.set("service", "token_url", "\"https://login.example/token\"");  // loopback is never reached through a proxy
  Child shut_out(rig.command_line({"sync", "--log-level", "debug"}));
  CHECK(shut_out.read_until([](const Ended& so_far) { return says(so_far.err, "next try"); }));
  shut_out.signal(SIGTERM);
  CHECK(shut_out.wait().status != 0);
  static_cast<void>(rig.vtmirror({"config", "show"}));
  // ~Rig looks through all of it.
}
