#include "vtmirror/core/cause.hpp"

#include "core/field_json.hpp"
#include "vtmirror/base/json.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace vtmirror::core {
namespace {

const Field* find(const Cause& cause, std::string_view key) noexcept {
  const auto found =
      std::find_if(cause.fields.begin(), cause.fields.end(), [&](const Field& f) { return f.key == key; });
  return found == cause.fields.end() ? nullptr : &*found;
}

}  // namespace

std::string fields_json(const std::vector<Field>& fields) {
  boost::json::object json;
  for (const auto& field : fields) json.emplace(field.key, value_of(field));
  return boost::json::serialize(json);
}

base::Result<std::vector<Field>> parse_fields(std::string_view text) {
  const auto json = base::parse_json_object(text, {.any_bytes = true});
  if (!json) return json.error();
  std::vector<Field> fields;
  for (const auto& member : *json)
    if (auto field = field_of(member)) fields.push_back(std::move(*field));
  return fields;
}

Cause cause_of(const base::Error& error, std::string subject) {
  Cause cause{.code = error.code, .subject = std::move(subject), .detail = error.detail, .status = error.status};
  if (!error.service_code.empty()) cause.fields.push_back({"service_code", error.service_code});
  return cause;
}

std::string_view text(const Cause& cause, std::string_view key) noexcept {
  const auto* field = find(cause, key);
  const auto* words = field == nullptr ? nullptr : std::get_if<std::string>(&field->value);
  return words == nullptr ? std::string_view() : std::string_view(*words);
}

std::optional<std::int64_t> number(const Cause& cause, std::string_view key) noexcept {
  const auto* field = find(cause, key);
  const auto* count = field == nullptr ? nullptr : std::get_if<std::int64_t>(&field->value);
  return count == nullptr ? std::nullopt : std::optional(*count);
}

}  // namespace vtmirror::core
