// A client of the service without sockets: takes a token, lists, follows links; for tests. Its clock is a member.
#pragma once

#include "simulator/service.hpp"
#include "vtmirror/base/encoding.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <string>

namespace vtmirror::simulator {

struct Client {
  explicit Client(const std::string& script = "{}", std::string_view today = "2026-11-18")
      : service(merge({}, script).value(), base::parse_date(today).value(), identity) {
    service.set_addresses(
        {.api = "https://localhost:1", .issuer = "https://localhost:2", .store = "https://localhost:3", .control = ""});
  }

  Answer ask(At at, std::string method, std::string path, Headers headers = {}, std::string body = {}) {
    const std::size_t mark = std::min(path.find('?'), path.size());
    Request request{.at = at, .method = std::move(method), .path = path.substr(0, mark)};
    if (mark < path.size()) request.query = path.substr(mark + 1);
    request.headers = std::move(headers);
    request.body = std::move(body);
    return at == At::control ? service.control(request, now) : service.answer(request, now);
  }

  Answer ask_token(const std::string& form) {
    return ask(At::issuer, "POST", token_path, {{"content-type", "application/x-www-form-urlencoded"}}, form);
  }
  std::string form() const {
    return "grant_type=client_credentials&client_id=" + identity.client_id +
           "&client_secret=" + base::percent_encoded(identity.client_secrets.back()) +
           "&scope=" + base::percent_encoded(identity.scope);
  }
  std::string token() { return std::string(boost::json::parse(ask_token(form()).text).at("access_token").as_string()); }
  Headers credentials() { return {{"authorization", "Bearer " + token()}, {"x-api-key", identity.api_key}}; }
  boost::json::value list() { return boost::json::parse(ask(At::api, "GET", listing_path, credentials()).text); }
  /// The link of an entry, without its host.
  std::string link(const char* kind, std::size_t index) {
    const boost::json::value listing = list();
    const std::string url(listing.at(kind).as_array().at(index).at("downloadUrl").as_string());
    return url.substr(url.find('/', 8));
  }
  Answer get(const std::string& link, Headers more = {}) {
    more.emplace_back("host", "localhost:3");
    return ask(At::store, "GET", link, std::move(more));
  }

  Identity identity = make_identity();
  Service service;
  base::Time now = base::parse_time("2026-11-18T08:00:00Z").value();
};

inline std::string header(const Answer& answer, std::string_view name) {
  for (const auto& [key, value] : answer.headers) {
    if (key == name) return value;
  }
  return "";
}

inline std::string error_code(const Answer& answer) {
  return std::string(boost::json::parse(answer.text).at("errorCode").as_string());
}

}  // namespace vtmirror::simulator
