#include "vtmirror/core/service_error.hpp"

#include "core/error_body.hpp"
#include "vtmirror/base/text.hpp"

#include <algorithm>

namespace vtmirror::core {
namespace {

using base::Errc;
using base::Error;
using namespace std::chrono_literals;
using std::chrono::seconds;

constexpr seconds longest_retry_after = 24h * 366;
constexpr char unknown_key[] =
    "; the service does not recognise the API key: it is mistyped, or was revoked after 90 days without use";

bool is_busy(int status) { return status == 429 || status == 503; }

Errc api_code(int status, std::string_view code) {
  if (code == "FB-02" || code == "FB-04") return Errc::unauthorised;
  if (code.starts_with("RL-") || is_busy(status)) return Errc::rate_limited;
  if (status == 401) return Errc::unauthorised;
  const bool refused = code == "UA-01" || code == "FB-01" || code == "FB-03";
  if (status == 403 && refused) return Errc::forbidden;
  return Errc::http_status;
}

/// The wait that a code implies if the answer does not give one.
std::optional<seconds> usual_wait(std::string_view code) {
  if (code == "RL-01") return 24h;   // the day's allowance is used up
  if (code == "RL-02") return 2min;  // too many in a short time
  return std::nullopt;
}

Errc store_code(int status) {
  switch (status) {
    case 400:
    case 401:
    case 403:
    case 404:
    case 410:
      return Errc::link_refused;
    case 412:
    case 416:
      return Errc::changed_upstream;
    case 429:
    case 503:
      return Errc::rate_limited;
    default:
      return Errc::http_status;
  }
}

Error failed(Errc code, const FailedAnswer& answer, const ErrorBody& body) {
  return Error{code, describe(answer.status, body), answer.status, answer.retry_after};
}

}  // namespace

Error api_error(const FailedAnswer& answer) {
  const ErrorBody body = read_api_error(answer.body);
  const std::string code = family_and_number(body.code);
  Error error = failed(api_code(answer.status, code), answer, body);
  error.service_code = code;
  if (!error.retry_after) error.retry_after = usual_wait(code);
  if (code == "FB-03") error.detail += unknown_key;
  return error;
}

bool carries_code(const FailedAnswer& answer, std::string_view wanted) {
  return family_and_number(read_api_error(answer.body).code) == wanted;
}

Error token_error(const FailedAnswer& answer) {
  const ErrorBody body = read_token_error(answer.body);
  const std::string code = base::lower(body.code);
  Error error = failed(is_busy(answer.status) ? Errc::rate_limited : Errc::http_status, answer, body);
  if (code == "invalid_client") error.code = Errc::forbidden;
  error.service_code = code;
  return error;
}

Error store_error(const FailedAnswer& answer) {
  return failed(store_code(answer.status), answer, read_store_error(answer.body));
}

std::optional<seconds> retry_after(std::string_view header, std::optional<base::Time> now) {
  const std::string_view text = base::trim(header);
  if (!text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos) {
    // A number that does not fit is a very long wait.
    const auto count = base::parse_int(text);
    return count ? std::min(seconds{*count}, longest_retry_after) : longest_retry_after;
  }
  const auto until = base::parse_http_date(text);
  if (!until || !now) return std::nullopt;
  return std::clamp(std::chrono::ceil<seconds>(*until - *now), 0s, longest_retry_after);
}

}  // namespace vtmirror::core
