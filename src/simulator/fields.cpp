#include "simulator/fields.hpp"

#include <limits>

namespace vtmirror::simulator {
namespace json = boost::json;

const json::value* Fields::find(std::string_view name) {
  known_.emplace(name);
  return members_.find(name);
}

void Fields::read(std::string_view name, bool& place) {
  if (find(name) != nullptr) place = members_.flag(name);
}

void Fields::read(std::string_view name, int& place) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  if (find(name) != nullptr) place = static_cast<int>(members_.integer(name, -most, most));
}

void Fields::read(std::string_view name, std::uint64_t& place) {
  if (find(name) != nullptr) place = static_cast<std::uint64_t>(members_.integer(name));
}

void Fields::read(std::string_view name, std::string& place) {
  if (find(name) != nullptr) place = members_.text(name);
}

void Fields::read(std::string_view name, std::vector<std::string>& place) {
  if (find(name) == nullptr) return;
  const auto texts = members_.texts(name);
  place.assign(texts.begin(), texts.end());
}

void Fields::read(std::string_view name, std::map<std::string, std::uint64_t>& place) {
  const json::value* value = find(name);
  if (value == nullptr) return;
  if (!value->is_object()) return refuse(name, "an object of numbers");
  const auto numbers = members_.object(name);
  place.clear();
  for (const auto& each : value->get_object())
    place.emplace(each.key(), static_cast<std::uint64_t>(numbers.integer(each.key())));
}

base::Result<void> Fields::finish() const {
  if (const auto& fault = members_.fault())
    return base::Error{base::Errc::config, "\"" + fault->path + "\" must be " + fault->expected};
  for (const auto& each : object_) {
    const std::string_view key = each.key();
    if (!known_.contains(key)) return base::Error{base::Errc::config, "unknown member \"" + std::string(key) + "\""};
  }
  return {};
}

base::Result<json::object> parse_object(std::string_view text) {
  auto object = base::parse_json_object(text);
  if (!object) return base::Error{base::Errc::config, "not a JSON object"};
  return object;
}

}  // namespace vtmirror::simulator
