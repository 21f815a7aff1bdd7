#include "vtmirror/core/token.hpp"

#include "core/wiping_memory.hpp"
#include "vtmirror/base/encoding.hpp"
#include "vtmirror/base/json.hpp"
#include "vtmirror/base/text.hpp"

#include <algorithm>

namespace vtmirror::core {

namespace {

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

}  // namespace vtmirror::core
