#include "core/error_body.hpp"

#include "vtmirror/base/json.hpp"
#include "vtmirror/base/text.hpp"

#include <boost/json/serialize.hpp>

#include <array>
#include <utility>

namespace vtmirror::core {
namespace {

namespace json = boost::json;

constexpr std::size_t longest_code = 60;
constexpr std::size_t longest_message = 300;
constexpr std::size_t longest_content = 4'096;  ///< of an XML element, checked before it is decoded

/// The members of an error object; empty if the body cannot be read.
json::object read_members(std::string_view body) {
  auto document = base::parse_json_object(body, {.any_bytes = true});
  return document ? *std::move(document) : json::object();
}

std::string message_member(const base::JsonObject& error, std::string_view key) {
  return base::printable(error.text(key), longest_message);
}

/// A member that is a string, a number or an array of them; otherwise empty.
std::string scalar_member(const base::JsonObject& error, std::string_view key) {
  const auto* const member = error.find(key);
  if (member == nullptr) return {};
  if (member->is_string()) return base::printable(error.text(key), longest_code);
  if (!member->is_number() && !member->is_array()) return {};
  std::string written = json::serialize(*member);
  std::erase_if(written, [](char c) { return c == '[' || c == ']' || c == '"'; });
  return base::printable(written, longest_code);
}

std::string marked(std::string_view what, const std::string& mark) {
  return mark.empty() ? std::string{} : std::string{what} + " " + mark;
}

std::string with_entities(std::string text) {
  // "&amp;" last, so that "&amp;lt;" becomes "&lt;".
  constexpr std::array<std::pair<std::string_view, char>, 5> entities{
      {{"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}, {"&amp;", '&'}}};
  for (const auto& [entity, letter] : entities) {
    for (auto at = text.find(entity); at != std::string::npos; at = text.find(entity, at + 1)) {
      text.replace(at, entity.size(), 1, letter);
    }
  }
  return text;
}

/// The text of the first such element, if it contains only text.
std::string element(std::string_view xml, std::string_view tag, std::size_t limit) {
  const std::string open = "<" + std::string{tag} + ">";
  const auto at = xml.find(open);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = xml.substr(at + open.size());
  const auto end = rest.find('<');
  if (end == std::string_view::npos || !rest.substr(end).starts_with("</" + std::string{tag})) return {};
  const std::string_view content = base::trim(rest.substr(0, end)).substr(0, longest_content);
  return base::printable(with_entities(std::string{content}), limit);
}

}  // namespace

ErrorBody read_api_error(std::string_view body) {
  const auto members = read_members(body);
  const base::JsonObject error(members);
  const std::string own = message_member(error, "errorMessage");
  return {scalar_member(error, "errorCode"), own.empty() ? message_member(error, "message") : own,
          marked("request id", scalar_member(error, "requestId"))};
}

ErrorBody read_token_error(std::string_view body) {
  const auto members = read_members(body);
  const base::JsonObject error(members);
  return {scalar_member(error, "error"), message_member(error, "error_description"),
          marked("codes", scalar_member(error, "error_codes"))};
}

ErrorBody read_store_error(std::string_view body) {
  return {element(body, "Code", longest_code), element(body, "Message", longest_message), {}};
}

std::string describe(int status, const ErrorBody& body) {
  std::string text = "HTTP " + std::to_string(status);
  if (!body.code.empty()) text += " " + body.code;
  if (!body.message.empty()) text += " \"" + body.message + "\"";
  if (!body.mark.empty()) text += " (" + body.mark + ")";
  return text;
}

std::string family_and_number(std::string_view code) {
  std::string upper{base::trim(code)};
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  const auto number = upper.rfind('-');
  if (number == std::string::npos || number == 0) return upper;
  const auto prefix = upper.find_last_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", number - 1);
  return prefix == std::string::npos ? upper : upper.substr(prefix + 1);
}

}  // namespace vtmirror::core
