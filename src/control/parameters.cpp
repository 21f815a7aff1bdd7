#include "control/parameters.hpp"

#include "vtmirror/base/encoding.hpp"
#include "vtmirror/base/text.hpp"

#include <algorithm>

namespace vtmirror::control {
namespace {

using base::Errc;
using base::Error;
using base::Result;

std::string named(std::string_view name) { return base::printable(name, 80); }

}  // namespace

Result<Parameters> parameters_of(std::string_view query) {
  Parameters parameters;
  while (!query.empty()) {
    const auto part = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), part.size() + 1));
    if (part.empty()) continue;
    const auto sign = part.find('=');
    if (sign == std::string_view::npos) return Error{Errc::protocol, "the parameter " + named(part) + " has no value"};
    parameters[base::percent_decoded(part.substr(0, sign))].push_back(base::percent_decoded(part.substr(sign + 1)));
  }
  return parameters;
}

Result<void> check_names(const Parameters& parameters, std::initializer_list<std::string_view> known) {
  std::string all;
  for (const auto each : known) all += (all.empty() ? "" : ", ") + std::string(each);
  for (const auto& [name, values] : parameters)
    if (std::ranges::find(known, name) == known.end())
      return Error{Errc::protocol, "there is no parameter " + named(name) + "; this path has " +
                                       (all.empty() ? std::string("none") : all)};
  return {};
}

Result<std::optional<std::string>> value_of(const Parameters& parameters, std::string_view name) {
  const auto found = parameters.find(name);
  if (found == parameters.end()) return std::optional<std::string>();
  if (found->second.size() > 1)
    return Error{Errc::protocol, "the parameter " + named(name) + " is there more than once"};
  return std::optional(found->second.front());
}

Result<std::optional<std::int64_t>> number_of(const Parameters& parameters, std::string_view name, std::int64_t least,
                                              std::int64_t most) {
  const auto value = value_of(parameters, name);
  if (!value) return value.error();
  if (!*value) return std::optional<std::int64_t>();
  const auto number = base::parse_int(**value);
  if (!number || *number < least || *number > most)
    return Error{Errc::protocol,
                 std::string(name) + " must be a number from " + std::to_string(least) + " to " + std::to_string(most)};
  return std::optional(*number);
}

Result<std::optional<base::Date>> day_of(const Parameters& parameters, std::string_view name) {
  const auto value = value_of(parameters, name);
  if (!value) return value.error();
  if (!*value) return std::optional<base::Date>();
  const auto day = base::parse_date(**value);
  if (!day) return Error{Errc::protocol, std::string(name) + " must be a day such as 2026-11-18"};
  return std::optional(*day);
}

}  // namespace vtmirror::control
