// The store's links: signs them and verifies them. The clock is an argument.
#pragma once

#include "simulator/request.hpp"

#include "vtmirror/base/time.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace vtmirror::simulator {

/// The key of the store's signatures. Raising `epoch` expires every link issued before.
struct LinkKey {
  std::string secret;
  std::uint64_t epoch = 0;
};

struct LinkVerdict {
  enum class Is { good, unsigned_, forged, expired };
  Is is = Is::good;
  base::Time expires{};
  std::uint64_t lifetime_s = 0;
  std::string credential{};
  std::string signature{};
  std::string to_sign{};
};

/// "20261118T080000Z"
std::string amz_date(base::Time time);

/// The query of a link to `path` at `host` ("localhost:8443").
std::string sign_link(const LinkKey& key, std::string_view host, std::string_view path, base::Time now,
                      std::chrono::seconds lifetime);

/// Checks method, host, path and query against the signature, then the time against the link's expiry.
LinkVerdict judge_link(const LinkKey& key, const Request& request, base::Time now);

}  // namespace vtmirror::simulator
