#include "vtmirror/core/cause_json.hpp"

#include "core/field_json.hpp"
#include "vtmirror/base/encoding.hpp"
#include "vtmirror/base/text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
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

std::string text_in(const base::JsonObject& object, std::string_view key) {
  return base::printable(object.optional_text(key).value_or(""), longest_text);
}

int status_in(const base::JsonObject& object) {
  const auto number = object.optional_integer("status").value_or(0);
  return std::in_range<int>(number) ? static_cast<int>(number) : 0;
}

std::optional<Field> field_in(const json::value& value) {
  const base::JsonObject object(value);
  Field field{.key = text_in(object, "key"), .value = text_in(object, "value")};
  const auto* const member = object.find("value");
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
  if (member == nullptr || !member->is_object()) return std::nullopt;
  // An object of its own: a fault in it is no fault of the answer.
  const base::JsonObject found(*member);
  Cause cause{.code = base::errc_of(text_in(found, "code")),
              .subject = text_in(found, "subject"),
              .detail = text_in(found, "detail"),
              .status = status_in(found)};
  const auto* const fields = found.find("fields");
  if (fields == nullptr || !fields->is_array()) return cause;
  for (const auto& each : fields->get_array())
    if (auto field = field_in(each)) cause.fields.push_back(std::move(*field));
  return cause;
}

}  // namespace vtmirror::core
