#include "vtmirror/core/answer.hpp"

#include "vtmirror/base/encoding.hpp"
#include "vtmirror/base/json.hpp"
#include "vtmirror/base/text.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace vtmirror::core {
namespace {

base::Error changed(std::string_view what, std::string_view now, std::string_view before) {
  return {base::Errc::changed_upstream,
          std::string(what) + " is " + base::printable(now, 80) + " now, and was " + base::printable(before, 80)};
}

base::Result<void> judge_identity(const RangeAnswer& answer, const Identity& identity) {
  if (answer.total && *answer.total != identity.size)
    return base::Error{base::Errc::changed_upstream, "the store's file has " + std::to_string(*answer.total) +
                                                         " bytes, the listing says " + std::to_string(identity.size)};
  if (!identity.etag.empty() && !answer.etag.empty() && answer.etag != identity.etag)
    return changed("the ETag", answer.etag, identity.etag);
  return {};
}

base::Result<Content> judge_part(const RangeAnswer& answer, Range wanted, const Identity& identity) {
  if (!answer.range) return base::Error{base::Errc::protocol, "206 without a readable Content-Range"};
  const auto range = *answer.range;
  // A shorter part is allowed (RFC 9110, 15.3.7); a part that begins elsewhere would be written at the wrong offset.
  if (range.begin != wanted.begin || range.end > wanted.end || range.empty())
    return base::Error{base::Errc::protocol, "206 with bytes " + std::to_string(range.begin) + "-" +
                                                 std::to_string(range.end - 1) + " instead of " +
                                                 std::to_string(wanted.begin) + "-" + std::to_string(wanted.end - 1)};
  if (auto same = judge_identity(answer, identity); !same) return same.error();
  return Content{range, false};
}

base::Result<Content> judge_whole(const RangeAnswer& answer, const Identity& identity) {
  const auto type = base::lower(answer.content_type);
  if (type.starts_with("text/html") || type.starts_with("application/xhtml"))
    return base::Error{base::Errc::protocol,
                       "a page instead of a file (Content-Type " + base::printable(type, 60) + ")"};
  if (auto same = judge_identity(answer, identity); !same) return same.error();
  return Content{{0, identity.size}, true};
}

}  // namespace

base::Result<Content> judge_answer(const RangeAnswer& answer, Range wanted, const Identity& identity) {
  if (answer.status == 206) return judge_part(answer, wanted, identity);
  return judge_whole(answer, identity);
}

base::Result<Content> judge_answer(const RangeAnswer& answer, Range wanted, const Identity& identity,
                                   Witness& witness) {
  auto content = judge_answer(answer, wanted, identity);
  if (!content) return content;
  const bool lacks_etag = answer.etag.empty() && !identity.etag.empty();
  if (lacks_etag && !(witness.confirmed && answer.total)) {
    const bool again = std::exchange(witness.doubted, true);
    return base::Error{again ? base::Errc::changed_upstream : base::Errc::protocol,
                       "the answer has no ETag, so that it may be of another object than the bytes that are held"};
  }
  witness.doubted = false;
  witness.confirmed = witness.confirmed || !answer.etag.empty();
  return content;
}

std::string if_match(const Identity& identity) {
  return identity.etag.starts_with("W/") ? std::string() : identity.etag;
}

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
  std::string mark{};  ///< "request id 4711", "codes 7000222": for a support request
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

std::string marked(std::string_view what, const std::string& mark) {
  return mark.empty() ? std::string{} : std::string{what} + " " + mark;
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
  return {known->masked(body.code), known->masked(body.message), known->masked(body.mark)};
}

ErrorBody read_api_error(const FailedAnswer& answer) {
  const auto members = read_members(answer.body);
  const base::JsonObject error(members);
  const std::string own = message_member(error, "errorMessage");
  const ErrorBody body{scalar_member(error, "errorCode"), own.empty() ? message_member(error, "message") : own,
                       marked("request id", scalar_member(error, "requestId"))};
  return masked(body, answer.known);
}

ErrorBody read_token_error(const FailedAnswer& answer) {
  const auto members = read_members(answer.body);
  const base::JsonObject error(members);
  const ErrorBody body{scalar_member(error, "error"), message_member(error, "error_description"),
                       marked("codes", scalar_member(error, "error_codes"))};
  return masked(body, answer.known);
}

ErrorBody read_store_error(const FailedAnswer& answer) {
  const ErrorBody body{
      element(answer.body, "Code", longest_code), element(answer.body, "Message", longest_message), {}};
  return masked(body, answer.known);
}

/// `HTTP 403 MOTH-FB-03 "API key not recognised" (request id 4711)`, without the parts that are unknown.
std::string describe(int status, const ErrorBody& body) {
  std::string text = "HTTP " + std::to_string(status);
  if (!body.code.empty()) text += " " + body.code;
  if (!body.message.empty()) text += " \"" + body.message + "\"";
  if (!body.mark.empty()) text += " (" + body.mark + ")";
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

Error failed(Errc code, std::string_view who, const FailedAnswer& answer, const ErrorBody& body) {
  return Error{code, std::string(who) + " answered " + describe(answer.status, body), answer.status,
               answer.retry_after};
}

}  // namespace

Error api_error(const FailedAnswer& answer) {
  const ErrorBody body = read_api_error(answer);
  const std::string code = family_and_number(body.code);
  Error error = failed(api_code(answer.status, code), "the service", answer, body);
  error.service_code = code;
  if (!error.retry_after) error.retry_after = usual_wait(code);
  if (code == "FB-03") error.detail += unknown_key;
  return error;
}

bool carries_code(const FailedAnswer& answer, std::string_view wanted) {
  return family_and_number(read_api_error(answer).code) == wanted;
}

Error token_error(const FailedAnswer& answer) {
  const ErrorBody body = read_token_error(answer);
  const std::string code = base::lower(body.code);
  Error error =
      failed(is_busy(answer.status) ? Errc::rate_limited : Errc::http_status, "the token issuer", answer, body);
  if (code == "invalid_client") error.code = Errc::forbidden;
  error.service_code = code;
  return error;
}

Error store_error(const FailedAnswer& answer) {
  return failed(store_code(answer.status), "the store", answer, read_store_error(answer));
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
