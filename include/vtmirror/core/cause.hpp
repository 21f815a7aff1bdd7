// The parts of a failure: the error code, what it is about, and what a sentence for people needs in addition.
// Only values; `report` builds the sentence when it is shown. They never hold a secret or the query of a link.
#pragma once

#include "vtmirror/base/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace vtmirror::core {

/// A detail with a name: "needed", "waiting", "expires_on". Small letters and _.
struct Field {
  std::string key;
  std::variant<std::string, std::int64_t> value;
  friend bool operator==(const Field&, const Field&) = default;
};

/// {"needed": 5000, "free": 12}
std::string fields_json(const std::vector<Field>& fields);
/// What `fields_json` wrote. Errors: protocol.
base::Result<std::vector<Field>> parse_fields(std::string_view json);

struct Cause {
  std::optional<base::Errc> code{};  ///< empty if no `Error` caused it
  std::string subject{};             ///< the file, address, setting, channel or day; may be empty
  std::string detail{};              ///< the text that came with it, without code and subject
  int status = 0;                    ///< HTTP status if there was one, else 0
  std::vector<Field> fields{};
  friend bool operator==(const Cause&, const Cause&) = default;
};

/// The service's own code is kept as the field `service_code`.
Cause cause_of(const base::Error& error, std::string subject = {});

/// The field with that name; empty if there is none of that type.
std::string_view text(const Cause& cause, std::string_view key) noexcept;
std::optional<std::int64_t> number(const Cause& cause, std::string_view key) noexcept;

}  // namespace vtmirror::core
