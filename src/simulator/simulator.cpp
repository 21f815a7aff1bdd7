#include "simulator/simulator.hpp"

#include "simulator/certificate.hpp"
#include "simulator/send_answer.hpp"
#include "simulator/wire.hpp"
#include "vtmirror/base/time.hpp"

#include <openssl/ssl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <string>
#include <thread>

namespace vtmirror::simulator {
namespace {

/// A time in the form of HTTP's Date header: "Wed, 18 Nov 2026 08:07:12 GMT".
std::string http_date(base::Time time) {
  static constexpr std::array<const char*, 7> weekdays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr std::array<const char*, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const base::Date date(day);
  const std::string iso = base::iso8601(time);  // 2026-11-18T08:07:12Z
  return std::string(weekdays[std::chrono::weekday(day).c_encoding()]) + ", " + iso.substr(8, 2) + " " +
         months[static_cast<unsigned>(date.month()) - 1] + " " + iso.substr(0, 4) + " " + iso.substr(11, 8) + " GMT";
}

base::Time real_now() { return std::chrono::time_point_cast<base::Milliseconds>(std::chrono::system_clock::now()); }

// Blocks SIGPIPE in the calling thread: a client that disconnects must not end the program, and OpenSSL's writes have
// no flag against the signal.
void block_broken_pipe() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

// Chooses HTTP/1.1 if the client offers protocols (ALPN).
int choose_protocol(SSL*, const unsigned char** out, unsigned char* size, const unsigned char* offered,
                    unsigned offered_size, void*) {
  static constexpr unsigned char ours[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, size, ours, sizeof ours, offered, offered_size) != OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_NOACK;
  }
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

}  // namespace

void Simulator::Free::operator()(SSL_CTX* tls) const noexcept { SSL_CTX_free(tls); }

Simulator::Simulator(Settings settings)
    : settings_(std::move(settings)),
      identity_(make_identity()),
      service_(settings_.script, settings_.today, identity_) {}

base::Result<std::unique_ptr<Simulator>> Simulator::start(Settings settings) {
  std::unique_ptr<Simulator> simulator(new Simulator(std::move(settings)));
  if (const auto opened = simulator->open(); !opened) return opened.error();
  return simulator;
}

Simulator::~Simulator() {
  stop_.request();
  for (auto& [at, listener] : listeners_) listener->stop();
  connections_.end_all();
}

std::string Simulator::ca_file() const { return settings_.plain ? "" : settings_.directory + "/ca.pem"; }

base::Result<void> Simulator::open() {
  if (const auto opened = log_.open(log_file()); !opened) return opened.error();
  if (!settings_.plain) {
    if (const auto loaded = load_certificate(); !loaded) return loaded.error();
  }
  const std::map<At, std::string*> places{{At::api, &addresses_.api},
                                          {At::issuer, &addresses_.issuer},
                                          {At::store, &addresses_.store},
                                          {At::control, &addresses_.control}};
  for (const auto& [at, place] : places) {
    auto address = listen(at);
    if (!address) return address.error();
    *place = std::move(*address);
  }
  service_.set_addresses(addresses_);
  for (auto& [at, listener] : listeners_) {
    listener->start([this, where = at](int socket) {
      std::thread(&Simulator::serve, this, socket, where, ++connection_count_).detach();
    });
  }
  return {};
}

base::Result<void> Simulator::load_certificate() {
  if (const auto made = make_certificates(settings_.directory); !made) return made.error();
  tls_.reset(SSL_CTX_new(TLS_server_method()));
  SSL_CTX* tls = tls_.get();
  SSL_CTX_set_min_proto_version(tls, TLS1_2_VERSION);
  SSL_CTX_set_options(tls, SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_ciphersuites(tls, "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256");
  SSL_CTX_set_alpn_select_cb(tls, choose_protocol, nullptr);
  const std::string certificate = settings_.directory + "/server.pem";
  const std::string key = settings_.directory + "/server.key";
  const bool loaded = SSL_CTX_use_certificate_chain_file(tls, certificate.c_str()) == 1 &&
                      SSL_CTX_use_PrivateKey_file(tls, key.c_str(), SSL_FILETYPE_PEM) == 1;
  if (!loaded) return base::Error{base::Errc::tls, "cannot use " + certificate};
  return {};
}

base::Result<std::string> Simulator::listen(At at) {
  auto listener = Listener::open();
  if (!listener) return listener.error();
  const std::string port = std::to_string((*listener)->port());
  listeners_[at] = std::move(*listener);
  if (at == At::control) return "http://127.0.0.1:" + port;
  return (settings_.plain ? "http://localhost:" : "https://localhost:") + port;
}

void Simulator::serve(int socket, At at, std::uint64_t connection) {
  block_broken_pipe();
  if (!connections_.add(socket)) {
    ::close(socket);
    return;
  }
  {
    Wire wire(socket, at == At::control ? nullptr : tls_.get());
    if (wire.open()) converse(wire, at, connection);
  }
  connections_.remove(socket);
}

void Simulator::converse(Wire& wire, At at, std::uint64_t connection) {
  RequestReader reader(wire, at);
  while (const auto request = reader.next()) {
    const Answer answer = this->answer(*request);
    const Exchange exchange{.wire = wire,
                            .stop = stop_,
                            .head_only = request->method == "HEAD",
                            .keep_alive = reader.keep_alive(),
                            .date = http_date(real_now())};
    const Sent sent = [&](std::uint64_t bytes, bool complete) {
      const LogEntry entry{.connection = connection, .sent = bytes, .complete = complete};
      if (at != At::control) log_.add(*request, answer, entry);
    };
    const bool stays = send_answer(exchange, answer, sent);
    if (at == At::control && request->path == "/stop") stop_.request();
    if (!stays) return;
  }
  if (reader.malformed()) wire.write("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
  wire.close();
}

Answer Simulator::answer(const Request& request) {
  if (request.at != At::control) return service_.answer(request, real_now());
  if (request.path == "/requests") return text_answer(200, "application/json", log_.array());
  if (request.path == "/stop" && request.method == "POST")
    return text_answer(200, "application/json", "{\"ok\":true}\n");
  return service_.control(request, real_now());
}

}  // namespace vtmirror::simulator
