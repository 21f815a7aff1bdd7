// The whole service, without sockets: a request and a time in, an answer out. Safe to call from many threads. The
// parts behind it are functions of their own.
#pragma once

#include "simulator/archive.hpp"
#include "simulator/fault.hpp"
#include "simulator/link.hpp"
#include "simulator/request.hpp"
#include "simulator/script.hpp"
#include "vtmirror/base/time.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace vtmirror::simulator {

// The service's state between requests. Owned and locked by `Service`.

/// The one registered client.
struct Identity {
  std::string client_id;
  std::vector<std::string> client_secrets;  ///< oldest first; all are valid
  std::string api_key;
  std::string email;
  std::string scope;
};

/// A client with new credentials in each run, so that a test can search for them where they must not be.
Identity make_identity();

/// "https://localhost:8443", without a trailing slash; known once the listeners are open.
struct Addresses {
  std::string api;
  std::string issuer;
  std::string store;
  std::string control;
};

inline constexpr const char* token_path = "/tenant/oauth2/v2.0/token";
inline constexpr const char* listing_path = "/v1/trade/vehicles/bulk-download";
inline constexpr const char* credentials_path = "/v1/trade/credentials";

/// Recently requested archives, so that each is built once.
class Shelf {
 public:
  std::shared_ptr<const Archive> get(const Recipe& recipe);
  /// The digest of the archive, computed once.
  std::string sha256(const Recipe& recipe);

 private:
  struct Item {
    Recipe recipe;
    std::shared_ptr<const Archive> archive;
    std::string sha256;
  };
  Item& item(const Recipe& recipe);
  std::vector<Item> items_;
};

struct State {
  Script script{};
  base::Date today{};
  FaultList faults{};
  Identity identity{};
  Addresses addresses{};
  LinkKey link_key{};
  std::map<std::string, base::Time, std::less<>> tokens{};  ///< by token: when it expires
  Shelf shelf{};
};

class Service {
 public:
  Service(Script script, base::Date today, Identity identity);

  /// Must be called before the first request, because links contain the store's address.
  void set_addresses(Addresses addresses);

  /// Answers for the API, the issuer and the store.
  Answer answer(const Request& request, base::Time now);
  /// Answers for the control listener, except the request log and the stop, which do not belong to the service.
  Answer control(const Request& request, base::Time now);

 private:
  std::mutex mutex_;
  State state_;
};

/// The service's API: the listing and the credentials endpoint. Checks both headers as the real service does.
Answer answer_api(State& state, const Request& request, base::Time now);

/// What a test can change or query while the service runs: the day, the script, the expiry of all links or tokens, the
/// day's files, the issued secrets.
Answer answer_control(State& state, const Request& request, base::Time now);

/// The token issuer: OAuth 2.0 client credentials. Checks every field.
Answer answer_issuer(State& state, const Request& request, base::Time now);

// The object store behind the links: signatures, expiry, ranges and conditions like those of an S3-like store.

/// `fault` may change the object; its effects on the delivery are applied elsewhere.
Answer answer_store(State& state, const Request& request, base::Time now, const Fault& fault);

/// The ETag, which changes with the object's bytes.
std::string etag_of(const Recipe& recipe);

}  // namespace vtmirror::simulator
