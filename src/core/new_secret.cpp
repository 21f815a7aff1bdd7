#include "vtmirror/core/new_secret.hpp"

#include "core/wiping_memory.hpp"
#include "vtmirror/base/encoding.hpp"
#include "vtmirror/base/json.hpp"
#include "vtmirror/base/text.hpp"

#include <algorithm>
#include <string>

namespace vtmirror::core {
namespace {

constexpr std::size_t longest_secret = 4096;

base::Error bad(const std::string& what) { return {base::Errc::protocol, "the answer with the new secret " + what}; }

/// "application/json; charset=utf-8" and "application/problem+json"
bool is_json(std::string_view content_type) {
  const auto type = base::lower(base::trim(content_type.substr(0, content_type.find(';'))));
  return type.empty() || type == "application/json" || type == "text/json" || type.ends_with("+json");
}

void append_quoted(std::string& text, std::string_view value) {
  text += '"';
  for (const char c : value) {
    if (c == '"' || c == '\\') text += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) {
      text += c;
      continue;
    }
    text += "\\u00" + base::hex({&c, 1});
  }
  text += '"';
}

}  // namespace

std::string_view secret_fault(std::string_view text) {
  if (text.empty()) return "is empty";
  if (text.size() > longest_secret) return "is larger than 4 KiB";
  const bool printable = std::all_of(text.begin(), text.end(), [](unsigned char c) { return c >= 0x20 && c < 0x7f; });
  return printable ? "" : "holds characters that are not printable: it must be one line of text";
}

base::Secret credentials_body(std::string_view key_property, const base::Secret& api_key, std::string_view email) {
  std::string text;
  // Capacity for the worst case at once: a growing string would leave copies of the key behind.
  text.reserve(64 + 6 * (key_property.size() + api_key.reveal().size() + email.size()));
  text += '{';
  append_quoted(text, key_property);
  text += ':';
  append_quoted(text, api_key.reveal());
  text += ",\"email\":";
  append_quoted(text, email);
  text += '}';
  return base::Secret(std::move(text));
}

base::Result<base::Secret> parse_new_secret(std::string_view content_type, std::string_view json) {
  if (!is_json(content_type)) return bad("is " + base::printable(content_type, 60) + " and not JSON");
  WipingMemory memory;
  const auto document = base::parse_json_object(json, {.depth = 16}, &memory);
  if (!document) return bad("is not a JSON object");
  const base::JsonObject answer(*document);
  const auto text = answer.text("clientSecret");
  if (answer.fault()) return bad("has no clientSecret");
  if (const auto fault = secret_fault(text); !fault.empty())
    return bad("has a clientSecret that " + std::string(fault));
  return base::Secret(std::string(text));
}

}  // namespace vtmirror::core
