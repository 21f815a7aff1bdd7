// A stop takes five seconds at most, whatever the daemon waits for or reads.
#include "end_to_end/daemon_site.hpp"
#include "support/skip.hpp"

#include <arpa/nameser.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sqlite3.h>

#include <array>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>

using namespace vtmirror::test;

namespace {

/// Two name servers of this process alone that receive every question and answer none.
class SilentNameServers {
 public:
  SilentNameServers() {
    for (std::size_t i = 0; i < sockets_.size(); ++i) {
      sockaddr_in address{};
      address.sin_family = AF_INET;
      address.sin_port = htons(NS_DEFAULTPORT);
      address.sin_addr.s_addr = htonl(number(i));
      sockets_[i] = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
      ::setsockopt(sockets_[i], SOL_SOCKET, SO_RCVTIMEO, &longest_silence, sizeof longest_silence);
      bound_ = bound_ && ::bind(sockets_[i], reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    }
  }
  ~SilentNameServers() {
    for (const int socket : sockets_) ::close(socket);
  }
  SilentNameServers(const SilentNameServers&) = delete;
  SilentNameServers& operator=(const SilentNameServers&) = delete;

  bool bound() const { return bound_; }
  /// Waits for the first question.
  bool asked() const {
    std::array<char, 512> question{};
    return ::recv(sockets_[0], question.data(), question.size(), 0) > 0;
  }
  std::string resolv_conf() const {
    std::string text;
    for (std::size_t i = 0; i < sockets_.size(); ++i) {
      const auto address = number(i);
      text += "nameserver 127." + std::to_string(address >> 16 & 255) + '.' + std::to_string(address >> 8 & 255) + '.' +
              std::to_string(address & 255) + '\n';
    }
    return text;
  }

 private:
  /// 127.64.0.0 and above, by this process's number.
  static std::uint32_t number(std::size_t i) {
    return 0x7f400000U + (static_cast<std::uint32_t>(::getpid()) & 0x1fffffU) * 2 + static_cast<std::uint32_t>(i);
  }

  std::array<int, 2> sockets_{-1, -1};
  bool bound_ = true;
};

/// A command that runs with another file in the place of /etc/resolv.conf.
std::vector<std::string> with_resolv_conf(const fs::path& file, const std::vector<std::string>& command) {
  std::vector<std::string> line{
      "unshare", "--mount", "/bin/sh", "-c", R"(mount --bind "$0" /etc/resolv.conf && exec "$@")", file.string()};
  line.insert(line.end(), command.begin(), command.end());
  return line;
}

/// A file without any bytes on the disk that is gone before the rig looks through all files.
struct HugeFile {
  HugeFile(fs::path place, std::uintmax_t size) : path(std::move(place)) {
    write_file(path, "");
    fs::resize_file(path, size, refused);
  }
  ~HugeFile() {
    std::error_code ignored;
    fs::remove(path, ignored);
  }
  HugeFile(const HugeFile&) = delete;
  HugeFile& operator=(const HugeFile&) = delete;
  const fs::path path;
  std::error_code refused;
};

/// Sends SIGTERM, and checks that the daemon ends well and soon.
void stops_soon(Child& daemon) {
  const auto signalled = std::chrono::steady_clock::now();
  daemon.signal(SIGTERM);
  const auto ended = daemon.wait();
  CAPTURE(ended.err);
  CHECK(std::chrono::steady_clock::now() - signalled < std::chrono::seconds(5));
  CHECK(ended.status == 0);
}

}  // namespace

TEST_CASE("a stop does not wait for name servers that are silent") {
  Site site;
  const SilentNameServers servers;
  const auto resolv_conf = site.rig.directory() / "resolv.conf";
  write_file(resolv_conf, servers.resolv_conf());
  if (!servers.bound()) return skip("only root can be a name server");
  if (run(with_resolv_conf(resolv_conf, {"true"})).status != 0)
    return skip("this machine does not let us mount a file");
  site.rig.set("service", "token_url", "\"https://login.silent.example/token\"");
  Child daemon(with_resolv_conf(resolv_conf, site.rig.command_line({"run"})));
  REQUIRE(servers.asked());
  stops_soon(daemon);
}

TEST_CASE("a stop does not wait for a program that holds the catalogue's lock") {
  Site site(R"(, "faults": [{"at": "store", "rate": 20000, "times": 0}])");
  site.start();
  REQUIRE(site.logged("downloading"));
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open((site.rig.directory() / "config/state/catalogue.db").c_str(), &database) == SQLITE_OK);
  sqlite3_busy_timeout(database, 5000);
  REQUIRE(sqlite3_exec(database, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr) == SQLITE_OK);
  REQUIRE(site.logged("database is locked; next try"));
  stops_soon(*site.daemon);
  sqlite3_exec(database, "ROLLBACK", nullptr, nullptr, nullptr);
  sqlite3_close(database);
  site.rig.control("POST", "/script", R"({"faults": []})");
  CHECK(site.rig.vtmirror({"sync"}).status == 0);
}

TEST_CASE("a stop does not wait for a start that reads a file of 40 GB") {
  Site site;
  site.rig.set("control", "group", "\"\"");
  REQUIRE(site.rig.vtmirror({"sync"}).status == 0);
  // Older than all others, and so the first to be read.
  const std::string name = "v1/public/bulk/year=2020/month=11/day=15/bulk-light-vehicle_15-11-2020.zip";
  const HugeFile huge(site.rig.mirror() / name, 40'000'000'000);
  if (huge.refused) return skip("the file system has no file of 40 GB: " + huge.refused.message());
  std::ofstream(site.rig.mirror() / "SHA256SUMS", std::ios::app) << std::string(64, 'a') << "  " << name << '\n';
  for (const auto* file : {"catalogue.db", "catalogue.db-wal", "catalogue.db-shm"})
    fs::remove(site.rig.directory() / "config/state" / file);
  site.start();
  REQUIRE(site.logged("rebuilding it from the files on disk"));
  stops_soon(*site.daemon);
  // It was under way: the catalogue is still to be rebuilt.
  site.start();
  CHECK(site.logged("rebuilding it from the files on disk"));
  CHECK(site.status().at("state").as_string() == "starting");
  stops_soon(*site.daemon);
}
