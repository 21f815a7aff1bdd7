// The state of the client secret and the API key, as a value, a table and JSON.
#pragma once

#include "vtmirror/core/expiry.hpp"

#include <optional>
#include <string>
#include <vector>

namespace vtmirror::report {

struct SecretReport {
  std::string path;
  bool kept = false;
  std::string why;
  std::optional<base::Time> issued;      ///< issued by the service, or set by a person
  std::optional<base::Time> first_seen;  ///< by a daemon or a sync; empty before the first one
  std::optional<core::Expiry> expiry;
  std::optional<std::int64_t> days_left;  ///< unknown as long as the expiry is
  std::vector<int> warned;
  std::vector<int> warn_days;
  bool auto_rotate = false;
  bool unproved = false;  ///< another one is waiting to be verified
  std::string refusal;    ///< the issuer's message; empty if it does not refuse
  std::string rotation;   ///< how the daemon's own rotation ended
  std::optional<base::Time> key_used;
  std::string key_refusal;
};

std::string report_text(const SecretReport& report);
std::string report_json(const SecretReport& report);

}  // namespace vtmirror::report
