#include "vtmirror/core/token.hpp"

#include "vtmirror/base/encoding.hpp"
#include "vtmirror/base/json.hpp"
#include "vtmirror/base/secret.hpp"
#include "vtmirror/base/text.hpp"

#include <string.h>  // explicit_bzero
#include <boost/json/memory_resource.hpp>

#include <algorithm>
#include <cstddef>
#include <new>
#include <string>

namespace vtmirror::core {
namespace {

/// A memory resource for JSON values that hold secrets: it overwrites memory on release, which Boost.JSON's own does
/// not.
class WipingMemory final : public boost::json::memory_resource {
  // Boost.JSON releases some strings with another alignment than it asked for; each is one that `new` has anyway.
  static_assert(alignof(std::max_align_t) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
  void* do_allocate(std::size_t size, std::size_t) override { return ::operator new(size); }
  void do_deallocate(void* memory, std::size_t size, std::size_t) override {
    ::explicit_bzero(memory, size);
    ::operator delete(memory);
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

constexpr std::chrono::seconds example_lifetime{1199};
constexpr std::chrono::seconds longest_lifetime{3600};

bool unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

base::Error bad(std::string_view what) {
  return {base::Errc::protocol, "the token issuer's answer " + std::string(what)};
}

/// Some issuers send the number as a string.
std::chrono::seconds lifetime_of(const base::JsonObject& answer) {
  auto seconds = answer.integer("expires_in");
  if (const auto parsed = base::parse_int(answer.text("expires_in"))) seconds = *parsed;
  if (seconds <= 0) return example_lifetime;
  return std::min(std::chrono::seconds(seconds), longest_lifetime);
}

/// The characters that RFC 6750 allows in a bearer token; anything else could split a header.
bool fit_for_header(std::string_view token) {
  const auto fit = [](char c) { return unreserved(c) || c == '+' || c == '/' || c == '='; };
  return !token.empty() && std::all_of(token.begin(), token.end(), fit);
}

}  // namespace

base::Secret token_form(std::string_view client_id, const base::Secret& client_secret, std::string_view scope) {
  const base::Secret encoded_secret(base::percent_encoded(client_secret.reveal()));
  std::string form;
  // Capacity for the worst case at once: a growing string would leave copies of the secret behind.
  form.reserve(100 + 3 * (client_id.size() + client_secret.reveal().size() + scope.size()));
  form += "grant_type=client_credentials&client_id=";
  form += base::percent_encoded(client_id);
  form += "&client_secret=";
  form += encoded_secret.reveal();
  form += "&scope=";
  form += base::percent_encoded(scope);
  return base::Secret(std::move(form));
}

base::Result<Token> parse_token(std::string_view json) {
  WipingMemory memory;
  const auto document = base::parse_json_object(json, {.depth = 16}, &memory);
  if (!document) return bad("is not a JSON object");
  const base::JsonObject answer(*document);
  const bool is_bearer = answer.find("token_type") == nullptr || base::iequals(answer.text("token_type"), "bearer");
  if (!is_bearer) return bad("is a token of a type other than Bearer");
  const auto text = answer.text("access_token");
  if (answer.fault()) return bad("has no access_token");
  if (!fit_for_header(text)) return bad("has an access_token with characters that a header cannot carry");
  return Token{base::Secret(std::string(text)), lifetime_of(answer)};
}

base::Milliseconds token_usable_for(std::chrono::seconds lifetime) {
  const base::Milliseconds whole = lifetime;
  return whole - std::min<base::Milliseconds>(std::chrono::minutes(1), whole / 10);
}

namespace {

constexpr std::size_t longest_secret = 4096;

base::Error unusable(const std::string& what) {
  return {base::Errc::protocol, "the answer with the new secret " + what};
}

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
  if (!is_json(content_type)) return unusable("is " + base::printable(content_type, 60) + " and not JSON");
  WipingMemory memory;
  const auto document = base::parse_json_object(json, {.depth = 16}, &memory);
  if (!document) return unusable("is not a JSON object");
  const base::JsonObject answer(*document);
  const auto text = answer.text("clientSecret");
  if (answer.fault()) return unusable("has no clientSecret");
  if (const auto fault = secret_fault(text); !fault.empty())
    return unusable("has a clientSecret that " + std::string(fault));
  return base::Secret(std::string(text));
}

}  // namespace vtmirror::core
