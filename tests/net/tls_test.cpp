#include "net/tls.hpp"
#include "net/client.hpp"
#include "net/loopback.hpp"
#include "support/no_descriptors.hpp"

#include <doctest/doctest.h>

#include <openssl/pem.h>
#include <openssl/x509.h>
#include <stdlib.h>

#include <atomic>
#include <filesystem>
#include <iomanip>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

using namespace vtmirror;
using namespace vtmirror::test;
using base::Errc;

namespace {

std::string by_name(const LoopbackServer& server) {
  return "https://localhost:" + std::to_string(server.port()) + "/a";
}

base::Error refusal(const net::HttpSettings& settings, const std::string& url) {
  Client client(settings);
  const auto answer = client.get(url, 0, 5);
  REQUIRE(!answer);
  return answer.error();
}

/// Where OpenSSL looks for the system's certificates.
struct SystemCertificates {
  SystemCertificates(const std::string& directory, const std::string& file) {
    ::setenv("SSL_CERT_DIR", directory.c_str(), 1);
    ::setenv("SSL_CERT_FILE", file.c_str(), 1);
  }
  ~SystemCertificates() {
    ::unsetenv("SSL_CERT_DIR");
    ::unsetenv("SSL_CERT_FILE");
  }
  SystemCertificates(const SystemCertificates&) = delete;
  SystemCertificates& operator=(const SystemCertificates&) = delete;
};

/// Under which a directory has a certificate.
std::string link_name(const std::string& pem) {
  const std::unique_ptr<BIO, int (*)(BIO*)> text(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free);
  const openssl::X509Ptr certificate(PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr));
  std::ostringstream name;
  name << std::hex << std::setw(8) << std::setfill('0') << X509_subject_name_hash(certificate.get()) << ".0";
  return name.str();
}

}  // namespace

TEST_CASE("a certificate of the further authority is trusted, by name and by address") {
  const Trust trust;
  LoopbackServer server(store(10), ServerTls{trust.authority.issue()});
  Client client(trust.settings());
  for (const auto& url : {by_name(server), server.url("/a")}) {
    const auto answer = client.get(url, 0, 10);
    REQUIRE_MESSAGE(answer, answer.error().detail);
    CHECK(*client.body() == object_bytes(0, 10));
  }
}

TEST_CASE("a certificate for another name or address is refused, and the message says so") {
  const Trust trust;
  LoopbackServer server(store(10), ServerTls{trust.authority.issue({.names = "DNS:store.example,IP:127.0.0.9"})});
  const auto name = refusal(trust.settings(), by_name(server));
  CHECK(name.code == Errc::tls);
  CHECK(name.detail.find("localhost:") != std::string::npos);
  CHECK(name.detail.find("hostname mismatch") != std::string::npos);
  CHECK(name.diagnosis == base::Diagnosis::other_host);
  CHECK(name.service_code.empty());
  const auto address = refusal(trust.settings(), server.url("/a"));
  CHECK(address.code == Errc::tls);
  CHECK(address.detail.find("IP address mismatch") != std::string::npos);
  CHECK(address.diagnosis == base::Diagnosis::other_host);
}

TEST_CASE("a name that only stands in a certificate's subject is not enough, and the message says what is missing") {
  const Trust trust;
  for (const std::string names : {"", "DNS:server.example"}) {
    CAPTURE(names);
    LoopbackServer server(store(10), ServerTls{trust.authority.issue({.names = names, .subject = "localhost"})});
    const auto error = refusal(trust.settings(), by_name(server));
    CHECK(error.code == Errc::tls);
    CHECK((error.detail.find("has no subjectAltName") != std::string::npos) == names.empty());
    CHECK((error.detail.find("hostname mismatch") != std::string::npos) == !names.empty());
  }
  LoopbackServer server(store(10), ServerTls{trust.authority.issue({.names = "", .subject = "127.0.0.1"})});
  const auto error = refusal(trust.settings(), server.url("/a"));
  CHECK(error.code == Errc::tls);
  CHECK(error.diagnosis == base::Diagnosis::other_host);
  CHECK(error.detail.find("has no subjectAltName") != std::string::npos);
}

TEST_CASE("an expired certificate and one that is not valid yet are refused") {
  const Trust trust;
  LoopbackServer old(store(10), ServerTls{trust.authority.issue({.valid_from = -7200, .valid_until = -3600})});
  const auto expired = refusal(trust.settings(), old.url("/a"));
  CHECK(expired.code == Errc::tls);
  CHECK(expired.detail.find("certificate has expired") != std::string::npos);
  CHECK(expired.diagnosis == base::Diagnosis::outside_its_time);
  LoopbackServer early(store(10), ServerTls{trust.authority.issue({.valid_from = 7200})});
  const auto unripe = refusal(trust.settings(), early.url("/a"));
  CHECK(unripe.detail.find("not yet valid") != std::string::npos);
  CHECK(unripe.diagnosis == base::Diagnosis::outside_its_time);
}

