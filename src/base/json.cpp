#include "vtmirror/base/json.hpp"

#include <boost/json/parse.hpp>

#include <utility>

namespace vtmirror::base {
namespace json = boost::json;
namespace {

constexpr std::int64_t largest_count = std::numeric_limits<int>::max();

// The value of a member, if it is present and has that type.

const json::object* object_of(const json::value* value) { return value == nullptr ? nullptr : value->if_object(); }

std::optional<std::string_view> text_of(const json::value* value) {
  const auto* const text = value == nullptr ? nullptr : value->if_string();
  if (text == nullptr) return std::nullopt;
  return std::string_view(text->data(), text->size());
}

/// The parser returns a number that is too large for an int64 as a uint64.
std::optional<std::int64_t> integer_of(const json::value* value, std::int64_t least, std::int64_t most) {
  const auto* const number = value == nullptr ? nullptr : value->if_int64();
  if (number == nullptr || *number < least || *number > most) return std::nullopt;
  return *number;
}

std::optional<int> count_of(const json::value* value) {
  const auto number = integer_of(value, 0, largest_count);
  if (!number) return std::nullopt;
  return static_cast<int>(*number);
}

std::optional<Time> time_of(const json::value* value) {
  const auto parsed = parse_time(text_of(value).value_or(""));
  if (!parsed) return std::nullopt;
  return *parsed;
}

std::optional<Date> date_of(const json::value* value) {
  const auto parsed = parse_date(text_of(value).value_or(""));
  if (!parsed) return std::nullopt;
  return *parsed;
}

/// What was expected in place of a number that was refused.
std::string_view number_expected(const json::value* value) {
  const bool is_whole = value != nullptr && (value->is_int64() || value->is_uint64());
  return is_whole ? "a whole number in its range" : "a whole number";
}

}  // namespace

Result<json::value> parse_json(std::string_view text, JsonRules rules, json::storage_ptr memory) {
  json::parse_options options;
  options.max_depth = rules.depth;
  options.allow_invalid_utf8 = rules.any_bytes;
  json::error_code error;
  json::value value = json::parse(json::string_view(text.data(), text.size()), error, std::move(memory), options);
  if (error == json::error::too_deep) return Error{Errc::protocol, "nests too deep"};
  if (error) return Error{Errc::protocol, "is not readable JSON"};
  return value;
}

Result<json::object> parse_json_object(std::string_view text, JsonRules rules, json::storage_ptr memory) {
  auto value = parse_json(text, rules, std::move(memory));
  if (!value) return value.error();
  if (!value->is_object()) return Error{Errc::protocol, "is not a JSON object"};
  return std::move(value->get_object());
}

std::string JsonFault::sentence() const { return path + (missing ? " is missing" : " is not " + expected); }

JsonObject::JsonObject(const json::object& object)
    : JsonObject(&object, {}, std::make_shared<std::optional<JsonFault>>()) {}

JsonObject::JsonObject(const json::value& value)
    : JsonObject(value.if_object(), {}, std::make_shared<std::optional<JsonFault>>()) {
  if (object_ == nullptr) *fault_ = JsonFault{{}, "an object"};
}

JsonObject::JsonObject(const json::object* object, std::string path, Fault fault)
    : object_(object), path_(std::move(path)), fault_(std::move(fault)) {}

const json::value* JsonObject::find(std::string_view key) const {
  return object_ == nullptr ? nullptr : object_->if_contains({key.data(), key.size()});
}

void JsonObject::refuse(std::string_view key, std::string_view expected) const {
  if (*fault_) return;
  *fault_ = JsonFault{path_ + std::string(key), std::string(expected), find(key) == nullptr};
}

template <class T>
T JsonObject::required(std::string_view key, std::optional<T> read, std::string_view expected) const {
  if (!read) refuse(key, expected);
  return read.value_or(T());
}

template <class T>
std::optional<T> JsonObject::optional(std::string_view key, std::optional<T> read, std::string_view expected) const {
  const auto* const value = find(key);
  if (!read && value != nullptr && !value->is_null()) refuse(key, expected);
  return read;
}

template <class T, class Read>
std::vector<T> JsonObject::elements(std::string_view key, Read read, std::string_view expected) const {
  std::vector<T> found;
  for (const auto& element : array(key)) {
    if (auto value = read(&element))
      found.push_back(*std::move(value));
    else
      refuse(key, expected);
  }
  return found;
}

std::string_view JsonObject::text(std::string_view key) const { return required(key, text_of(find(key)), "a string"); }

bool JsonObject::flag(std::string_view key) const {
  const auto* const value = find(key);
  if (value == nullptr || !value->is_bool()) refuse(key, "true or false");
  return value != nullptr && value->is_bool() && value->get_bool();
}

std::int64_t JsonObject::integer(std::string_view key, std::int64_t least, std::int64_t most) const {
  const auto* const value = find(key);
  return required(key, integer_of(value, least, most), number_expected(value));
}

int JsonObject::count(std::string_view key) const {
  const auto* const value = find(key);
  return required(key, count_of(value), number_expected(value));
}

Time JsonObject::time(std::string_view key) const { return required(key, time_of(find(key)), "a time"); }

Date JsonObject::date(std::string_view key) const { return required(key, date_of(find(key)), "a day"); }

JsonObject JsonObject::object(std::string_view key) const {
  const auto* const inner = object_of(find(key));
  if (inner == nullptr) refuse(key, "an object");
  return {inner, path_ + std::string(key) + '.', fault_};
}

std::optional<std::string_view> JsonObject::optional_text(std::string_view key) const {
  return optional(key, text_of(find(key)), "a string");
}

std::optional<std::int64_t> JsonObject::optional_integer(std::string_view key, std::int64_t least) const {
  const auto* const value = find(key);
  return optional(key, integer_of(value, least, std::numeric_limits<std::int64_t>::max()), number_expected(value));
}

std::optional<Time> JsonObject::optional_time(std::string_view key) const {
  return optional(key, time_of(find(key)), "a time");
}

std::optional<Date> JsonObject::optional_date(std::string_view key) const {
  return optional(key, date_of(find(key)), "a day");
}

std::optional<JsonObject> JsonObject::optional_object(std::string_view key) const {
  const auto* const value = find(key);
  if (object_of(value) != nullptr) return object(key);
  if (value != nullptr && !value->is_null()) refuse(key, "an object");
  return std::nullopt;
}

const json::array& JsonObject::array(std::string_view key) const {
  static const json::array none;
  const auto* const value = find(key);
  if (value != nullptr && value->is_array()) return value->get_array();
  refuse(key, "an array");
  return none;
}

std::vector<std::string_view> JsonObject::texts(std::string_view key) const {
  return elements<std::string_view>(key, text_of, "an array of strings");
}

std::vector<int> JsonObject::counts(std::string_view key) const {
  return elements<int>(key, count_of, "an array of whole numbers in their range");
}

std::vector<Date> JsonObject::dates(std::string_view key) const {
  return elements<Date>(key, date_of, "an array of days");
}

std::vector<JsonObject> JsonObject::objects(std::string_view key) const {
  std::vector<JsonObject> found;
  for (const auto& element : array(key)) {
    if (const auto* const object = element.if_object())
      found.push_back({object, path_ + std::string(key) + "[].", fault_});
    else
      refuse(key, "an array of objects");
  }
  return found;
}

}  // namespace vtmirror::base
