// How the service behaves in a test: sizes, lifetimes, the calendar, and faults. Every member has a default.
#pragma once

#include "simulator/archive.hpp"
#include "simulator/fault.hpp"

#include "vtmirror/base/result.hpp"

#include <boost/json/array.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace vtmirror::simulator {

struct Script {
  std::uint64_t seed = 1;
  std::uint64_t bulk_bytes = 8'000'000;
  std::uint64_t delta_bytes = 1'000'000;
  std::optional<std::uint64_t> bulk_sparse_bytes{};  ///< instead of bulk_bytes
  std::uint64_t token_seconds = 3599;
  std::uint64_t link_seconds = 300;
  int bulk_weekday_offset = 0;  ///< days after Sunday

  // A day is "2026-11-17" or, for only one kind, "delta:2026-11-17" or "bulk:2026-11-15".
  std::vector<std::string> absent{};  ///< never published; a plain day means its delta
  std::vector<std::string> late{};    ///< not listed until the script changes; a plain day means its delta
  std::map<std::string, std::uint64_t> republish{};  ///< version; a plain day means every file of the day
  std::map<std::string, std::uint64_t> sizes{};      ///< bytes; likewise

  Deflated deflated = Deflated::some;  ///< "none", "some", "all"
  std::optional<std::string> listing_raw{};
  boost::json::array extra_bulk{};  ///< "downloadUrl": "@sign" is replaced by a valid link
  boost::json::array extra_delta{};
  bool secret_expired = false;   ///< the issuer refuses the right secret as expired
  bool api_key_revoked = false;  ///< the API no longer knows the key
  std::string credentials_method = "PUT";
  std::string credentials_key_property = "cloudApiKeyValue";
  std::vector<Fault> faults{};
};

/// Replaces the members that the text contains. Errors: config; then nothing is changed.
base::Result<Script> merge(Script script, std::string_view json);

}  // namespace vtmirror::simulator
