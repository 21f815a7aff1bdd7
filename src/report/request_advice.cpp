#include "report/request_advice.hpp"

#include <algorithm>
#include <array>

namespace vtmirror::report {
namespace {

using base::Errc;
using core::ServiceRequest;

struct Known {
  std::string_view service_code;
  std::string_view advice;
};
constexpr std::array known_codes{
    Known{core::wrong_secret,
          "check that it is the secret's value and not its ID, then run `vtmirror secret set`; no support request is "
          "needed"},
    Known{core::expired_secret,
          "ask the service's support for a new secret (only a support request helps), then run `vtmirror secret set`"},
    Known{"unauthorized_client", "check credentials.client_id, and the tenant in service.token_url"},
    Known{"invalid_scope", "check service.scope"},
    Known{"invalid_client", doubtful_secret},
    Known{"FB-03", doubtful_key},
    Known{"NF-02", "check service.base_url and service.listing_path"},
    Known{"RL-01", "the day's quota of requests is used up; the service may block the key for 24 hours"},
};

constexpr int first_redirect = 300;
constexpr int first_client_error = 400;
constexpr int not_found = 404;
constexpr int forbidden = 403;
constexpr int proxy_login = 407;
constexpr int gone = 410;
constexpr int first_server_error = 500;
constexpr int unavailable = 503;

/// "service.token_url", "service.base_url"
std::string address_of(ServiceRequest request) {
  return request == ServiceRequest::token ? "service.token_url" : "service.base_url";
}

/// The setting of the host and that of the path.
std::string place_of(ServiceRequest request) {
  return request == ServiceRequest::token ? "service.token_url" : "service.base_url and service.listing_path";
}

std::string lead(Again again) {
  return again == Again::by_hand ? "run this again later" : "no action needed: it is tried again";
}

std::string advice_on_a_busy_answer(int status, ServiceRequest request, Again again) {
  if (status != unavailable)
    return lead(again) + (again == Again::by_hand ? "" : " after a while") +
           "; check that nothing else uses the same client ID and API key so often";
  return lead(again) + "; if it continues, ask " +
         (request == ServiceRequest::token ? "the operator of the token issuer (service.token_url)" : "the service");
}

std::string advice_on_status(int status, ServiceRequest request, Again again) {
  if (status == proxy_login) return "the proxy asks for a login: check service.proxy";
  if (status >= first_server_error)
    return lead(again) + "; if the error stays, report it to " +
           (request == ServiceRequest::token ? "the operator of the token issuer (service.token_url)" : "the service");
  if (status >= first_redirect && status < first_client_error)
    return "check " + address_of(request) +
           " and service.proxy: the address has moved, or this network wants a login first";
  if (status == not_found || status == gone) return "check " + place_of(request);
  if (request == ServiceRequest::token) return "check service.token_url, service.scope and credentials.client_id";
  if (status == forbidden)
    return "check the file of the API key (credentials.api_key_file), service.base_url and service.listing_path";
  return "check " + place_of(request) + ", and the file of the API key (credentials.api_key_file)";
}

}  // namespace

std::string_view advice_on_code(std::string_view service_code) noexcept {
  const auto known = std::ranges::find(known_codes, service_code, &Known::service_code);
  return known == known_codes.end() ? std::string_view() : known->advice;
}

std::string_view advice_on_diagnosis(base::Diagnosis diagnosis) noexcept {
  using base::Diagnosis;
  switch (diagnosis) {
    case Diagnosis::clock_differs:
      return "set this machine's clock, and keep it right by NTP (`timedatectl status`)";
    case Diagnosis::unknown_authority:
      return "if its certificate comes from a private authority or an inspecting proxy, set service.ca_file to that "
             "authority's certificate";
    case Diagnosis::outside_its_time:
      return "check this machine's clock (`timedatectl status`); if it is right, the service has to renew its "
             "certificate";
    case Diagnosis::open_files:
      return "this process may not open more files: raise its limit, with LimitNOFILE= in a drop-in of its unit "
             "(`systemctl edit vtmirror`) or with `ulimit -n` in a shell";
    case Diagnosis::open_files_of_machine:
      return "this machine may not open more files: end what holds so many (`lsof`), or raise fs.file-max (sysctl)";
    case Diagnosis::proxy_failed:
      return "check service.proxy (or HTTPS_PROXY in the environment), and that the proxy runs and allows this host";
    case Diagnosis::proxy_login:
      return "the proxy asks for a login: set service.proxy to http://USER:PASSWORD@HOST:PORT, with its user and "
             "password";
    case Diagnosis::linked_directory:
      return "vtmirror follows no symlink inside its mirror: move the directory back, or mount its disk there in the "
             "symlink's place (`mount --bind`)";
    case Diagnosis::not_as_published:
      return "`vtmirror verify --repair` says what is lost, and downloads again what is still listed";
    case Diagnosis::obstructed_file:
      return "move that away, `vtmirror files --json` shows the file's path";
    case Diagnosis::none:
    case Diagnosis::web_page:
    case Diagnosis::other_host:
    case Diagnosis::other_version:
    case Diagnosis::died_in_checks:
      break;
  }
  return {};
}

std::string_view advice_on_answer(const core::Cause& cause) noexcept {
  if (const auto known = advice_on_diagnosis(core::diagnosis(cause)); !known.empty()) return known;
  return advice_on_code(core::service_code(cause));
}

std::string advice_on_request(const core::Cause& cause, ServiceRequest request, Again again) {
  const auto diagnosis = core::diagnosis(cause);
  if (diagnosis == base::Diagnosis::web_page)
    return "check " + address_of(request) + " and service.proxy, and whether this network wants a login";
  if (diagnosis == base::Diagnosis::other_host)
    return "check the host in " + address_of(request) + "; if it is right, a proxy answers in its place";
  if (const auto known = advice_on_answer(cause); !known.empty()) {
    const bool waits = cause.code == Errc::rate_limited && again == Again::by_hand;
    return std::string(known) + (waits ? "; run this again after that" : "");
  }
  switch (cause.code.value_or(Errc::protocol)) {
    case Errc::timed_out:
    case Errc::unreachable:
      return "check " + address_of(request) + ", this machine's network and DNS, and service.proxy";
    case Errc::tls:
      return "check " + address_of(request) + " and service.ca_file";
    case Errc::rate_limited:
      return advice_on_a_busy_answer(cause.status, request, again);
    case Errc::unauthorised:
      return "check that service.scope, service.token_url and service.base_url belong together";
    case Errc::http_status:
      return advice_on_status(cause.status, request, again);
    case Errc::protocol:
      return "check " + place_of(request) + "; if they are right, report it to the service";
    default:
      return "check " + place_of(request);
  }
}

}  // namespace vtmirror::report
