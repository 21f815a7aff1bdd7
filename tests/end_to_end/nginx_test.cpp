// A store that is not of this project: nginx with signed, expiring links (secure_link) over TLS, and the answers that
// it gives by itself.
#include "end_to_end/listener.hpp"
#include "end_to_end/rig.hpp"
#include "support/skip.hpp"

#include <doctest/doctest.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <signal.h>

#include <array>
#include <ctime>
#include <set>
#include <sstream>

using namespace vtmirror::test;
namespace fs = std::filesystem;

namespace {

constexpr char word[] = "a-word-of-this-test";

/// secure_link's signature: the MD5 of expiry, path and word, in URL-safe base64.
std::string signature(const std::string& path, std::time_t expires) {
  const auto text = std::to_string(expires) + path + " " + word;
  std::array<unsigned char, 16> digest{};
  EVP_Digest(text.data(), text.size(), digest.data(), nullptr, EVP_md5(), nullptr);
  std::array<unsigned char, 32> encoded{};
  EVP_EncodeBlock(encoded.data(), digest.data(), static_cast<int>(digest.size()));
  std::string result(reinterpret_cast<const char*>(encoded.data()), 22);
  for (auto& c : result) c = c == '+' ? '-' : c == '/' ? '_' : c;
  return result;
}

/// An entry of the listing.
std::string listed(const std::string& name, const std::string& link, std::uintmax_t size) {
  const auto base = fs::path(name).stem().string();
  const auto date =
      base.substr(base.size() - 4) + "-" + base.substr(base.size() - 7, 2) + "-" + base.substr(base.size() - 10, 2);
  return R"({"filename":")" + name + R"(","downloadUrl":")" + link + R"(","fileSize":)" + std::to_string(size) +
         R"(,"fileCreatedOn":")" + date + "\"}";
}

class NginxStore {
 public:
  /// `store_rules`: more for the store's location; `rules`: for all of nginx.
  explicit NginxStore(Rig& rig, const std::string& store_rules = "", const std::string& rules = "")
      : rig_(rig), root_(rig.directory() / "nginx") {
    fs::create_directories(root_ / "www/store");
    fs::create_directories(root_ / "temp");
    write_file(root_ / "nginx.conf", configuration(store_rules, rules));
    nginx_ = std::make_unique<Child>(std::vector<std::string>{"/usr/sbin/nginx", "-p", root_.string(), "-c",
                                                              (root_ / "nginx.conf").string(), "-e", "stderr"},
                                     std::vector<std::string>{"NGINX=" + std::to_string(listener_.socket()) + ";"});
  }

  std::string origin() const { return "https://localhost:" + std::to_string(listener_.port()); }

  /// Lists the files below www/store, with links that end at `expires`, and lead to another port if one is given.
  void list(std::time_t expires, int port = 0) {
    const auto origin = "https://localhost:" + std::to_string(port == 0 ? listener_.port() : port);
    std::string bulk;
    std::string delta;
    for (const auto& entry : fs::recursive_directory_iterator(root_ / "www/store")) {
      if (!entry.is_regular_file()) continue;
      const auto name = fs::relative(entry.path(), root_ / "www/store").string();
      const auto path = "/store/" + name;
      const auto link = origin + path + "?md5=" + signature(path, expires) + "&expires=" + std::to_string(expires);
      auto& rows = entry.path().filename().string().starts_with("bulk") ? bulk : delta;
      if (!rows.empty()) rows += ",";
      rows += listed(name, link, entry.file_size());
    }
    write_file(root_ / "www/listing.json", R"({"bulk":[)" + bulk + R"(],"delta":[)" + delta + "]}");
  }

  fs::path store() const { return root_ / "www/store"; }
  std::string log() const { return read_file(root_ / "access.log"); }
  int port() const { return listener_.port(); }
  /// How many connections have asked for the bulk file.
  std::size_t connections_to_the_bulk_file() const {
    std::set<std::string> numbers;
    std::istringstream lines(log());
    for (std::string line; std::getline(lines, line);)
      if (line.find("/bulk/") != std::string::npos) numbers.insert(line.substr(line.rfind(' ')));
    return numbers.size();
  }

