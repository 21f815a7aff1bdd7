// The state of the client secret and the API key, as a value, a table and JSON. Pure. Never contains the secret or the
// key.
#pragma once

#include "vtmirror/core/expiry.hpp"

#include <optional>
#include <string>
#include <vector>

namespace vtmirror::report {

struct SecretReport {
  std::string path;                       ///< the file of the secret in use
  bool kept = false;                      ///< it is the one in the state directory, and not the one of the settings
  std::string why;                        ///< why this one is in use, for people
  std::optional<base::Time> issued;       ///< issued by the service, or set by a person
  std::optional<base::Time> first_seen;   ///< by a daemon or a sync; empty before the first one
  std::optional<core::Expiry> expiry;     ///< empty before the first daemon or sync, unless the settings say it
  std::optional<std::int64_t> days_left;  ///< unknown as long as the expiry is
  std::vector<int> warned;                ///< the `warn_days` whose warnings were sent for this expiry
  std::vector<int> warn_days;             ///< of the settings
  bool auto_rotate = false;               ///< of the settings
  bool unproved = false;                  ///< another one is waiting to be verified
  std::string refusal;                    ///< the issuer's message; empty if it does not refuse
  std::string rotation;                   ///< how the daemon's own rotation ended
  std::optional<base::Time> key_used;     ///< when the API key was used last; empty: never
  std::string key_refusal;                ///< the service's message; empty if it does not refuse the key
};

/// The output of `vtmirror secret status`: a line for each fact, days in UTC. No line is wider than `width`; 0 is
/// unlimited.
std::string report_text(const SecretReport& report, std::size_t width);
/// The same as JSON (vtmirror-api(7)).
std::string report_json(const SecretReport& report);

}  // namespace vtmirror::report
