#include "simulator/client.hpp"
#include "simulator/digest.hpp"
#include "simulator/simulator.hpp"
#include "simulator/write_config.hpp"
#include "simulator/zip_reader.hpp"

#include <doctest/doctest.h>
#include <openssl/bio.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <boost/json/parse.hpp>

#include <filesystem>
#include <memory>

namespace vtmirror::simulator {
namespace {

struct Directory {
  Directory() {
    path = (std::filesystem::temp_directory_path() / "simulator-test.XXXXXX").string();
    REQUIRE(mkdtemp(path.data()) != nullptr);
  }
  ~Directory() { std::filesystem::remove_all(path); }
  std::string path;
};

struct Freed {
  void operator()(BIO* bio) const noexcept { BIO_free_all(bio); }
  void operator()(SSL_CTX* tls) const noexcept { SSL_CTX_free(tls); }
};

/// A connection over OpenSSL's own client; nothing of the simulator's code.
class Line {
 public:
  Line(const std::string& address, const std::string& ca_file) {
    signal(SIGPIPE, SIG_IGN);  // the other side may be gone when this one says goodbye
    const std::string host = address.substr(address.find("://") + 3);
    if (address.starts_with("https")) {
      tls_.reset(SSL_CTX_new(TLS_client_method()));
      SSL_CTX_set_verify(tls_.get(), SSL_VERIFY_PEER, nullptr);
      REQUIRE(SSL_CTX_load_verify_locations(tls_.get(), ca_file.c_str(), nullptr) == 1);
      bio_.reset(BIO_new_ssl_connect(tls_.get()));
      SSL* ssl = nullptr;
      BIO_get_ssl(bio_.get(), &ssl);
      SSL_set1_host(ssl, "localhost");
    } else {
      bio_.reset(BIO_new(BIO_s_connect()));
    }
    BIO_set_conn_hostname(bio_.get(), host.c_str());
    connected_ = BIO_do_connect(bio_.get()) == 1;
  }
  bool connected() const { return connected_; }
  void send(const std::string& text) { REQUIRE(BIO_write(bio_.get(), text.data(), static_cast<int>(text.size())) > 0); }
  /// Up to the end of the connection, or to `body_limit` bytes of body.
  std::string receive(std::size_t body_limit = std::string::npos) {
    std::string all;
    std::string buffer(65'536, '\0');
    while (all.size() < body_limit || all.find("\r\n\r\n") + 4 + body_limit > all.size()) {
      const int count = BIO_read(bio_.get(), buffer.data(), static_cast<int>(buffer.size()));
      if (count <= 0) return all;
      all.append(buffer, 0, static_cast<std::size_t>(count));
    }
    return all;
  }

 private:
  std::unique_ptr<SSL_CTX, Freed> tls_;
  std::unique_ptr<BIO, Freed> bio_;
  bool connected_ = false;
};

/// A simulator in this process, and what a client of it does.
struct Running {
  explicit Running(const std::string& script, bool plain = false) {
    auto started = Simulator::start({.script = merge({}, script).value(),
                                     .today = base::parse_date("2026-11-18").value(),
                                     .directory = directory.path,
                                     .plain = plain});
    REQUIRE(started);
    simulator = std::move(*started);
  }

  std::string exchange(const std::string& address, const std::string& head, const std::string& body = {}) {
    Line line(address, simulator->ca_file());
    REQUIRE(line.connected());
    const std::string host = address.substr(address.find("://") + 3);
    line.send(head + "Host: " + host + "\r\nConnection: close\r\nContent-Length: " + std::to_string(body.size()) +
              "\r\n\r\n" + body);
    return line.receive();
  }
  static std::string body(const std::string& answer) { return answer.substr(answer.find("\r\n\r\n") + 4); }

