#include "control/caller.hpp"
#include "control/daemon.hpp"

#include <grp.h>
#include <sys/stat.h>

#include <doctest/doctest.h>

#include <filesystem>

namespace vtmirror::test {
namespace {

using base::Errc;

/// What listening there comes to, without a loop that runs.
class Attempt {
 public:
  explicit Attempt(const std::string& socket, const std::string& group = "", const std::string& metrics = "",
                   const std::string& web = "")
      : answers_(loop_), outcome_(control::serve(loop_, stop_, {socket, group, metrics, web}, answers_)) {}

  bool listens() const { return outcome_.has_value(); }
  Errc code() const { return outcome_.has_error() ? outcome_.error().code : Errc{}; }
  std::string detail() const { return outcome_.has_error() ? outcome_.error().detail : ""; }
  std::string subject() const { return outcome_.has_error() ? outcome_.error().subject : ""; }

 private:
  boost::asio::io_context loop_;
  ports::Stop stop_;
  ScriptedAnswers answers_;
  base::Result<std::unique_ptr<control::Server>> outcome_;
};

/// The process's umask for as long as this lives.
class Umask {
 public:
  explicit Umask(mode_t mask) : before_(::umask(mask)) {}
  ~Umask() { ::umask(before_); }
  Umask(const Umask&) = delete;
  Umask& operator=(const Umask&) = delete;

