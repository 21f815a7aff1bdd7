#include "agent/request_error.hpp"

#include "vtmirror/base/text.hpp"
#include "vtmirror/base/url.hpp"
#include "vtmirror/core/answer.hpp"
#include "vtmirror/report/sentence.hpp"

#include <chrono>
#include <string>
#include <string_view>

namespace vtmirror::agent {
namespace {

/// A smaller difference may come from a cached answer, and is harmless.
constexpr base::Milliseconds tolerated = std::chrono::minutes(5);

/// "login.example/TENANT/oauth2/v2.0/token"; with the port if it is not the usual one.
std::string shown(const base::Url& url) { return url.authority() + std::string(url.path()); }

bool is_web_page(const ports::Response& response) {
  const auto type = base::lower(base::trim(response.content_type.substr(0, response.content_type.find(';'))));
  return type == "text/html" || type == "application/xhtml+xml";
}

std::string seconds_of(base::Time time) { return base::iso8601(std::chrono::floor<std::chrono::seconds>(time)); }

}  // namespace

base::Error named(const ServiceSettings& settings, core::ServiceRequest request, base::Error error, base::Time now) {
  if (error.code == base::Errc::cancelled) return error;
  const auto address =
      request == core::ServiceRequest::token ? settings.token_url : joined(settings.base_url, settings.listing_path);
  const auto url = base::parse_url(address);
  auto why = report::reason(error, url ? url->endpoint() : std::string());
  if (error.diagnosis == base::Diagnosis::outside_its_time) why += "; this machine's clock says " + seconds_of(now);
  error.detail = std::string(core::name(request)) + (url ? " to " + shown(*url) : "") + " failed: " + why;
  error.subject = core::name(request);
  error.why = std::move(why);
  return error;
}

base::Error listing_error(const ports::Response& response, ports::Http& http, base::Time now) {
  auto error = in_place_of_json(core::api_error(failed(response, http)), response);
  // The token is a fresh one: its time cannot be over.
  if (error.code == base::Errc::unauthorised) return with_clocks(std::move(error), response.date, now);
  return error;
}

base::Error in_place_of_json(base::Error error, const ports::Response& response) {
  if (!is_web_page(response)) return error;
  const std::string page = "a web page (text/html)";
  error.detail = (response.status == 200 ? page : "HTTP " + std::to_string(response.status) + " with " + page) +
                 ", not JSON: a proxy or a login page answers";
  error.diagnosis = base::Diagnosis::web_page;
  return error;
}

bool clocks_differ(std::optional<base::Time> server, base::Time now, base::Milliseconds by) noexcept {
  return server && (now - *server > by || *server - now > by);
}

base::Error with_clocks(base::Error error, std::optional<base::Time> server, base::Time now) {
  if (!clocks_differ(server, now, tolerated)) return error;
  error.detail += "; the server's Date is " + seconds_of(*server) + ", this machine's clock says " + seconds_of(now) +
                  ": the clock may be wrong";
  error.diagnosis = base::Diagnosis::clock_differs;
  return error;
}

}  // namespace vtmirror::agent