  std::string link() {
    const Identity& identity = simulator->identity();
    const std::string form = "grant_type=client_credentials&client_id=" + identity.client_id +
                             "&client_secret=" + base::percent_encoded(identity.client_secrets[0]) +
                             "&scope=" + base::percent_encoded(identity.scope);
    const auto token = boost::json::parse(body(exchange(
        simulator->addresses().issuer,
        std::string("POST ") + token_path + " HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n", form)));
    const std::string text =
        body(exchange(simulator->addresses().api,
                      std::string("GET ") + listing_path + " HTTP/1.1\r\nX-API-Key: " + identity.api_key +
                          "\r\nAuthorization: Bearer " + std::string(token.at("access_token").as_string()) + "\r\n"));
    const std::string url(boost::json::parse(text).at("delta").at(1).at("downloadUrl").as_string());
    return url.substr(simulator->addresses().store.size());
  }
  std::string fetch(const std::string& more = {}) {
    return exchange(simulator->addresses().store, "GET " + link() + " HTTP/1.1\r\n" + more);
  }
  boost::json::value control(const std::string& what) {
    return boost::json::parse(body(exchange(simulator->addresses().control, what + " HTTP/1.1\r\n")));
  }

  Directory directory;
  std::unique_ptr<Simulator> simulator;
};

const char* const delta = "v1/public/delta/year=2026/month=11/day=16/delta-light-vehicle_16-11-2026.zip";

TEST_CASE("over TLS a client gets a token, a listing and a file with the expected digest") {
  Running running(R"({"delta_bytes":300000,"bulk_bytes":70000})");
  const std::string file = Running::body(running.fetch());
  CHECK(file.size() == 300'000);
  REQUIRE_NOTHROW(read_zip(file));
  CHECK(running.control("GET /files").at(delta).at("sha256") == sha256(file).c_str());
}

TEST_CASE("a client that does not trust the simulator's authority is not served") {
  Running running("{}");
  Directory other;
  REQUIRE(Simulator::start({.today = base::parse_date("2026-11-18").value(), .directory = other.path}));
  CHECK_FALSE(Line(running.simulator->addresses().api, other.path + "/ca.pem").connected());
  CHECK(Line(running.simulator->addresses().api, running.simulator->ca_file()).connected());
}

TEST_CASE("without TLS the same is served") {
  Running running(R"({"delta_bytes":5000})", true);
  CHECK(running.simulator->addresses().store.starts_with("http://localhost:"));
  CHECK(Running::body(running.fetch("Range: bytes=0-3\r\n")) == "PK\x03\x04");
}

TEST_CASE("two requests on one connection are both answered, and are logged as one connection") {
  Running running(R"({"delta_bytes":5000})");
  Line line(running.simulator->addresses().store, running.simulator->ca_file());
  line.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  CHECK(line.receive().find("HTTP/1.1 403", 10) != std::string::npos);
  const auto log = running.control("GET /requests");
  REQUIRE(log.as_array().size() == 2);
  CHECK(log.at(1).at("path") == "/b");
  CHECK(log.at(0).at("connection") == log.at(1).at("connection"));
}

TEST_CASE("the log contains each request and how much of its answer was sent, in the file and in the array") {
  Running running(R"({"delta_bytes":5000})");
  running.fetch("Range: bytes=10-19\r\nX-Odd: Yes\r\n");
  const auto log = running.control("GET /requests");
  REQUIRE(log.as_array().size() == 3);
  CHECK(log.at(0).at("at") == "issuer");
  CHECK(log.at(1).at("headers").as_object().contains("authorization"));
  const auto& last = log.at(2);
  CHECK(last.at("at") == "store");
  CHECK(last.at("range") == "bytes=10-19");
  CHECK(last.at("status") == 206);
  CHECK(last.at("sent") == 10);
  CHECK(last.at("complete") == true);
  CHECK(last.at("query") == true);
  CHECK(last.at("path") == (std::string("/") + delta).c_str());
  CHECK(last.at("headers").at("x-odd") == "Yes");
  CHECK_FALSE(last.at("headers").as_object().contains("authorization"));
  const std::string file = read_file(running.simulator->log_file()).value();
  CHECK(std::count(file.begin(), file.end(), '\n') == 3);
}

TEST_CASE("a connection that is cut delivers the bytes before the cut, and is logged as incomplete") {
  Running running(R"({"delta_bytes":900000,"faults":[{"at":"store","cut_after":700000}]})");
  CHECK(Running::body(running.fetch()).size() == 700'000);
  const auto log = running.control("GET /requests");
  CHECK(log.at(2).at("sent") == 700'000);
  CHECK(log.at(2).at("complete") == false);
  CHECK(log.at(2).at("fault") == "cut_after");
}

TEST_CASE("a transfer that stalls ends with the simulator at the latest") {
  Running running(R"({"delta_bytes":900000,"faults":[{"at":"store","stall_after":10}]})");
  Line line(running.simulator->addresses().store, running.simulator->ca_file());
  line.send("GET " + running.link() + " HTTP/1.1\r\nHost: " + running.simulator->addresses().store.substr(8) +
            "\r\n\r\n");
  CHECK(Running::body(line.receive(10)).size() == 10);
  const auto log = running.control("GET /requests");
  CHECK(log.at(2).at("complete") == false);
  running.simulator.reset();
  CHECK(line.receive().empty());
}

TEST_CASE("a byte that is turned over is the only one that is wrong") {
  Running good(R"({"delta_bytes":300000})");
  Running bad(R"({"delta_bytes":300000,"faults":[{"at":"store","flip_at":270000}]})");
  std::string expected = Running::body(good.fetch());
  expected[270'000] = static_cast<char>(~expected[270'000]);
  CHECK(Running::body(bad.fetch()) == expected);
}

TEST_CASE("an answer without a length comes in chunks and is whole") {
  Running running(R"({"delta_bytes":300000,"faults":[{"at":"store","no_length":true}]})");
  const std::string answer = running.fetch();
  CHECK(answer.find("Transfer-Encoding: chunked") != std::string::npos);
  CHECK(answer.find("Content-Length") == std::string::npos);
  CHECK(answer.find("\r\n\r\n40000\r\nPK") != std::string::npos);
  CHECK(answer.ends_with("\r\n0\r\n\r\n"));
}

TEST_CASE("a connection that is closed without an answer gives nothing") {
  Running running(R"({"faults":[{"at":"store","close":true}]})");
  CHECK(running.fetch().empty());
}

TEST_CASE("other faults reach the client as they were asked for") {
  Running running(
      R"({"delta_bytes":500,"faults":[{"at":"store","html":true},{"at":"store","redirect":"/elsewhere"},)"
      R"({"at":"store","huge_header":true},{"at":"store","status":503,"headers":{"Retry-After":"1"}},{"at":"store","rate":4000,"delay_ms":1}]})");
  CHECK(running.fetch().find("<form") != std::string::npos);
  CHECK(running.fetch().find("Location: /elsewhere\r\n") != std::string::npos);
  CHECK(running.fetch().size() > 262'144);
  CHECK(running.fetch().find("503 Service Unavailable\r\n") != std::string::npos);
  CHECK(Running::body(running.fetch()).size() == 500);
}

TEST_CASE("bytes that are not a request are answered with 400") {
  Running running("{}", true);
  Line line(running.simulator->addresses().api, "");
  line.send("this is no request\r\n\r\n");
  CHECK(line.receive().starts_with("HTTP/1.1 400 "));
}

TEST_CASE("the written configuration names the service, and its secrets are for their owner alone") {
  Running running("{}");
  const std::string place = running.directory.path + "/client";
  REQUIRE(write_config(*running.simulator, place, false));
  const std::string text = read_file(place + "/vtmirror.toml").value();
  CHECK(text.find("base_url = \"" + running.simulator->addresses().api + "\"") != std::string::npos);
  CHECK(text.find("ca_file = \"" + place + "/ca.pem\"") != std::string::npos);
  CHECK(text.find("allow_http") == std::string::npos);
  CHECK(read_file(place + "/client_secret").value() == running.simulator->identity().client_secrets[0] + "\n");
  for (const char* name : {"/client_secret", "/api_key"}) {
    struct stat about {};
    REQUIRE(stat((place + name).c_str(), &about) == 0);
    CHECK((about.st_mode & 0777) == 0600);
  }
}

}  // namespace
}  // namespace vtmirror::simulator