 private:
  mode_t before_;
};

struct stat file(const std::string& path) {
  struct stat found {};
  CHECK(::lstat(path.c_str(), &found) == 0);
  return found;
}

int bound_socket(const std::string& path, bool listens) {
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  CHECK(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  if (listens) CHECK(::listen(socket, 1) == 0);
  return socket;
}

std::size_t entries(const std::filesystem::path& directory) {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator(directory), std::filesystem::directory_iterator()));
}

std::string own_group() {
  const auto* group = ::getgrgid(::getegid());
  return group == nullptr ? "" : group->gr_name;
}

TEST_CASE("the socket is for its owner and the group that is named, whatever the umask") {
  for (const mode_t mask : {mode_t{0}, mode_t{0777}, mode_t{022}}) {
    const TemporaryDirectory directory;
    const auto path = (directory / "c.sock").string();
    const Umask umask(mask);
    {
      const Attempt alone(path);
      REQUIRE(alone.listens());
      CHECK((file(path).st_mode & 07777) == 0600);
    }
    const auto group = own_group();
    if (group.empty()) continue;
    const Attempt shared(path, group);
    REQUIRE(shared.listens());
    CHECK((file(path).st_mode & 07777) == 0660);
    CHECK(file(path).st_gid == ::getegid());
    CHECK(entries(directory.path()) == 1);
  }
}

TEST_CASE("a group that is not there is a mistake of the settings, and leaves no file") {
  const TemporaryDirectory directory;
  const Attempt attempt((directory / "c.sock").string(), "no-such-group-here");
  CHECK(attempt.code() == Errc::config);
  CHECK(attempt.detail().find("no-such-group-here") != std::string::npos);
  CHECK(entries(directory.path()) == 0);
}

TEST_CASE("a socket at which nobody listens any more is replaced") {
  const TemporaryDirectory directory;
  const auto path = (directory / "c.sock").string();
  ::close(bound_socket(path, true));
  const auto stale = file(path).st_ino;
  const Attempt attempt(path);
  CHECK(attempt.listens());
  CHECK(file(path).st_ino != stale);
  CHECK(Caller(path).send("status\n"));
}

TEST_CASE("a socket at which a process listens is left alone") {
  Daemon daemon;
  const Attempt second(daemon.path());
  CHECK(second.code() == Errc::locked);
  CHECK(second.detail().find(daemon.path()) != std::string::npos);
  CHECK(Caller(daemon.path()).get("/v1/status").status == 200);
}

TEST_CASE("a socket whose owner is too busy to accept is left alone") {
  const TemporaryDirectory directory;
  const auto path = (directory / "c.sock").string();
  const int busy = bound_socket(path, true);
  const Caller first(path), second(path);  // the queue is full
  CHECK(Attempt(path).code() == Errc::locked);
  ::close(busy);
}

TEST_CASE("a file that is not a socket is never replaced") {
  const TemporaryDirectory directory;
  const auto plain = directory / "plain";
  write_file(plain, "somebody's file");
  CHECK(Attempt(plain.string()).code() == Errc::config);
  CHECK(Attempt(plain.string()).subject() == plain.string());
  CHECK(read_file(plain) == "somebody's file");
  const auto link = directory / "link";
  std::filesystem::create_symlink(plain, link);
  CHECK(Attempt(link.string()).code() == Errc::config);
  CHECK(std::filesystem::is_symlink(link));
  CHECK(Attempt(directory.string()).code() == Errc::config);
  CHECK(entries(directory.path()) == 2);
}

TEST_CASE("a path that cannot hold a socket is an error") {
  const TemporaryDirectory directory;
  CHECK(Attempt("").code() == Errc::config);
  CHECK(Attempt((directory / std::string(120, 'x')).string()).code() == Errc::config);
  const auto missing = (directory / "missing/c.sock").string();
  const Attempt attempt(missing);
  CHECK(attempt.code() == Errc::io);
  CHECK(attempt.detail().starts_with(missing + ": "));
  CHECK(attempt.subject() == missing);
}

TEST_CASE("the longest path that the settings accept can be bound, whatever the process's number") {
  const TemporaryDirectory directory;
  constexpr std::size_t longest = 107;
  const auto begin = directory.string() + '/';
  REQUIRE(begin.size() < longest);
  const auto name = std::string(longest - begin.size(), 's');
  std::filesystem::create_directory(begin + name.substr(2));
  const auto deep = begin + name.substr(2) + "/s";
  for (const auto& path : {begin + name, deep}) {
    CAPTURE(path);
    REQUIRE(path.size() == longest);
    const Attempt attempt(path, "");
    CHECK(attempt.detail() == "");
    CHECK(attempt.listens());
    CHECK(Caller(path).send("x"));
    CHECK(entries(std::filesystem::path(path).parent_path()) == (path == deep ? 1 : 2));
  }
}

TEST_CASE("the socket's file goes with the server, but not when it is another's by then") {
  const TemporaryDirectory directory;
  const auto path = (directory / "c.sock").string();
  {
    const Attempt attempt(path);
    CHECK(attempt.listens());
  }
  CHECK(entries(directory.path()) == 0);
  int other = -1;
  {
    const Attempt attempt(path);
    std::filesystem::rename(path, path + ".old");  // keeps its number from being used again
    other = bound_socket(path, true);
  }
  CHECK(entries(directory.path()) == 2);
  CHECK(Caller(path).send("x"));
  ::close(other);
}

TEST_CASE("metrics are given on a loopback port, and nothing else is") {
  Setup setup;
  setup.metrics = "127.0.0.1:0";
  Daemon daemon(setup);
  Caller caller(daemon.metrics_port());
  const auto asked = [&caller](const std::string& method, const std::string& target) {
    caller.send(method + ' ' + target + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    return caller.reply(method != "HEAD");
  };
  CHECK(asked("GET", "/metrics").body == "vtmirror_up 1\n");
  CHECK(asked("HEAD", "/metrics").status == 200);
  CHECK(asked("POST", "/metrics").status == 405);
  for (const auto* target : {"/v1/status", "/v1/events", "/v1/files", "/"}) CHECK(asked("GET", target).status == 404);
  CHECK(asked("POST", "/v1/sync").status == 404);
  CHECK(daemon.on_loop([&] { return daemon.answers.cycles; }) == 0);
  Caller plain(daemon.metrics_port());
  plain.send("status\n");
  CHECK(plain.reply().status == 400);
}

TEST_CASE("clients of the metrics port take no place from those of the socket") {
  Setup setup;
  setup.metrics = "127.0.0.1:0";
  setup.rules.limits.clients = 1;
  Daemon daemon(setup);
  Caller on_socket(daemon.path());
  CHECK(on_socket.get("/v1/status").status == 200);
  const Caller one(daemon.metrics_port()), two(daemon.metrics_port());
  Caller scraper(daemon.metrics_port());
  scraper.send("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
  CHECK(scraper.reply().status == 200);
  CHECK(on_socket.get("/v1/status").status == 200);
}

TEST_CASE("metrics are given on loopback addresses only") {
  const TemporaryDirectory directory;
  const auto path = (directory / "c.sock").string();
  for (const auto* address :
       {"0.0.0.0:0", "[::]:0", "192.0.2.1:0", "[2001:db8::1]:0", "[::ffff:127.0.0.1]:0", "localhost:0", "127.0.0.1",
        "127.0.0.1:", ":0", "127.0.0.1:65536", "127.0.0.1:-1", "::1:0", "metrics.example:0"}) {
    INFO(address);
    CHECK(Attempt(path, "", address).code() == Errc::config);
    CHECK(entries(directory.path()) == 0);
  }
}

TEST_CASE("an address that this machine does not have is refused with its setting and what to do") {
  const TemporaryDirectory directory;
  const Attempt attempt((directory / "c.sock").string(), "", "", "192.0.2.9:9465");
  CHECK(attempt.code() == Errc::config);
  CHECK(attempt.detail().starts_with("control.web cannot be used: 192.0.2.9:9465: "));
  CHECK(attempt.detail().ends_with("\nset control.web to an address of this machine: `ip address` lists them"));
}

TEST_CASE("an address that only a network interface makes whole is refused with its setting") {
  const TemporaryDirectory directory;
  const Attempt attempt((directory / "c.sock").string(), "", "", "[fe80::1]:9465");
  CHECK(attempt.code() == Errc::config);
  CHECK(attempt.detail().starts_with("control.web cannot be used: [fe80::1]:9465: "));
}

TEST_CASE("a metrics port that is in use is an error") {
  Setup setup;
  setup.metrics = "127.0.0.1:0";
  Daemon daemon(setup);
  const TemporaryDirectory directory;
  const auto address = "127.0.0.1:" + std::to_string(daemon.metrics_port());
  const Attempt attempt((directory / "c.sock").string(), "", address);
  CHECK(attempt.code() == Errc::io);
  CHECK(attempt.detail().find(address) != std::string::npos);
}

}  // namespace
}  // namespace vtmirror::test
