#include "vtmirror/core/answer.hpp"

#include "vtmirror/base/encoding.hpp"
#include "vtmirror/base/json.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/core/request.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

// The errors that answers with a failure status mean.

namespace vtmirror::core {
namespace {

using base::Errc;
using base::Error;
using namespace std::chrono_literals;
using std::chrono::seconds;

namespace json = boost::json;

/// What an error body says, without its status: the JSON of the API and the issuer, the XML of the store.
/// Reads what is present; a body in another form yields empty fields. The fields are printable.
struct ErrorBody {
  std::string code{};  ///< "MOTH-FB-03", "invalid_client", "AccessDenied"
  std::string message{};
  std::string lead{};     ///< "AADSTS7000222" of the description "AADSTS7000222: The provided client secret ..."
  std::string request{};  ///< "4711", for a support request
  std::string codes{};    ///< "7000222,50126", the same
};

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

std::string with_entities(std::string text) {
  for (const auto& [entity, letter] : base::xml_entities) {
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

/// Masked after the fields were decoded and cut: a part of a secret that a limit left counts too.
ErrorBody masked(ErrorBody body, const base::KnownSecrets* known) {
  if (known == nullptr) return body;
  return {known->masked(body.code), known->masked(body.message), known->masked(body.lead), known->masked(body.request),
          known->masked(body.codes)};
}

ErrorBody read_api_error(const FailedAnswer& answer) {
  const auto members = read_members(answer.body);
  const base::JsonObject error(members);
  const std::string own = message_member(error, "errorMessage");
  const ErrorBody body{.code = scalar_member(error, "errorCode"),
                       .message = own.empty() ? message_member(error, "message") : own,
                       .request = scalar_member(error, "requestId")};
  return masked(body, answer.known);
}

ErrorBody read_token_error(const FailedAnswer& answer) {
  const auto members = read_members(answer.body);
  const base::JsonObject error(members);
  const std::string description = message_member(error, "error_description");
  const auto end = description.find(':');
  const ErrorBody body{.code = scalar_member(error, "error"),
                       .message = description,
                       .lead = end == std::string::npos ? std::string() : description.substr(0, end),
                       .codes = scalar_member(error, "error_codes")};
  return masked(body, answer.known);
}

ErrorBody read_store_error(const FailedAnswer& answer) {
  const ErrorBody body{.code = element(answer.body, "Code", longest_code),
                       .message = element(answer.body, "Message", longest_message)};
  return masked(body, answer.known);
}

/// `HTTP 403 MOTH-FB-03 "API key not recognised" (request id 4711)`, without the parts that are unknown.
std::string describe(int status, const ErrorBody& body) {
  std::string text = "HTTP " + std::to_string(status);
  if (!body.code.empty()) text += " " + body.code;
  if (!body.message.empty()) text += " \"" + body.message + "\"";
  if (!body.request.empty()) text += " (request id " + body.request + ")";
  if (!body.codes.empty()) text += " (codes " + body.codes + ")";
  return text;
}

/// "FB-03" of "MOTH-FB-03", in upper case: the last two parts, so that a deployment's prefix does not matter.
std::string family_and_number(std::string_view code) {
  std::string upper{base::trim(code)};
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  const auto number = upper.rfind('-');
  if (number == std::string::npos || number == 0) return upper;
  const auto prefix = upper.find_last_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", number - 1);
  return prefix == std::string::npos ? upper : upper.substr(prefix + 1);
}

constexpr seconds longest_retry_after = 24h * 366;

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

/// `; it asks to wait 15m`
std::string with_wait(std::string text, std::optional<seconds> wait) {
  if (wait && *wait > 0s) text += "; it asks to wait " + base::human_duration(*wait);
  return text;
}

Error failed(std::string_view who, Errc code, const FailedAnswer& answer, const ErrorBody& body) {
  auto text = describe(answer.status, body);
  // What stands between the fields may be a character of a secret whose other parts they are.
  if (answer.known != nullptr) text = answer.known->masked(text);
  if (answer.status == 429) text = "too many requests (" + text + ')';
  if (answer.status >= 300 && answer.status < 400) text += ": a redirect to another address, which is not followed";
  if (answer.status == 503) text = std::string(who) + " is unavailable (" + text + ')';
  return Error{code, with_wait(std::move(text), answer.retry_after), answer.status, answer.retry_after};
}

/// "AADSTS7000215" if the issuer gives that code, in its list or before its description, and not the other one.
std::string code_of_issuer(const ErrorBody& body) {
  const auto list = ',' + body.codes + ',';
  const auto is_given = [&](std::string_view code) {
    const auto number = std::string(code.substr(std::string_view("AADSTS").size()));
    return list.find(',' + number + ',') != std::string::npos || body.lead == code;
  };
  const bool has_expired = is_given(expired_secret);
  if (has_expired == is_given(wrong_secret)) return {};
  return std::string(has_expired ? expired_secret : wrong_secret);
}

constexpr int unauthorised_client = 401;

/// RFC 6749, 5.2: whatever the issuer calls it, 401 is the answer to a client that did not authenticate. One without a
/// code of OAuth may be a proxy's.
bool is_refused_client(int status, const std::string& code) {
  return code == "invalid_client" || (status == unauthorised_client && !code.empty());
}

}  // namespace

Error api_error(const FailedAnswer& answer) {
  const ErrorBody body = read_api_error(answer);
  const std::string code = family_and_number(body.code);
  Error error = failed("the service", api_code(answer.status, code), answer, body);
  error.service_code = code;
  if (!error.retry_after) error.retry_after = usual_wait(code);
  if (code == "FB-03") error.detail = "the service does not know the API key: " + error.detail;
  return error;
}

bool carries_code(const FailedAnswer& answer, std::string_view wanted) {
  return family_and_number(read_api_error(answer).code) == wanted;
}

Error token_error(const FailedAnswer& answer) {
  const ErrorBody body = read_token_error(answer);
  const std::string code = base::lower(body.code);
  Error error =
      failed("the token issuer", is_busy(answer.status) ? Errc::rate_limited : Errc::http_status, answer, body);
  error.service_code = code;
  if (!is_refused_client(answer.status, code)) return error;
  error.code = Errc::forbidden;
  error.service_code = "invalid_client";
  const auto exact = code_of_issuer(body);
  if (exact.empty()) return error;
  error.service_code = exact;
  error.detail =
      (exact == expired_secret ? "the client secret has expired (" : "the client secret is wrong (") + exact + ')';
  return error;
}

Error store_error(const FailedAnswer& answer) {
  auto text = store_at(answer.host) + " answered " + describe(answer.status, read_store_error(answer));
  return Error{store_code(answer.status), with_wait(std::move(text), answer.retry_after), answer.status,
               answer.retry_after};
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
