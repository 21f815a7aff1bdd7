// The service's state between requests. Owned and locked by `Service`.
#pragma once

#include "simulator/archive.hpp"
#include "simulator/fault.hpp"
#include "simulator/link.hpp"
#include "simulator/script.hpp"

#include "vtmirror/base/time.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace vtmirror::simulator {

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

}  // namespace vtmirror::simulator
