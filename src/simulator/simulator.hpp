// The running service: four listeners on loopback, the certificate, the log. Serves from construction to destruction,
// and leaves no thread behind.
#pragma once

#include "simulator/listener.hpp"
#include "simulator/request_log.hpp"
#include "simulator/service.hpp"
#include "simulator/wire.hpp"

#include "vtmirror/base/result.hpp"

#include <openssl/types.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace vtmirror::simulator {

struct Settings {
  Script script{};
  base::Date today{};
  std::string directory;  ///< must exist; certificate, key and log are written there
  bool plain = false;     ///< http instead of TLS
};

class Simulator {
 public:
  /// The service is running when this returns. Errors: io, tls.
  static base::Result<std::unique_ptr<Simulator>> start(Settings settings);
  ~Simulator();
  Simulator(const Simulator&) = delete;
  Simulator& operator=(const Simulator&) = delete;

  const Addresses& addresses() const noexcept { return addresses_; }
  const Identity& identity() const noexcept { return identity_; }
  std::string ca_file() const;
  std::string log_file() const { return settings_.directory + "/requests.jsonl"; }
  /// Also requested by POST /stop.
  StopSignal& stop() noexcept { return stop_; }

 private:
  explicit Simulator(Settings settings);
  base::Result<void> open();
  base::Result<void> load_certificate();
  base::Result<std::string> listen(At at);
  void serve(int socket, At at, std::uint64_t connection);
  void converse(class Wire& wire, At at, std::uint64_t connection);
  Answer answer(const Request& request);

  struct Free {
    void operator()(SSL_CTX* tls) const noexcept;
  };

  Settings settings_;
  Identity identity_;
  Addresses addresses_;
  Service service_;
  RequestLog log_;
  StopSignal stop_;
  Connections connections_;
  std::unique_ptr<SSL_CTX, Free> tls_;
  std::map<At, std::unique_ptr<Listener>> listeners_;
  std::atomic<std::uint64_t> connection_count_{0};
};

}  // namespace vtmirror::simulator
