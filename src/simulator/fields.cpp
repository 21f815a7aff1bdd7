#include "simulator/fields.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <limits>

namespace vtmirror::simulator {
namespace json = boost::json;
namespace {

std::optional<std::uint64_t> count_of(const json::value& value) {
  if (value.is_uint64()) return value.get_uint64();
  if (value.is_int64() && value.get_int64() >= 0) return static_cast<std::uint64_t>(value.get_int64());
  return std::nullopt;
}

}  // namespace

const json::value* Fields::find(std::string_view name) {
  known_.emplace(name);
  return object_.if_contains(name);
}

void Fields::refuse(std::string_view name, std::string_view expected) {
  if (complaint_.empty()) complaint_ = "\"" + std::string(name) + "\" must be " + std::string(expected);
}

void Fields::read(std::string_view name, bool& place) {
  const json::value* value = find(name);
  if (value == nullptr) return;
  if (!value->is_bool()) return refuse(name, "true or false");
  place = value->get_bool();
}

void Fields::read(std::string_view name, int& place) {
  const json::value* value = find(name);
  if (value == nullptr) return;
  const bool fits = value->is_int64() && std::abs(value->get_int64()) <= std::numeric_limits<int>::max();
  if (!fits) return refuse(name, "a number");
  place = static_cast<int>(value->get_int64());
}

void Fields::read(std::string_view name, std::uint64_t& place) {
  const json::value* value = find(name);
  if (value == nullptr) return;
  const auto count = count_of(*value);
  if (!count) return refuse(name, "a number that is not negative");
  place = *count;
}

void Fields::read(std::string_view name, std::string& place) {
  const json::value* value = find(name);
  if (value == nullptr) return;
  if (!value->is_string()) return refuse(name, "a text");
  place = value->get_string();
}

void Fields::read(std::string_view name, std::vector<std::string>& place) {
  const json::value* value = find(name);
  if (value == nullptr) return;
  if (!value->is_array()) return refuse(name, "an array of texts");
  place.clear();
  for (const json::value& each : value->get_array()) {
    if (!each.is_string()) return refuse(name, "an array of texts");
    place.emplace_back(each.get_string());
  }
}

void Fields::read(std::string_view name, std::map<std::string, std::uint64_t>& place) {
  const json::value* value = find(name);
  if (value == nullptr) return;
  if (!value->is_object()) return refuse(name, "an object of numbers");
  place.clear();
  for (const auto& each : value->get_object()) {
    const auto count = count_of(each.value());
    if (!count) return refuse(name, "an object of numbers");
    place.emplace(each.key(), *count);
  }
}

base::Result<void> Fields::finish() const {
  if (!complaint_.empty()) return base::Error{base::Errc::config, complaint_};
  for (const auto& each : object_) {
    const std::string_view key = each.key();
    if (!known_.contains(key)) return base::Error{base::Errc::config, "unknown member \"" + std::string(key) + "\""};
  }
  return {};
}

base::Result<json::object> parse_object(std::string_view text) {
  boost::system::error_code failed;
  json::value value = json::parse(text, failed);
  if (failed || !value.is_object()) return base::Error{base::Errc::config, "not a JSON object"};
  return std::move(value.get_object());
}

}  // namespace vtmirror::simulator
