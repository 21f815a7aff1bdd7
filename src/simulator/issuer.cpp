#include "simulator/service.hpp"

#include "simulator/digest.hpp"
#include "vtmirror/base/text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>

namespace vtmirror::simulator {

namespace json = boost::json;
namespace {

Answer json_answer(int status, const json::object& object) {
  Answer answer = text_answer(status, "application/json; charset=utf-8", json::serialize(object));
  answer.headers.emplace_back("Cache-Control", "no-store");
  return answer;
}

Answer refuse(int status, std::string_view error, int code, std::string_view what, base::Time now) {
  json::object object;
  object["error"] = error;
  object["error_description"] =
      "AADSTS" + std::to_string(code) + ": " + std::string(what) + " Trace ID: " + random_hex(8);
  object["error_codes"] = json::array{code};
  object["timestamp"] = base::iso8601(now);
  object["correlation_id"] = random_hex(16);
  return json_answer(status, object);
}

bool is_form(const Request& request) {
  const auto type = request.header("content-type").value_or("");
  return base::iequals(base::trim(type.substr(0, type.find(';'))), "application/x-www-form-urlencoded");
}

bool knows_secret(const Identity& identity, const std::string& secret) {
  return std::any_of(identity.client_secrets.begin(), identity.client_secrets.end(),
                     [&](const std::string& each) { return same_secret(each, secret); });
}

Answer issue(State& state, base::Time now) {
  const std::string token = "eyJ0eXAiOiJKV1QifQ." + random_hex(150) + "." + random_hex(32);
  state.tokens[token] = now + std::chrono::seconds(state.script.token_seconds);
  json::object object;
  object["token_type"] = "Bearer";
  object["expires_in"] = state.script.token_seconds;
  object["ext_expires_in"] = state.script.token_seconds;
  object["access_token"] = token;
  return json_answer(200, object);
}

}  // namespace

Answer answer_issuer(State& state, const Request& request, base::Time now) {
  const Identity& identity = state.identity;
  if (request.path != token_path) return text_answer(404, "text/plain", "no such tenant\n");
  if (request.method != "POST")
    return refuse(405, "invalid_request", 900561, "The endpoint only accepts POST requests.", now);
  if (!is_form(request)) return refuse(400, "invalid_request", 900144, "The request body must be a form.", now);
  const auto field = [&](std::string_view name) { return parameter(request.body, name); };
  for (const char* name : {"grant_type", "client_id", "client_secret", "scope"}) {
    if (field(name).value_or("").empty()) {
      return refuse(400, "invalid_request", 900144, "The request body must contain '" + std::string(name) + "' once.",
                    now);
    }
  }
  if (field("grant_type") != "client_credentials") {
    return refuse(400, "unsupported_grant_type", 70003, "The grant type is not supported.", now);
  }
  if (field("client_id") != identity.client_id) {
    return refuse(400, "unauthorized_client", 700016, "The application was not found in the directory.", now);
  }
  if (!knows_secret(identity, *field("client_secret"))) {
    return refuse(401, "invalid_client", 7000215, "Invalid client secret provided.", now);
  }
  if (state.script.secret_expired) {
    return refuse(401, "invalid_client", 7000222, "The provided client secret keys are expired.", now);
  }
  if (field("scope") != identity.scope) return refuse(400, "invalid_scope", 70011, "The scope is not valid.", now);
  return issue(state, now);
}

}  // namespace vtmirror::simulator
