// The JSON Schemas of packaging/schema, and the checker that reads them.
#include "support/json_schema.hpp"

#include "architecture/source_tree.hpp"

#include <doctest/doctest.h>

#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace vtmirror::architecture {
namespace {

namespace json = boost::json;
using test::JsonSchema;

struct Section {
  std::string heading;
  std::string text;
};

std::vector<Section> read_manual() {
  std::vector<Section> sections;
  const auto text = std::regex_replace(source("packaging/man/vtmirror-api.7").text, std::regex(R"(\\-)"), "-");
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(".SH "))
      sections.push_back({line.substr(4), "\n"});
    else if (!sections.empty())
      sections.back().text += line + '\n';
  }
  return sections;
}

const std::vector<Section>& sections_of_the_manual() {
  static const auto sections = read_manual();
  return sections;
}

/// The section that names the schema and those to which it refers by their headings; empty if none names it.
std::string manual_of(const std::string& schema) {
  std::string own, others;
  const auto& sections = sections_of_the_manual();
  for (const auto& section : sections)
    if (section.text.find("\n.IR " + schema) != std::string::npos) own += section.text;
  for (const auto& section : sections)
    if (own.find(section.heading) != std::string::npos) others += section.text;
  return own.empty() ? own : own + others;
}

/// The text has the word in bold, or as a member of its example. What `schema` means in every answer is said once.
bool describes(const std::string& text, const std::string& member) {
  const std::regex word("\\n\\.BR? ([^\\n]*[ \"])?" + member + "\\b|\"" + member + "\":");
  return member == "schema" || std::regex_search(text, word);
}

void check_members(const json::value& value, const std::string& path, const std::string& manual) {
  if (value.is_array())
    for (const auto& each : value.get_array()) check_members(each, path, manual);
  if (!value.is_object()) return;
  for (const auto& [key, inside] : value.get_object()) {
    if (key == "properties") {
      for (const auto& property : inside.as_object()) {
        const std::string name(property.key());
        CAPTURE(path);
        CAPTURE(name);
        const auto& member = property.value().as_object();
        CHECK((member.contains("description") || member.contains("$ref")));
        CHECK(describes(manual, name));
      }
    }
    check_members(inside, path, manual);
  }
}

TEST_CASE("every schema is one that the checker reads whole, and the manual describes each of its members") {
  for (const auto& file : sources({"packaging/schema"}, {".schema.json"})) {
    CAPTURE(file.path);
    const JsonSchema schema(file.text);
    CHECK(schema.root().contains("title"));
    const auto name = file.path.substr(file.path.rfind('/') + 1);
    const auto manual = manual_of(name);
    CHECK_FALSE(manual.empty());
    check_members(schema.root(), file.path, manual);
  }
}

/// Of every member `kind`, at any depth.
void check_kinds(const json::value& value) {
  if (value.is_array())
    for (const auto& each : value.get_array()) check_kinds(each);
  if (!value.is_object()) return;
  for (const auto& [key, inside] : value.get_object()) {
    if (key == "properties" && inside.as_object().contains("kind"))
      for (const auto& word : inside.at("kind").at("enum").as_array())
        CHECK((word.is_null() || word == "bulk" || word == "delta"));
    check_kinds(inside);
  }
}

TEST_CASE("every answer has the number of its schema, and `kind` is the kind of a file in all of them") {
  for (const auto& file : sources({"packaging/schema"}, {".schema.json"})) {
    CAPTURE(file.path);
    const auto schema = json::parse(file.text);
    REQUIRE(schema.at("type") == "object");
    CHECK(schema.at("properties").as_object().contains("schema"));
    CHECK(schema.at("required").as_array().front() == "schema");
    check_kinds(schema);
  }
}

TEST_CASE("the manual names schemas that are there") {
  static const std::regex name(R"(([a-z-]+\.schema\.json))");
  int named = 0;
  for (const auto& section : sections_of_the_manual())
    for (std::sregex_iterator at(section.text.begin(), section.text.end(), name), end; at != end; ++at, ++named)
      CHECK_MESSAGE(exists("packaging/schema/" + at->str(1)), at->str(1));
  CHECK(named > 20);
}

std::string faults(const std::string& schema, const std::string& value) {
  return JsonSchema(schema).faults(json::parse(value));
}

TEST_CASE("the checker finds what a schema forbids, and where") {
  const std::string object = R"({"type": "object", "additionalProperties": false, "required": ["a"], "properties": {
    "a": {"type": ["integer", "null"], "minimum": 2}, "b": {"enum": ["x", null]}}})";
  CHECK(faults(object, R"({"a": 2, "b": "x"})") == "");
  CHECK(faults(object, R"({"a": null, "b": null})") == "");
  CHECK(faults(object, R"({"a": 1})") == "$.a: is too small\n");
  CHECK(faults(object, R"({"a": "2"})") == "$.a: is no integer\n");
  CHECK(faults(object, R"({"a": 2.5})") == "$.a: is no integer\n");
  CHECK(faults(object, R"({"b": "y"})") == "$.b: is none of the words allowed\n$: lacks a\n");
  CHECK(faults(object, R"({"a": 2, "c": 1})") == "$: has the unknown c\n");
  CHECK(faults(object, "[]") == "$: is no object\n");

  const std::string array = R"({"type": "array", "items": {"$ref": "#/$defs/day"},
    "$defs": {"day": {"type": "string", "format": "date"}}})";
  CHECK(faults(array, R"(["2026-11-18"])") == "");
  CHECK(faults(array, R"(["2026-11-18", "2026-13-18"])") == "$[1]: is no date\n");
  CHECK(faults(array, "[3]") == "$[0]: is no string\n");

  const std::string time = R"({"type": "string", "format": "date-time"})";
  CHECK(faults(time, R"("2026-11-18T08:07:12Z")") == "");
  CHECK(faults(time, R"("2026-11-18 08:07:12")") == "$: is no date-time\n");
  CHECK(faults(R"({"type": "string", "pattern": "^[a-z]+$"})", R"("A")") == "$: does not match ^[a-z]+$\n");
  CHECK(faults(R"({"type": "boolean"})", "1") == "$: is no boolean\n");
}

TEST_CASE("the checker refuses a schema that says more than it can check") {
  for (const std::string schema :
       {R"({"oneOf": []})", R"({"type": "number"})", R"({"type": "string", "format": "email"})", R"({"type": "array"})",
        R"({"type": "object", "properties": {}})", R"({"type": "object", "additionalProperties": false})",
        R"({"type": "object", "properties": {}, "additionalProperties": true})", R"({"$ref": "#/$defs/none"})",
        R"({"type": "array", "items": {"const": 1}})",
        R"({"type": "object", "properties": {}, "required": ["a"], "additionalProperties": false})"}) {
    CAPTURE(schema);
    CHECK_THROWS_AS(JsonSchema{schema}, std::invalid_argument);
  }
}

}  // namespace
}  // namespace vtmirror::architecture
