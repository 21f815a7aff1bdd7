// The daemon as a user meets it: under a supervisor, at its socket, beside other commands, and when it is shut out or
// killed.
#include "end_to_end/rig.hpp"
#include "vtmirror/base/time.hpp"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <signal.h>

#include <array>
#include <chrono>
#include <cstring>
#include <stdexcept>

using namespace vtmirror::test;
namespace base = vtmirror::base;
namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

constexpr timeval longest_silence{20, 0};
/// Pings and progress come on and on: what is waited for comes among the first so many.
constexpr std::size_t most_messages = 1000;

/// The daemon asks the machine's clock: in a time zone where it is about noon, no day ends while a test runs.
struct Noon {
  Noon() {
    const auto now = std::chrono::system_clock::now();
    const auto hour = std::chrono::floor<std::chrono::hours>(now) - std::chrono::floor<std::chrono::days>(now);
    const auto east = std::chrono::hours(12) - hour;
    const auto count = east.count();
    zone =
        count == 0 ? "Etc/GMT" : "Etc/GMT" + (count > 0 ? "-" + std::to_string(count) : "+" + std::to_string(-count));
    today = base::Date(std::chrono::floor<std::chrono::days>(now + east));
  }
  std::string zone;
  base::Date today;
};

/// Every test begins on the fourth day after a bulk file: five files are listed, and the next day brings one more.
std::string script(const Noon& noon, const std::string& rest) {
  const auto weekday = std::chrono::weekday(std::chrono::sys_days(noon.today)).c_encoding();
  return R"({"bulk_bytes": 2000000, "delta_bytes": 100000, "bulk_weekday_offset": )" +
         std::to_string((weekday + 4) % 7) + rest + "}";
}

sockaddr_un address_of(const fs::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.string().size() >= sizeof address.sun_path)
    throw std::runtime_error("too long for a socket: " + path.string());
  std::memcpy(address.sun_path, path.c_str(), path.string().size());
  return address;
}

