#include "vtmirror/core/json.hpp"

#include <boost/json/parse.hpp>

#include <utility>

namespace vtmirror::core {

boost::system::result<boost::json::value> read_json(std::string_view text) {
  boost::json::parse_options options;
  options.max_depth = 32;
  options.allow_invalid_utf8 = true;
  boost::json::error_code error;
  boost::json::value value = boost::json::parse({text.data(), text.size()}, error, {}, options);
  if (error) return error;
  return value;
}

std::optional<boost::json::object> read_object(std::string_view text, boost::json::memory_resource& memory) {
  boost::json::parse_options options;
  options.max_depth = 16;
  boost::json::error_code error;
  auto value = boost::json::parse({text.data(), text.size()}, error, &memory, options);
  if (error || !value.is_object()) return std::nullopt;
  return std::move(value.get_object());
}

std::string_view text_member(const boost::json::value& value, std::string_view key) {
  const auto* const object = value.if_object();
  const auto* const member = object ? object->if_contains({key.data(), key.size()}) : nullptr;
  const auto* const text = member ? member->if_string() : nullptr;
  return text ? std::string_view{text->data(), text->size()} : std::string_view{};
}

}  // namespace vtmirror::core