TEST_CASE("the system's certificates are trusted, whether they are a directory, or one file, or both") {
  const Trust trust;
  LoopbackServer server(store(10), ServerTls{trust.authority.issue()});
  const TemporaryDirectory hashed, empty;
  std::filesystem::copy(trust.directory / "ca.pem", hashed / link_name(trust.authority.pem()));
  struct {
    std::string directory, file;
    bool trusted;
  } const systems[] = {{hashed.string(), "/nonexistent", true},
                       {empty.string(), trust.settings().ca_file, true},
                       {hashed.string(), trust.settings().ca_file, true},
                       {empty.string(), "/nonexistent", false}};
  for (const auto& system : systems) {
    CAPTURE(system.directory);
    CAPTURE(system.file);
    const SystemCertificates certificates(system.directory, system.file);
    Client client(quick());
    for (int time = 0; time < 2; ++time) CHECK(client.get(server.url("/a"), 0, 10).has_value() == system.trusted);
  }
}

TEST_CASE("a certificate of an unknown authority is refused") {
  const Trust trust;
  const Authority stranger;
  LoopbackServer server(store(10), ServerTls{stranger.issue()});
  CHECK(refusal(trust.settings(), server.url("/a")).code == Errc::tls);
  const auto error = refusal(quick(), server.url("/a"));
  CHECK(error.code == Errc::tls);
  CHECK(error.diagnosis == base::Diagnosis::unknown_authority);
}

TEST_CASE("a server that speaks nothing newer than TLS 1.1 is refused, TLS 1.2 is enough") {
  const Trust trust;
  LoopbackServer old(store(10), ServerTls{trust.authority.issue(), TLS1_1_VERSION});
  CHECK(refusal(trust.settings(), old.url("/a")).code == Errc::tls);
  LoopbackServer enough(store(10), ServerTls{trust.authority.issue(), TLS1_2_VERSION});
  Client client(trust.settings());
  REQUIRE(client.get(enough.url("/a"), 0, 10));
  CHECK(*client.body() == object_bytes(0, 10));
}

TEST_CASE("a server that speaks no TLS at all is a tls error") {
  LoopbackServer server([](Peer& peer) {
    peer.send("HTTP/1.1 400 Bad Request\r\n\r\n");
    peer.hang();
  });
  CHECK(refusal(quick(), by_name(server)).code == Errc::tls);
}

TEST_CASE("a server that hangs up during the handshake is unreachable") {
  LoopbackServer server([](Peer&) {});
  CHECK(refusal(quick(), by_name(server)).code == Errc::unreachable);
}

TEST_CASE("a body that ends with the connection is whole only where TLS was ended in good order") {
  const Trust trust;
  for (const bool in_good_order : {true, false}) {
    CAPTURE(in_good_order);
    LoopbackServer server(
        [in_good_order](Peer& peer) {
          peer.request();
          peer.send("HTTP/1.1 200 OK\r\n\r\nall of it");
          if (in_good_order) peer.farewell();
        },
        ServerTls{trust.authority.issue()});
    Client client(trust.settings());
    REQUIRE(client.get(server.url("/a"), 0, 9));
    const auto body = client.body();
    CHECK(body.has_value() == in_good_order);
    if (body) CHECK(*body == "all of it");
    if (!body) CHECK(body.error().code == Errc::unreachable);
  }
}

TEST_CASE("a second connection to a host resumes the first one's session") {
  const Trust trust;
  std::atomic<int> resumed = 0;
  LoopbackServer server(
      [&resumed](Peer& peer) {
        if (peer.resumed()) ++resumed;
        store(10)(peer);
      },
      ServerTls{trust.authority.issue()});
  Client client(trust.settings());
  for (int i = 0; i < 2; ++i) {
    REQUIRE(client.get(server.url("/a"), 0, 10));
    REQUIRE(client.body());
    client.lane->close();
  }
  CHECK(server.connections() == 2);
  CHECK(resumed == 1);
}

TEST_CASE("a file of authorities for which no descriptor is left is no mistake of the configuration") {
  const TemporaryDirectory directory;
  write_file(directory / "ca.pem", "this is no certificate\n");
  std::optional<NoDescriptors> no_descriptors(std::in_place);
  const auto made = net::Tls::make((directory / "ca.pem").string());
  no_descriptors.reset();
  REQUIRE(!made);
  CHECK(made.error().code == Errc::io);
  CHECK(made.error().detail == "ca_file " + (directory / "ca.pem").string() + ": Too many open files");
  CHECK(made.error().diagnosis == base::Diagnosis::open_files);
}

TEST_CASE("a file of authorities that cannot be read is a mistake of the configuration") {
  const TemporaryDirectory directory;
  write_file(directory / "no.pem", "this is no certificate\n");
  for (const std::string& file : {directory.string() + "/no.pem", directory.string() + "/missing.pem"}) {
    boost::asio::io_context loop;
    ports::Stop stop;
    const auto made = net::make_http(loop, stop, {.ca_file = file});
    REQUIRE(!made);
    CHECK(made.error().code == Errc::config);
    CHECK(made.error().detail.find(file) != std::string::npos);
  }
}
