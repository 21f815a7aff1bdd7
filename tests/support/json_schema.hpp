// A JSON Schema as this project uses them, and what a value has that it forbids.
// Promises that no word of a schema goes unchecked: it refuses a schema with a word, a type or a format that it does
// not know, and an object that is not closed by `additionalProperties: false`.
#pragma once

#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <regex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vtmirror::test {

class JsonSchema {
 public:
  /// Throws std::invalid_argument, naming the place, where it is none or says something that is not checked here.
  explicit JsonSchema(std::string_view text) : root_(boost::json::parse(text).as_object()) { examine(root_, "#"); }

  const boost::json::object& root() const { return root_; }

  /// A line for each fault, with its place: "$.chain[0].size: is no integer". Empty where there is none.
  std::string faults(const boost::json::value& value) const {
    std::string found;
    look(value, root_, "$", found);
    return found;
  }

 private:
  using Object = boost::json::object;
  using Value = boost::json::value;

  static constexpr std::array words{"$schema", "$defs",      "$ref",     "title",   "description",
                                    "type",    "properties", "required", "items",   "additionalProperties",
                                    "enum",    "format",     "pattern",  "minimum", "anyOf"};
  static constexpr std::array types{"object", "array", "string", "integer", "boolean", "null"};

  [[noreturn]] static void refuse(const std::string& place, const std::string& why) {
    throw std::invalid_argument(place + ": " + why);
  }

  static bool is_one_of(std::string_view word, const auto& known) {
    return std::find(known.begin(), known.end(), word) != known.end();
  }

  static std::vector<std::string> types_of(const Object& schema) {
    const auto* const type = schema.if_contains("type");
    if (type == nullptr) return {};
    if (type->is_string()) return {std::string(type->as_string())};
    std::vector<std::string> all;
    for (const auto& each : type->as_array()) all.emplace_back(each.as_string());
    return all;
  }

  void examine(const Object& schema, const std::string& place) const {
    for (const auto& member : schema) {
      if (!is_one_of(std::string_view(member.key()), words)) refuse(place, "unknown word " + std::string(member.key()));
    }
    for (const auto& type : types_of(schema)) {
      if (!is_one_of(std::string_view(type), types)) refuse(place, "unknown type " + type);
      if (type == "object") examine_object(schema, place);
      if (type == "array" && !schema.contains("items")) refuse(place, "an array without items");
    }
    if (const auto* format = schema.if_contains("format")) static_cast<void>(form_of(format->as_string(), place));
    if (const auto* ref = schema.if_contains("$ref")) static_cast<void>(target(ref->as_string()));
    for (const auto* inside : {"properties", "$defs"}) {
      if (const auto* all = schema.if_contains(inside)) {
        for (const auto& each : all->as_object())
          examine(each.value().as_object(), place + "/" + inside + "/" + std::string(each.key()));
      }
    }
    if (const auto* items = schema.if_contains("items")) examine(items->as_object(), place + "/items");
    if (const auto* forms = schema.if_contains("anyOf"))
      for (const auto& form : forms->as_array()) examine(form.as_object(), place + "/anyOf");
  }

  static void examine_object(const Object& schema, const std::string& place) {
    const auto* const more = schema.if_contains("additionalProperties");
    if (more == nullptr || !more->is_bool() || more->as_bool()) refuse(place, "an object that is open");
    if (!schema.contains("properties")) refuse(place, "an object without properties");
    if (const auto* required = schema.if_contains("required")) {
      for (const auto& name : required->as_array())
        if (!schema.at("properties").as_object().contains(name.as_string()))
          refuse(place, "requires the unknown " + std::string(name.as_string()));
    }
  }

  /// "#/$defs/NAME", of the same document.
  const Object& target(std::string_view ref) const {
    constexpr std::string_view local = "#/$defs/";
    const auto* const all = root_.if_contains("$defs");
    const auto* const found =
        all == nullptr || !ref.starts_with(local) ? nullptr : all->as_object().if_contains(ref.substr(local.size()));
    if (found == nullptr) refuse(std::string(ref), "is not there");
    return found->as_object();
  }

