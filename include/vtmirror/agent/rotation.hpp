// Changes the client secret (vtmirror-service(7) 4.4): requests a new one from the service, or accepts one from a
// person, and verifies it with a token request before it becomes the one in use. Promises that the old secret stays in
// use until then, that a new one is on disk before anything else happens, and that the service is asked once. Never
// prints a secret.
#pragma once

#include "vtmirror/agent/agent.hpp"
#include "vtmirror/ports/secrets.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/thread_pool.hpp>

#include <memory>
#include <optional>
#include <string>

namespace vtmirror::agent {

/// What a request to the service needs. Borrowed; all of it must outlive the request.
struct RequestPorts {
  ports::Clock& clock;
  ports::Dice& dice;
  ports::Http& http;
  ports::Journal& journal;
  std::optional<ports::Asking>* asking = nullptr;  ///< if set and not empty, kept up to date with the pauses
};

struct RotationSettings {
  ServiceSettings service;  ///< with the secret in use
  std::string credentials_path = "/v1/trade/credentials";
  std::string credentials_method = "PUT";
  std::string key_property = "cloudApiKeyValue";
  std::string email;
  std::optional<base::Date> secret_expires_on;  ///< as in the current settings
  std::optional<std::string> given;             ///< as `core::SecretIssue::given`
  friend bool operator==(const RotationSettings&, const RotationSettings&) = default;
};

class Rotation {
 public:
  Rotation(RequestPorts asking, boost::asio::thread_pool& pool, ports::Secrets& secrets, RotationSettings settings);
  ~Rotation();
  Rotation(const Rotation&) = delete;
  Rotation& operator=(const Rotation&) = delete;

  enum class Ready {
    to_ask,    ///< a token and space on disk are available
    finished,  ///< an unproved secret was found and is now in use: no request is needed
  };
  /// Everything that must succeed before a secret is requested. Errors: locked (another process changes the secret),
  /// forbidden (the secret in use is refused; or an unproved one is, which stays), io, and those of a token request.
  boost::asio::awaitable<base::Result<Ready>> prepare();
  /// After `prepare` returned `to_ask`: sends one request, whatever its result. Errors say whether a secret may have
  /// been issued.
  boost::asio::awaitable<base::Result<void>> ask();
  /// Whether that request was sent: if not, no secret was issued, and the request may be repeated.
  bool sent() const;

  /// `prepare` and `ask`, with their errors.
  boost::asio::awaitable<base::Result<void>> rotate();
  /// Sets a secret that a person received. Errors: forbidden, if the issuer refuses it; then nothing has changed.
  boost::asio::awaitable<base::Result<void>> set(base::Secret secret);
  /// Verifies a secret that an earlier process left unverified; false if there is none.
  boost::asio::awaitable<base::Result<bool>> finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace vtmirror::agent
