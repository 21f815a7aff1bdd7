#include "simulator/service.hpp"

#include "simulator/calendar.hpp"
#include "simulator/digest.hpp"
#include "simulator/fields.hpp"
#include "vtmirror/base/json.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/base/url.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <string>

namespace vtmirror::simulator {

namespace json = boost::json;
namespace {

std::string link_to(const State& state, std::string_view name, base::Time now) {
  base::Url link = base::parse_url(state.addresses.store).value();
  link.target = "/" + std::string(name);
  return link.text() + "?" +
         sign_link(state.link_key, link.authority(), link.target, now, std::chrono::seconds(state.script.link_seconds));
}

void append_extra(json::array& entries, const json::array& extra, const State& state, base::Time now) {
  for (json::value each : extra) {
    const base::JsonObject entry(each);
    const auto name = entry.optional_text("filename");
    if (name && entry.text("downloadUrl") == "@sign") each.get_object()["downloadUrl"] = link_to(state, *name, now);
    entries.push_back(std::move(each));
  }
}

/// The text of the listing (vtmirror-service(7) 2.1): the day's files, each with a freshly signed link.
std::string listing_text(const State& state, base::Time now) {
  if (state.script.listing_raw) return *state.script.listing_raw;
  json::array bulk;
  json::array delta;
  for (const File& file : listed_files(state.script, state.today)) {
    json::object entry;
    entry["filename"] = file.name;
    entry["downloadUrl"] = link_to(state, file.name, now);
    entry["fileSize"] = file.recipe.bytes;
    entry["fileCreatedOn"] = base::iso8601(file.date);
    (file.kind == Kind::bulk ? bulk : delta).push_back(std::move(entry));
  }
  append_extra(bulk, state.script.extra_bulk, state, now);
  append_extra(delta, state.script.extra_delta, state, now);
  json::object listing;
  listing["bulk"] = std::move(bulk);
  listing["delta"] = std::move(delta);
  return json::serialize(listing);
}

constexpr std::size_t most_secrets = 3;

Answer refuse(int status, std::string_view code, std::string_view what) {
  json::object object;
  object["errorCode"] = "MOTH-" + std::string(code);
  object["errorMessage"] = what;
  object["requestId"] = random_hex(16);
  return text_answer(status, "application/json", json::serialize(object));
}

std::optional<Answer> judge_token(const State& state, const Request& request, base::Time now) {
  constexpr std::string_view scheme = "Bearer ";
  const auto header = request.header("authorization");
  if (!header) return refuse(403, "FB-04", "Access token is missing");
  if (!base::iequals(header->substr(0, scheme.size()), scheme)) return refuse(401, "UA-01", "Authorisation failed");
  const auto token = state.tokens.find(header->substr(scheme.size()));
  if (token == state.tokens.end()) return refuse(401, "UA-01", "Authorisation failed");
  if (token->second <= now) return refuse(403, "FB-02", "Access token has expired");
  return std::nullopt;
}

std::optional<Answer> judge_headers(const State& state, const Request& request, base::Time now) {
  if (auto refused = judge_token(state, request, now)) return refused;
  const auto key = request.header("x-api-key");
  if (!key) return refuse(403, "FB-01", "No permission: the API key is missing");
  const bool known = !state.script.api_key_revoked && same_secret(*key, state.identity.api_key);
  if (!known) return refuse(403, "FB-03", "API key is not recognised");
  return std::nullopt;
}

Answer list(const State& state, const Request& request, base::Time now) {
  if (!request.body.empty()) return refuse(400, "BR-01", "Bad request: a body was not expected");
  return text_answer(200, "application/json", listing_text(state, now));
}

Answer new_secret(State& state, const Request& request) {
  const auto body = parse_object(request.body);
  if (!body) return refuse(400, "BR-01", "Bad request: the body is not JSON");
  std::string key;
  std::string email;
  Fields fields(*body);
  fields.read(state.script.credentials_key_property, key);
  fields.read("email", email);
  if (const auto read = fields.finish(); !read) return refuse(400, "BR-01", "Bad request: " + read.error().detail);
  if (!same_secret(key, state.identity.api_key)) return refuse(403, "FB-03", "API key is not recognised");
  if (email != state.identity.email) return refuse(400, "BR-01", "Bad request: the e-mail address is not the client's");
  auto& secrets = state.identity.client_secrets;
  if (secrets.size() >= most_secrets) return refuse(412, "PC-01", "Limit of active client secrets reached");
  secrets.push_back("secret~" + random_hex(16));
  json::object object;
  object["clientSecret"] = secrets.back();
  return text_answer(200, "application/json", json::serialize(object));
}

}  // namespace

Answer answer_api(State& state, const Request& request, base::Time now) {
  const bool listing = request.path == listing_path && request.method == "GET";
  const bool credentials = request.path == credentials_path && request.method == state.script.credentials_method;
  if (!listing && !credentials) return refuse(404, "NF-02", "No such URL");
  if (auto refused = judge_headers(state, request, now)) return *std::move(refused);
  return listing ? list(state, request, now) : new_secret(state, request);
}

}  // namespace vtmirror::simulator
