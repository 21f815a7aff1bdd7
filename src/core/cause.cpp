#include "vtmirror/core/cause.hpp"

#include "core/field_json.hpp"
#include "vtmirror/base/json.hpp"
#include "vtmirror/core/files.hpp"
#include "vtmirror/core/request.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <array>

namespace vtmirror::core {
namespace {

struct KindName {
  FailureKind kind;
  std::string_view name;
};

constexpr std::array kind_names{
    KindName{FailureKind::refused_entry, "refused_entry"}, KindName{FailureKind::lost, "lost"},
    KindName{FailureKind::no_space, "no_space"},           KindName{FailureKind::damaged, "damaged"},
    KindName{FailureKind::quarantined, "quarantined"},     KindName{FailureKind::other, "other"},
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < kind_names.size(); ++i)
    if (kind_names[i].kind != static_cast<FailureKind>(i)) return false;
  return true;
}
static_assert(in_order(), "a value is the index of its row");

const Field* find(const Cause& cause, std::string_view key) noexcept {
  const auto found =
      std::find_if(cause.fields.begin(), cause.fields.end(), [&](const Field& f) { return f.key == key; });
  return found == cause.fields.end() ? nullptr : &*found;
}

}  // namespace

std::string_view name(FailureKind kind) noexcept { return kind_names[static_cast<std::size_t>(kind)].name; }

std::optional<FailureKind> failure_kind(std::string_view name) noexcept {
  const auto row = std::ranges::find(kind_names, name, &KindName::name);
  return row == kind_names.end() ? std::nullopt : std::optional(row->kind);
}

Failure stopped() { return {.cause = {.code = base::Errc::cancelled}}; }

bool is_stop(const Failure& failure) noexcept {
  return failure.cause.code == base::Errc::cancelled && failure.cause.subject.empty();
}

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
  if (const auto& lack = error.shortage)
    cause.fields = {{"needed", lack->needed}, {"free", lack->free}, {"reserve", lack->reserve}};
  if (request_of(error.subject)) cause.fields.push_back({"request", error.subject});
  if (error.diagnosis == base::Diagnosis::died_in_checks)
    cause.fields.push_back({"died", std::int64_t{deadly_checks}});
  else if (error.diagnosis != base::Diagnosis::none)
    cause.fields.push_back({"diagnosis", std::string(base::name(error.diagnosis))});
  // A service's code that reads like a diagnosis would be read as one that version 0.1.0 kept.
  if (!error.service_code.empty() && base::diagnosis_of(error.service_code) == base::Diagnosis::none)
    cause.fields.push_back({"service_code", error.service_code});
  if (!error.why.empty()) cause.fields.push_back({"why", error.why});
  return cause;
}

Cause whole_cause_of(const base::Error& error) {
  return cause_of(error, request_of(error.subject) ? std::string() : error.subject);
}

namespace {

std::optional<base::Shortage> shortage_in(const Cause& cause) {
  const auto needed = number(cause, "needed");
  if (!needed) return std::nullopt;
  return base::Shortage{*needed, number(cause, "free").value_or(0), number(cause, "reserve").value_or(0)};
}

}  // namespace

base::Error error_of(const Cause& cause) {
  const auto request = text(cause, "request");
  return {.code = cause.code.value_or(base::Errc::protocol),
          .detail = cause.detail,
          .status = cause.status,
          .service_code = std::string(service_code(cause)),
          .subject = request.empty() ? cause.subject : std::string(request),
          .why = std::string(why(cause)),
          .diagnosis = diagnosis(cause),
          .shortage = shortage_in(cause)};
}

// Version 0.1.0 kept a diagnosis as the service's code.
std::string_view service_code(const Cause& cause) noexcept {
  const auto code = text(cause, "service_code");
  return base::diagnosis_of(code) == base::Diagnosis::none ? code : std::string_view();
}

base::Diagnosis diagnosis(const Cause& cause) noexcept {
  if (is_deadly(cause)) return base::Diagnosis::died_in_checks;
  const auto found = text(cause, "diagnosis");
  return base::diagnosis_of(found.empty() ? text(cause, "service_code") : found);
}

std::string_view why(const Cause& cause) noexcept { return text(cause, "why"); }

Cause deadly_check(int times) { return {.code = base::Errc::integrity, .fields = {{"died", std::int64_t{times}}}}; }

bool is_deadly(const Cause& cause) { return number(cause, "died").has_value(); }

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