 private:
  std::string configuration(const std::string& store_rules, const std::string& rules) const {
    const auto at = [this](const std::string& name) { return (root_ / name).string(); };
    const auto state = rig_.directory() / "simulator";
    return "daemon off; user root; worker_processes 1; pid " + at("pid") + ";\nevents {}\nhttp {\n" + rules +
           "log_format short '$request_method $uri $status $http_range $connection';\naccess_log " + at("access.log") +
           " short;\n" + "client_body_temp_path " + at("temp") + "; proxy_temp_path " + at("temp") +
           "; fastcgi_temp_path " + at("temp") + "; uwsgi_temp_path " + at("temp") + "; scgi_temp_path " + at("temp") +
           ";\nserver {\nlisten 127.0.0.1:" + std::to_string(listener_.port()) + " ssl; root " + at("www") +
           ";\nssl_certificate " + (state / "server.pem").string() + "; ssl_certificate_key " +
           (state / "server.key").string() + ";\n" +
           "location = /token { default_type application/json; return 200 "
           "'{\"token_type\":\"Bearer\",\"expires_in\":3599,"
           "\"access_token\":\"t\"}'; }\n"
           "location = /v1/trade/vehicles/bulk-download { default_type application/json; alias " +
           at("www/listing.json") +
           "; }\n"
           "location /store/ { secure_link $arg_md5,$arg_expires; secure_link_md5 \"$secure_link_expires$uri " +
           word +
           "\";\n"
           "if ($secure_link = \"\") { return 403; } if ($secure_link = \"0\") { return 410; }\n" +
           store_rules + "}\n}\n}\n";
  }

  Rig& rig_;
  fs::path root_;
  Listener listener_;
  std::unique_ptr<Child> nginx_;
};

/// Moves files that the simulator made to nginx, and leaves the mirror empty.
void move_files_to(Rig& rig, const NginxStore& store) {
  REQUIRE(rig.vtmirror({"sync"}).status == 0);
  fs::rename(rig.mirror() / "v1", store.store() / "v1");
  fs::remove_all(rig.directory() / "config/state");
  rig.set("service", "base_url", '"' + store.origin() + '"');
  rig.set("service", "token_url", '"' + store.origin() + "/token\"");
}

std::map<std::string, std::string> stored(const NginxStore& store) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(store.store()))
    if (entry.is_regular_file()) files[fs::relative(entry.path(), store.store()).string()] = sha256_of(entry.path());
  return files;
}

/// Runs a cycle that chooses the number of connections by itself and leaves every file right. Returns over how many
/// connections it asked for the bulk file.
std::size_t connections_of_a_cycle(Rig& rig, const NginxStore& nginx) {
  rig.set("download", "connections", "0");
  const auto ended = rig.vtmirror({"sync"});
  CAPTURE(ended.err);
  CHECK(ended.status == 0);
  CHECK(rig.held() == stored(nginx));
  return nginx.connections_to_the_bulk_file();
}

constexpr char content[] = R"({"bulk_bytes": 20000000, "delta_bytes": 300000})";

}  // namespace

TEST_CASE(
    "a cycle against nginx with signed links leaves every file byte for byte, and the second asks the store for "
    "nothing") {
  if (const auto why = absent("nginx", "nginx")) return skip(*why);
  Rig rig(content);
  NginxStore nginx(rig);
  move_files_to(rig, nginx);
  nginx.list(std::time(nullptr) + 300);
  auto ended = rig.vtmirror({"sync"});
  CAPTURE(ended.err);
  REQUIRE(ended.status == 0);
  CHECK(rig.held() == stored(nginx));
  CHECK(rig.held().size() == 5);
  const auto log = nginx.log();
  CHECK(log.find(" 206 bytes=") != std::string::npos);
  ended = rig.vtmirror({"sync"});
  CHECK(ended.status == 0);
  CHECK(nginx.log().find("/store/", log.size()) == std::string::npos);
}

TEST_CASE("nginx says that links have ended: one fresh listing is tried, then it is given up for this cycle") {
  if (const auto why = absent("nginx", "nginx")) return skip(*why);
  Rig rig(content);
  NginxStore nginx(rig);
  move_files_to(rig, nginx);
  nginx.list(std::time(nullptr) - 10);
  auto ended = rig.vtmirror({"sync"});
  CAPTURE(ended.err);
  CHECK(ended.status == 1);
  CHECK(ended.err.find(" answered HTTP 4") != std::string::npos);
  CHECK(rig.held().empty());
  const auto log = nginx.log();
  const auto count = [&log](const std::string& text) {
    int found = 0;
    for (auto at = log.find(text); at != std::string::npos; at = log.find(text, at + 1)) ++found;
    return found;
  };
  CHECK(count(" 410 ") >= 5);
  CHECK(count(" 410 ") <= 10);
  CHECK(count("bulk-download") <= 6);
  nginx.list(std::time(nullptr) + 300);
  CHECK(rig.vtmirror({"sync"}).status == 0);
  CHECK(rig.held() == stored(nginx));
}

TEST_CASE("nginx that ignores ranges is read whole over one connection a file") {
  if (const auto why = absent("nginx", "nginx")) return skip(*why);
  Rig rig(content);
  NginxStore nginx(rig, "max_ranges 0;");
  move_files_to(rig, nginx);
  nginx.list(std::time(nullptr) + 300);
  const auto ended = rig.vtmirror({"sync"});
  CAPTURE(ended.err);
  CHECK(ended.status == 0);
  CHECK(rig.held() == stored(nginx));
  CHECK(nginx.log().find(" 206 ") == std::string::npos);
}