  static const std::regex& form_of(std::string_view format, const std::string& place) {
    static const std::regex date("[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])");
    static const std::regex time(
        "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z");
    if (format == "date") return date;
    if (format == "date-time") return time;
    refuse(place, "unknown format " + std::string(format));
  }

  static bool has_type(const Value& value, std::string_view type) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "integer") return value.is_int64() || value.is_uint64();
    if (type == "boolean") return value.is_bool();
    return value.is_null();
  }

  static void add(std::string& found, const std::string& place, const std::string& fault) {
    found += place + ": " + fault + '\n';
  }

  void look(const Value& value, const Object& schema, const std::string& place, std::string& found) const {
    if (const auto* ref = schema.if_contains("$ref")) look(value, target(ref->as_string()), place, found);
    if (const auto* forms = schema.if_contains("anyOf")) look_for_one(value, forms->as_array(), place, found);
    const auto allowed = types_of(schema);
    const auto fits = [&value](const std::string& type) { return has_type(value, type); };
    if (!allowed.empty() && std::none_of(allowed.begin(), allowed.end(), fits))
      return add(found, place, "is no " + allowed.front());
    if (const auto* words_allowed = schema.if_contains("enum"))
      if (!is_one_of(value, words_allowed->as_array())) add(found, place, "is none of the words allowed");
    if (value.is_object()) look_at_object(value.get_object(), schema, place, found);
    if (value.is_array()) look_at_array(value.get_array(), schema, place, found);
    if (value.is_string()) look_at_text(std::string(value.get_string()), schema, place, found);
    const auto* const minimum = schema.if_contains("minimum");
    if (minimum != nullptr && value.is_int64() && value.get_int64() < minimum->as_int64())
      add(found, place, "is too small");
  }

  /// What is wrong by the form that fits best: a value of another form has more faults.
  void look_for_one(const Value& value, const boost::json::array& forms, const std::string& place,
                    std::string& found) const {
    std::optional<std::string> best;
    for (const auto& form : forms) {
      std::string faults;
      look(value, form.as_object(), place, faults);
      if (!best || faults.size() < best->size()) best = faults;
    }
    found += best.value_or("");
  }

  static bool is_one_of(const Value& value, const boost::json::array& known) {
    return std::find(known.begin(), known.end(), value) != known.end();
  }

  void look_at_object(const Object& object, const Object& schema, const std::string& place, std::string& found) const {
    const auto* const properties = schema.if_contains("properties");
    if (properties == nullptr) return;
    const auto inside = place + '.';
    for (const auto& member : object) {
      const std::string name(member.key());
      const auto* const expected = properties->as_object().if_contains(name);
      if (expected == nullptr)
        add(found, place, "has the unknown " + name);
      else
        look(member.value(), expected->as_object(), inside + name, found);
    }
    if (const auto* required = schema.if_contains("required")) {
      for (const auto& name : required->as_array())
        if (!object.contains(name.as_string())) add(found, place, "lacks " + std::string(name.as_string()));
    }
  }

  void look_at_array(const boost::json::array& array, const Object& schema, const std::string& place,
                     std::string& found) const {
    const auto* const items = schema.if_contains("items");
    if (items == nullptr) return;
    for (std::size_t n = 0; n < array.size(); ++n)
      look(array[n], items->as_object(), place + '[' + std::to_string(n) + ']', found);
  }

  static void look_at_text(const std::string& text, const Object& schema, const std::string& place,
                           std::string& found) {
    if (const auto* format = schema.if_contains("format"))
      if (!std::regex_match(text, form_of(format->as_string(), place)))
        add(found, place, "is no " + std::string(format->as_string()));
    if (const auto* pattern = schema.if_contains("pattern"))
      if (!std::regex_search(text, std::regex(pattern->as_string().c_str())))
        add(found, place, "does not match " + std::string(pattern->as_string()));
  }

  Object root_;
};

}  // namespace vtmirror::test