/// A socket of ours that gives up after a while.
class Socket {
 public:
  explicit Socket(int type) : number_(::socket(AF_UNIX, type | SOCK_CLOEXEC, 0)) {
    ::setsockopt(number_, SOL_SOCKET, SO_RCVTIMEO, &longest_silence, sizeof longest_silence);
  }
  ~Socket() { ::close(number_); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  bool connect(const fs::path& path) const {
    const auto address = address_of(path);
    return ::connect(number_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  void bind(const fs::path& path) const {
    const auto address = address_of(path);
    REQUIRE(::bind(number_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  }
  void send(const std::string& text) const {
    REQUIRE(::send(number_, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size()));
  }
  /// Empty at the end, and after a minute without a byte.
  std::string receive() const {
    std::array<char, 65536> buffer;
    const auto count = ::recv(number_, buffer.data(), buffer.size(), 0);
    return count > 0 ? std::string(buffer.data(), static_cast<std::size_t>(count)) : std::string();
  }

 private:
  int number_;
};

/// What the daemon tells those who follow it; the first event says how things stand.
class Events {
 public:
  explicit Events(const fs::path& path) : socket_(SOCK_STREAM) {
    REQUIRE(socket_.connect(path));
    socket_.send("GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }

  /// The next status of which `wanted` holds.
  template <class Wanted>
  json::object status(Wanted wanted) {
    for (std::size_t event = 0; event < most_messages; ++event) {
      const auto text = next();
      if (text.find("event: status\n") == std::string::npos) continue;
      auto status = json::parse(text.substr(text.find("data: ") + 6)).as_object();
      if (wanted(status)) return status;
    }
    throw std::runtime_error("the daemon never told the status that was waited for");
  }
  json::object state(const std::string& name) {
    return status([&](const json::object& status) { return status.at("state").as_string() == name; });
  }

 private:
  std::string next() {
    // Heartbeats go on for ever: what is waited for comes soon.
    while (std::chrono::steady_clock::now() < deadline_) {
      const auto end = text_.find("\n\n");
      if (end != std::string::npos) {
        auto event = text_.substr(0, end);
        text_.erase(0, end + 2);
        return event;
      }
      const auto more = socket_.receive();
      if (more.empty()) throw std::runtime_error("the daemon stopped telling: " + text_);
      text_ += more;
    }
    throw std::runtime_error("the daemon told nothing new for too long");
  }

  Socket socket_;
  std::string text_;
  std::chrono::steady_clock::time_point deadline_ = std::chrono::steady_clock::now() + std::chrono::seconds(20);
};

/// systemd's end of the notifications.
class Supervisor {
 public:
  explicit Supervisor(const fs::path& path) : socket_(SOCK_DGRAM) { socket_.bind(path); }
  /// What came up to and with the message in which `text` is.
  std::vector<std::string> until(const std::string& text) {
    std::vector<std::string> messages;
    while (messages.empty() || messages.back().find(text) == std::string::npos) {
      messages.push_back(socket_.receive());
      if (messages.back().empty() || messages.size() > most_messages)
        throw std::runtime_error("the daemon never notified of " + text);
    }
    return messages;
  }

 private:
  Socket socket_;
};

struct Site {
  /// `rest`: more of the simulator's script.
  explicit Site(const std::string& rest = "") : rig(script(noon, rest), base::iso8601(noon.today)) {
    rig.set("schedule", "time_zone", "\"" + noon.zone + "\"");
    rig.set("schedule", "at", "\"00:00\"");
    rig.set("schedule", "splay", "\"0s\"");
    rig.set("schedule", "give_up", "\"24h\"");
  }
  /// Until it answers.
  void start() {
    daemon = std::make_unique<Child>(rig.command_line({"run"}));
    if (!told("are read")) throw std::runtime_error("the daemon did not start: " + daemon->so_far().err);
  }
  bool told(const std::string& text) {
    return daemon->read_until([&](const Ended& e) { return e.err.find(text) != std::string::npos; });
  }
  Ended stop(int signal = SIGTERM) {
    daemon->signal(signal);
    return daemon->wait();
  }
  json::object status() { return json::parse(rig.vtmirror({"status", "--json"}).out).as_object(); }
  Ended curl(const std::string& path, std::vector<std::string> more = {}) {
    std::vector<std::string> line{"curl",          "-s",           "-w", "\n%{http_code}", "--max-time", "60",
                                  "--unix-socket", socket.string()};
    line.insert(line.end(), more.begin(), more.end());
    line.push_back("http://localhost" + path);
    return run(line);
  }

  Noon noon;
  Rig rig;
  fs::path socket = rig.directory() / "config/control.sock";
  std::unique_ptr<Child> daemon;
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

bool has_problem(const json::object& status, const std::string& code) {
  for (const auto& problem : status.at("problems").as_array())
    if (problem.as_object().at("code").as_string() == code) return true;
  return false;
}

constexpr char slow_bulk[] = R"(, "faults": [{"at": "store", "match": "bulk", "rate": 100000, "times": 0}])";

}  // namespace

TEST_CASE("the daemon makes up for a missed wake-up by itself, and then says that all is well") {
  Site site;
  site.start();
  const auto idle = Events(site.socket).state("idle");
  CHECK(idle.at("last_cycle").as_object().at("outcome").as_string() == "complete");
  CHECK(site.rig.held() == site.rig.upstream());
  CHECK(site.rig.held().size() == 5);

  const auto status = site.status();
  CHECK(status.at("state").as_string() == "idle");
  CHECK(status.at("cycle").is_null());
  CHECK(status.at("problems").as_array().empty());
  CHECK(status.at("mirror").as_object().at("files").as_int64() == 5);
  CHECK(status.at("chain").as_object().at("complete").as_bool());
  CHECK(status.at("chain").as_object().at("through").as_string() == base::iso8601(site.noon.today));
  const auto table = site.rig.vtmirror({"status"});
  CHECK(table.status == 0);
  CHECK(has(table.out, base::iso8601(site.noon.today)));
  const auto check = site.rig.vtmirror({"status", "--check"});
  CHECK(check.status == 0);
  CHECK(has(check.out, "VTMIRROR OK"));
  CHECK(has(check.out, " | age="));
  CHECK(site.stop().status == 0);
}

TEST_CASE("a day's wake-up that one process has made is not made again by the next") {
  Site site;
  REQUIRE(site.rig.vtmirror({"sync"}).status == 0);
  site.start();
  const auto idle = Events(site.socket).state("idle");
  CHECK(site.rig.requests("api").size() == 1);
  CHECK(idle.at("mirror").as_object().at("files").as_int64() == 5);
}

TEST_CASE("a supervisor hears READY when the daemon answers, pings, the reload and the end") {
  Site site(slow_bulk);
  const auto path = site.rig.directory() / "notify";
  Supervisor supervisor(path);
  Child daemon(site.rig.command_line({"run"}), {"NOTIFY_SOCKET=" + path.string(), "WATCHDOG_USEC=200000"});
  supervisor.until("READY=1");
  CHECK(Socket(SOCK_STREAM).connect(site.socket));
  CHECK_FALSE(supervisor.until("STATUS=").back() == "STATUS=");
  for (int ping = 0; ping < 3; ++ping) supervisor.until("WATCHDOG=1");

  daemon.signal(SIGHUP);
  CHECK(has(supervisor.until("RELOADING=1").back(), "MONOTONIC_USEC="));
  supervisor.until("READY=1");
  daemon.signal(SIGTERM);
  supervisor.until("STOPPING=1");
  CHECK(daemon.wait().status == 0);
}

TEST_CASE("curl and a plain line at the socket are answered") {
  Site site;
  site.start();
  Events(site.socket).state("idle");
  const auto status = site.curl("/v1/status");
  REQUIRE(status.status == 0);
  CHECK(status.out.ends_with("\n200"));
  CHECK(json::parse(status.out.substr(0, status.out.rfind('\n'))).as_object().at("state").as_string() == "idle");
  const auto metrics = site.curl("/metrics");
  CHECK(metrics.out.ends_with("\n200"));
  CHECK(has(metrics.out, "\nvtmirror_files 5\n"));
  CHECK(has(metrics.out, "\nvtmirror_chain_complete 1\n"));
  CHECK(has(metrics.out, "\nvtmirror_published_files_total 5\n"));
  for (const std::string place : {"/v1/files", "/v1/coverage", "/v1/history", "/v1/changes?since=0"}) {
    CAPTURE(place);
    CHECK(site.curl(place).out.ends_with("\n200"));
  }
  CHECK(site.curl("/v1/nothing").out.ends_with("\n404"));

  const Socket plain(SOCK_STREAM);
  REQUIRE(plain.connect(site.socket));
  plain.send("status\n");
  std::string table;
  for (auto more = plain.receive(); !more.empty(); more = plain.receive()) table += more;
  CHECK(has(table, base::iso8601(site.noon.today)));
  CHECK_FALSE(has(table, "HTTP/1.1"));
}

TEST_CASE("sync beside the daemon follows the daemon's cycle to its end, and a second daemon is refused") {
  Site site;
  site.start();
  Events(site.socket).state("idle");
  const auto tomorrow = base::iso8601(base::next_day(site.noon.today));
  site.rig.control("POST", "/date", R"({"date":")" + tomorrow + "\"}");
  const auto sync = site.rig.vtmirror({"sync"});
  CAPTURE(sync.err);
  CHECK(sync.status == 0);
  CHECK(has(sync.err, "a daemon holds the mirror"));
  CHECK(has(sync.err, "complete: 1 file"));
  CHECK(site.rig.held().size() == 6);
  CHECK(site.rig.held() == site.rig.upstream());
  CHECK(site.status().at("chain").as_object().at("through").as_string() == tomorrow);

  const auto second = site.rig.vtmirror({"run"});
  CHECK(second.status == 4);
  CHECK(has(second.err, std::to_string(site.daemon->pid())));
  CHECK(site.rig.vtmirror({"status"}).status == 0);
}

TEST_CASE("SIGTERM ends a cycle within five seconds, whoever follows it, and takes the socket file along") {
  Site site(slow_bulk);
  site.start();
  Events events(site.socket);
  // The deltas are there while the bulk file is still on its way.
  REQUIRE(site.told("published"));
  const auto status = site.status();
  CHECK(status.at("state").as_string() == "syncing");
  CHECK(status.at("cycle").is_object());
  std::int64_t before = -1;
  events.status([&before](const json::object& told) {
    if (!told.at("cycle").is_object()) return false;
    const auto received = told.at("cycle").as_object().at("received").to_number<std::int64_t>();
    if (before < 0) before = received;
    return received > before;
  });
  const auto signalled = std::chrono::steady_clock::now();
  const auto ended = site.stop();
  CHECK(std::chrono::steady_clock::now() - signalled < std::chrono::seconds(5));
  CAPTURE(ended.err);
  CHECK(ended.status == 0);
  CHECK_FALSE(fs::exists(fs::symlink_status(site.socket)));
  CHECK(site.rig.vtmirror({"status"}).status == 3);

  site.rig.control("POST", "/script", R"({"faults":[]})");
  site.start();
  // It goes on by itself.
  Events(site.socket).state("idle");
  CHECK(site.rig.held() == site.rig.upstream());
}

TEST_CASE("kill -9 leaves a socket file behind: nobody answers there, and the next daemon takes its place") {
  Site site(slow_bulk);
  site.start();
  REQUIRE(site.told("published"));
  CHECK(site.stop(SIGKILL).status == 128 + SIGKILL);
  CHECK(fs::is_socket(site.socket));
  CHECK(site.rig.vtmirror({"status"}).status == 3);
  site.rig.control("POST", "/script", R"({"faults":[]})");
  site.start();
  // It goes on by itself.
  Events(site.socket).state("idle");
  CHECK(site.rig.held() == site.rig.upstream());
}

TEST_CASE("new settings are taken on SIGHUP; wrong ones are refused whole, and the old ones stay") {
  Site site;
  site.start();
  Events events(site.socket);
  const auto old_wake = events.state("idle").at("next_wake").as_string();

  const auto good = read_file(site.rig.config());
  site.rig.set("schedule", "at", "\"23:59\"");
  site.rig.set("download", "connections", "\"many\"");
  site.daemon->signal(SIGHUP);
  REQUIRE(site.told("the new settings are refused"));
  const auto refused = site.curl("/v1/reload", {"-X", "POST"});
  CHECK(refused.out.ends_with("\n422"));
  CHECK(has(refused.out, "connections"));
  CHECK(site.status().at("next_wake").as_string() == old_wake);

  write_file(site.rig.config(), good);
  site.rig.set("control", "socket", "\"" + site.socket.string() + ".other\"");
  CHECK(has(site.curl("/v1/reload", {"-X", "POST"}).out, "control.socket"));

  write_file(site.rig.config(), good);
  site.rig.set("schedule", "at", "\"23:59\"");
  site.daemon->signal(SIGHUP);
  const auto status = events.status([&](const json::object& s) {
    return s.at("next_wake").is_string() && s.at("next_wake").as_string() != old_wake;
  });
  CHECK(std::string(status.at("next_wake").as_string()).substr(14, 2) == "59");
}

TEST_CASE("only root and the daemon's user may start a cycle; a member of the group may look") {
  if (::geteuid() != 0) {
    MESSAGE("skipped: only root can ask in another user's name");
    return;
  }
  Site site;
  site.rig.set("control", "group", "\"root\"");
  // A stranger in the socket's group must be able to come as far as the socket.
  for (const auto& directory : {site.rig.directory(), site.socket.parent_path()})
    fs::permissions(directory, fs::perms::others_exec | fs::perms::group_exec, fs::perm_options::add);
  site.start();
  Events(site.socket).state("idle");
  const auto as_stranger = [&](const std::string& method, const std::string& path) {
    return run({"setpriv", "--reuid=65534", "--regid=0", "--clear-groups", "curl", "-s", "-w", "\n%{http_code}", "-X",
                method, "--unix-socket", site.socket.string(), "http://localhost" + path});
  };
  CHECK(as_stranger("GET", "/v1/status").out.ends_with("\n200"));
  for (const std::string path : {"/v1/sync", "/v1/reload"}) {
    const auto refused = as_stranger("POST", path);
    CAPTURE(refused.out);
    CHECK(refused.out.ends_with("\n403"));
    CHECK(has(refused.out, "\"error\""));
  }
  CHECK(site.rig.requests("api").size() == 1);
  CHECK(site.curl("/v1/sync", {"-X", "POST"}).out.ends_with("\n202"));
}

TEST_CASE("a daemon that cannot start says why") {
  Site site;
  const auto socket = [&](const std::string& place) { site.rig.set("control", "socket", "\"" + place + "\""); };
  const auto fails = [&](int status, const std::string& reason) {
    const auto ended = site.rig.vtmirror({"run"});
    CAPTURE(ended.err);
    CHECK(ended.status == status);
    CHECK(has(ended.err, reason));
  };
  const auto missing = site.rig.directory() / "missing/control.sock";
  socket(missing.string());
  fails(1, missing.string());
  // Root may write everywhere but below a plain file.
  write_file(site.rig.directory() / "file", "");
  socket((site.rig.directory() / "file/control.sock").string());
  fails(1, "file/control.sock");
  socket((site.rig.directory() / "file").string());
  fails(2, "is no socket");
  socket(site.socket.string());
  site.rig.set("schedule", "time_zone", "\"Europe/Atlantis\"");
  fails(2, "Europe/Atlantis");
  CHECK(site.rig.requests().empty());
}

TEST_CASE("without a daemon, status ends with 3, and its check is unknown") {
  Site site;
  CHECK(site.rig.vtmirror({"status"}).status == 3);
  CHECK(site.rig.vtmirror({"status", "--json"}).status == 3);
  const auto check = site.rig.vtmirror({"status", "--check"});
  CHECK(check.status == 3);
  CHECK(has(check.out, "VTMIRROR UNKNOWN"));
}

TEST_CASE(
    "while today's delta is not listed the daemon waits for it; when it gives up, that is a problem until it comes") {
  const auto today = base::iso8601(Noon().today);
  Site site(R"(, "late": [")" + today + "\"]");
  site.start();
  Events events(site.socket);
  const auto waiting = events.state("waiting");
  CHECK(waiting.at("last_cycle").as_object().at("outcome").as_string() == "complete");
  CHECK(waiting.at("next_wake").is_string());
  CHECK(waiting.at("problems").as_array().empty());
  CHECK(site.rig.held().size() == 4);

  site.rig.set("schedule", "give_up", "\"6h\"");
  site.daemon->signal(SIGHUP);
  events.status([](const json::object& status) { return has_problem(status, "late_delta"); });
  CHECK(site.rig.vtmirror({"status", "--check"}).status == 1);

  site.rig.control("POST", "/script", R"({"late":[]})");
  CHECK(site.rig.vtmirror({"sync"}).status == 0);
  CHECK(site.rig.held().size() == 5);
  CHECK(site.told("late_delta is over"));
  CHECK(events.status([](const json::object& s) { return s.at("problems").as_array().empty(); }).at("cycle").is_null());
}

TEST_CASE("a cycle that fails is a problem until one is complete, and sync beside the daemon tells of both") {
  Site site(R"(, "faults": [{"at": "api", "status": 403, "times": 0}])");
  site.start();
  Events events(site.socket);
  CHECK(has_problem(events.state("waiting"), "cycle_failed"));
  CHECK(site.rig.vtmirror({"status", "--check"}).status == 2);
  CHECK(site.rig.vtmirror({"sync"}).status == 1);
  site.rig.control("POST", "/script", R"({"faults":[]})");
  CHECK(site.rig.vtmirror({"sync"}).status == 0);
  CHECK(site.told("cycle_failed is over"));
  CHECK(site.rig.vtmirror({"status", "--check"}).status == 0);
}
