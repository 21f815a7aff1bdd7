#include "vtmirror/core/cause_json.hpp"

#include "core/field_json.hpp"
#include "vtmirror/base/encoding.hpp"
#include "vtmirror/base/text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace vtmirror::core {
namespace {

namespace json = boost::json;

constexpr std::size_t longest_text = 1'000;

json::value text_or_null(std::string_view text) {
  return text.empty() ? json::value() : json::value(base::as_utf8(text));
}

json::value value_in_utf8(const Field& field) {
  const auto* const text = std::get_if<std::string>(&field.value);
  return text == nullptr ? value_of(field) : json::value(base::as_utf8(*text));
}

std::string text_in(const json::object& object, std::string_view key) {
  const auto* const value = object.if_contains(key);
  const auto* const text = value == nullptr ? nullptr : value->if_string();
  return text == nullptr ? std::string() : base::printable({text->data(), text->size()}, longest_text);
}

int status_in(const json::object& object) {
  const auto* const value = object.if_contains("status");
  const auto* const number = value == nullptr ? nullptr : value->if_int64();
  const bool fits = number != nullptr && *number >= 0 && *number <= std::numeric_limits<int>::max();
  return fits ? static_cast<int>(*number) : 0;
}

std::optional<Field> field_in(const json::value& value) {
  const auto* const object = value.if_object();
  if (object == nullptr) return std::nullopt;
  Field field{.key = text_in(*object, "key"), .value = text_in(*object, "value")};
  const auto* const member = object->if_contains("value");
  if (field.key.empty() || member == nullptr) return std::nullopt;
  if (const auto* const number = member->if_int64())
    field.value = std::int64_t{*number};
  else if (!member->is_string())
    return std::nullopt;
  return field;
}

}  // namespace

json::object cause_json(const Cause& cause) {
  json::array fields;
  for (const auto& field : cause.fields)
    fields.push_back(json::object{{"key", field.key}, {"value", value_in_utf8(field)}});
  return {{"code", cause.code ? json::value(base::name(*cause.code)) : json::value()},
          {"subject", text_or_null(cause.subject)},
          {"detail", text_or_null(cause.detail)},
          {"status", cause.status == 0 ? json::value() : json::value(cause.status)},
          {"fields", std::move(fields)}};
}

std::optional<Cause> cause_in(const base::JsonObject& object) {
  const auto* const member = object.find("cause");
  const auto* const found = member == nullptr ? nullptr : member->if_object();
  if (found == nullptr) return std::nullopt;
  Cause cause{.code = base::errc_of(text_in(*found, "code")),
              .subject = text_in(*found, "subject"),
              .detail = text_in(*found, "detail"),
              .status = status_in(*found)};
  const auto* const fields = found->if_contains("fields");
  if (fields == nullptr || !fields->is_array()) return cause;
  for (const auto& each : fields->get_array())
    if (auto field = field_in(each)) cause.fields.push_back(std::move(*field));
  return cause;
}

}  // namespace vtmirror::core
