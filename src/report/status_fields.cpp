#include "report/status_fields.hpp"

namespace vtmirror::report {

const boost::json::value* Fields::member(std::string_view key) const {
  if (error_ || object_ == nullptr) return nullptr;
  return object_->if_contains({key.data(), key.size()});
}

/// Null where the member is missing or null.
const boost::json::value* Fields::present(std::string_view key) const {
  const auto* const value = member(key);
  return value == nullptr || value->is_null() ? nullptr : value;
}

void Fields::refuse(std::string_view key, const std::string& what) {
  if (error_) return;
  error_ = base::Error{base::Errc::protocol, "the status's " + path_ + std::string(key) + " is not " + what};
}

std::string Fields::text(std::string_view key) {
  const auto* const value = member(key);
  if (value != nullptr && value->is_string()) return std::string(value->get_string());
  refuse(key, "a text");
  return {};
}

bool Fields::flag(std::string_view key) {
  const auto* const value = member(key);
  if (value != nullptr && value->is_bool()) return value->get_bool();
  refuse(key, "true or false");
  return false;
}

std::int64_t Fields::number(std::string_view key, std::int64_t least, std::int64_t most) {
  const auto* const value = member(key);
  // What is too large for an int64 is a uint64 to the parser.
  if (value != nullptr && value->is_int64() && value->get_int64() >= least && value->get_int64() <= most)
    return value->get_int64();
  refuse(key, "a whole number in its range");
  return 0;
}

int Fields::count(std::string_view key) { return static_cast<int>(number(key, 0, std::numeric_limits<int>::max())); }

base::Time Fields::time(std::string_view key) {
  const auto words = text(key);
  if (error_) return {};
  const auto parsed = base::parse_time(words);
  if (parsed.has_value()) return *parsed;
  refuse(key, "a time");
  return {};
}

std::string Fields::text_or_null(std::string_view key) { return present(key) == nullptr ? std::string() : text(key); }

std::optional<std::int64_t> Fields::number_or_null(std::string_view key, std::int64_t least) {
  if (present(key) == nullptr) return std::nullopt;
  return number(key, least);
}

std::optional<base::Time> Fields::time_or_null(std::string_view key) {
  if (present(key) == nullptr) return std::nullopt;
  return time(key);
}

std::optional<base::Date> Fields::date_or_null(std::string_view key) {
  if (present(key) == nullptr) return std::nullopt;
  const auto parsed = base::parse_date(text(key));
  if (parsed.has_value()) return *parsed;
  refuse(key, "a day");
  return std::nullopt;
}

Fields Fields::object(std::string_view key) {
  const auto* const value = member(key);
  const auto* const inner = value == nullptr ? nullptr : value->if_object();
  if (inner == nullptr) refuse(key, "an object");
  return {inner, path_ + std::string(key) + '.', error_};
}

std::optional<Fields> Fields::object_or_null(std::string_view key) {
  if (present(key) == nullptr) return std::nullopt;
  return object(key);
}

const boost::json::array* Fields::list(std::string_view key) {
  const auto* const value = member(key);
  const auto* const array = value == nullptr ? nullptr : value->if_array();
  if (array == nullptr) refuse(key, "a list");
  return array;
}

}  // namespace vtmirror::report
