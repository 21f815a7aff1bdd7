// Why something failed, in parts: what decides, what it is about, and what a sentence for people needs besides.
// Values, kept as they are; `report` makes the sentence of them when it is shown. Never hold a secret or the query of a
// link.
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
  std::optional<base::Errc> code{};  ///< empty: no error of ours lies behind it
  std::string subject{};             ///< the file, address, setting, channel or day that it is about; may be empty
  std::string detail{};              ///< the words that came with it, without code and subject
  int status = 0;                    ///< HTTP status where there was one, else 0
  std::vector<Field> fields{};
  friend bool operator==(const Cause&, const Cause&) = default;
};

/// The service's own code is kept as the field `service_code`.
Cause cause_of(const base::Error& error, std::string subject = {});

/// The field of that name; empty, or nothing, where there is none of that kind.
std::string_view text(const Cause& cause, std::string_view key) noexcept;
std::optional<std::int64_t> number(const Cause& cause, std::string_view key) noexcept;

}  // namespace vtmirror::core
