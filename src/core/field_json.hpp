// Converts a named detail to a member of a JSON object, and back.
#pragma once

#include "vtmirror/core/cause.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <optional>
#include <string>

namespace vtmirror::core {

inline boost::json::value value_of(const Field& field) {
  if (const auto* number = std::get_if<std::int64_t>(&field.value)) return *number;
  return boost::json::value(std::get<std::string>(field.value));
}

/// Empty if the member is neither a string nor a whole number.
inline std::optional<Field> field_of(const boost::json::key_value_pair& member) {
  if (const auto* number = member.value().if_int64()) return Field{std::string(member.key()), std::int64_t{*number}};
  if (const auto* text = member.value().if_string())
    return Field{std::string(member.key()), std::string(text->data(), text->size())};
  return std::nullopt;
}

}  // namespace vtmirror::core