TEST_CASE("a store that allows four connections is asked over as many, and no file fails for the others") {
  if (const auto why = absent("nginx", "nginx")) return skip(*why);
  // Large enough that more than four connections are tried, however slowly their number grows.
  Rig rig(R"({"bulk_bytes": 120000000, "delta_bytes": 300000})");
  NginxStore nginx(rig, "limit_rate 5m; limit_conn each 4;", "limit_conn_zone $binary_remote_addr zone=each:1m;");
  move_files_to(rig, nginx);
  nginx.list(std::time(nullptr) + 300);
  const auto ended = rig.vtmirror({"sync"});
  CAPTURE(ended.err);
  CHECK(ended.status == 0);
  CHECK(rig.held() == stored(nginx));
  // It tried more than four, was refused, and did not try again and again.
  const auto log = nginx.log();
  int refusals = 0;
  for (auto at = log.find(" 503 "); at != std::string::npos; at = log.find(" 503 ", at + 1)) ++refusals;
  CHECK(refusals >= 1);
  CHECK(refusals <= 12);
}

TEST_CASE("a store that limits each connection is asked over more of them, as long as each adds to the rate") {
  if (const auto why = absent("nginx", "nginx")) return skip(*why);
  Rig rig(R"({"bulk_bytes": 30000000, "delta_bytes": 300000})");
  NginxStore nginx(rig, "limit_rate 2m;");
  move_files_to(rig, nginx);
  nginx.list(std::time(nullptr) + 300);
  CHECK(connections_of_a_cycle(rig, nginx) >= 3);
}

TEST_CASE("a store that is far away is asked over more connections, and every byte is right") {
  if (const auto why = absent("nginx", "nginx")) return skip(*why);
  Rig rig(R"({"bulk_bytes": 30000000, "delta_bytes": 300000})");
  NginxStore nginx(rig);
  move_files_to(rig, nginx);
  constexpr char round_trip_ms[] = "80";
  constexpr char window_kib[] = "256";
  Child line({VTMIRROR_FAR_LINE, std::to_string(nginx.port()), round_trip_ms, window_kib});
  REQUIRE(line.read_until([](const Ended& said) { return said.out.ends_with("\n"); }));
  nginx.list(std::time(nullptr) + 300, std::stoi(line.so_far().out));
  CHECK(connections_of_a_cycle(rig, nginx) >= 3);
}

TEST_CASE("a store that allows one connection serves the deltas first, and no file fails for the others") {
  if (const auto why = absent("nginx", "nginx")) return skip(*why);
  for (const std::string connections : {"0", "4"}) {
    CAPTURE(connections);
    Rig rig(R"({"bulk_bytes": 12000000, "delta_bytes": 300000})");
    NginxStore nginx(rig, "limit_rate 4m; limit_conn each 1;", "limit_conn_zone $binary_remote_addr zone=each:1m;");
    move_files_to(rig, nginx);
    nginx.list(std::time(nullptr) + 300);
    rig.set("download", "connections", connections);
    rig.set("download", "attempts", "3");
    const auto ended = rig.vtmirror({"sync"});
    CAPTURE(ended.err);
    CHECK(ended.status == 0);
    CHECK(rig.held() == stored(nginx));
    CHECK(ended.err.rfind("published bulk") > ended.err.rfind("published delta"));
  }
}

TEST_CASE(
    "a file replaced under nginx during its download is downloaded from the beginning, and its bytes are never mixed") {
  if (const auto why = absent("nginx", "nginx")) return skip(*why);
  Rig rig(content);
  NginxStore nginx(rig, "limit_rate 6m;");
  move_files_to(rig, nginx);
  nginx.list(std::time(nullptr) + 300);
  rig.set("download", "connections", "1");
  Child sync(rig.command_line({"sync"}));
  REQUIRE(sync.read_until([](const Ended& e) { return e.err.find("published delta 18 Nov") != std::string::npos; }));
  sync.signal(SIGTERM);
  CHECK(sync.wait().status == 1);

  // Other bytes of the same length: only the ETag shows that the file was replaced.
  Rig other(R"({"seed": 2, "bulk_bytes": 20000000, "delta_bytes": 300000})");
  REQUIRE(other.vtmirror({"sync"}).status == 0);
  const auto bulk = fs::path("v1/public/bulk/year=2026/month=11/day=15/bulk-light-vehicle_15-11-2026.zip");
  REQUIRE(fs::file_size(other.mirror() / bulk) == fs::file_size(nginx.store() / bulk));
  fs::remove(nginx.store() / bulk);
  fs::copy_file(other.mirror() / bulk, nginx.store() / bulk);
  fs::last_write_time(nginx.store() / bulk, fs::last_write_time(nginx.store() / bulk) + std::chrono::hours(1));

  const auto ended = rig.vtmirror({"sync"});
  CAPTURE(ended.err);
  CHECK(ended.status == 0);
  CHECK(ended.err.find("starts over") != std::string::npos);
  CHECK(rig.held() == stored(nginx));
}
