#include "control/request.hpp"

#include "vtmirror/base/encoding.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/base/url.hpp"
#include "vtmirror/core/cause_json.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <utility>

namespace vtmirror::control {
namespace {

namespace http = boost::beast::http;

constexpr std::string_view status_line = "status\n";
constexpr std::string_view status_line_crlf = "status\r\n";
/// "0\r\n\r\n": whatever of a chunked body is still to come, it is not shorter. Beast asserts that a last chunk which
/// it has seen in part comes again with this many bytes.
constexpr std::size_t shortest_last_chunk = 5;
/// What chunks may add to a body.
constexpr std::size_t framing = 4 << 10;

Answer refusal_of(boost::system::error_code failed) {
  if (failed == http::error::header_limit) return failure(431, "header_too_large", "the request's header is too large");
  if (failed == http::error::body_limit) return failure(413, "body_too_large", "the request's body is too large");
  return failure(400, "bad_request", "this is not an HTTP request: " + failed.message());
}

/// What is asked for: "http://host/v1/status" means "/v1/status" (RFC 9112, 3.2.2). What is no such address is taken
/// as it is, and is a path that nobody finds.
base::Url url_of(std::string_view target) {
  auto url = base::parse_url(target);
  if (url) return std::move(*url);
  return {.target = std::string(target)};
}

}  // namespace

struct RequestReader::Beast {
  explicit Beast(const Limits& limits) {
    parser.eager(true);
    parser.header_limit(static_cast<std::uint32_t>(limits.header));
    parser.body_limit(limits.body);
  }
  http::request_parser<http::string_body> parser;
  bool continued = false;
  bool needs_more = false;  ///< of a chunk's head
};

RequestReader::RequestReader(const Limits& limits) : limits_(limits) {}
RequestReader::~RequestReader() = default;

bool RequestReader::has_begun() const { return beast_ || !inbox_.empty(); }

bool RequestReader::may_be_status_line() const {
  return status_line.starts_with(inbox_) || status_line_crlf.starts_with(inbox_);
}

RequestReader::Step RequestReader::next() {
  if (beast_) return parse();
  inbox_.erase(0, std::min(inbox_.find_first_not_of("\r\n"), inbox_.size()));  // RFC 9112, 2.2
  for (const auto line : {status_line, status_line_crlf}) {
    if (!inbox_.starts_with(line)) continue;
    inbox_.erase(0, line.size());
    return Step::status_line;
  }
  if (may_be_status_line()) return Step::more;
  parsed_ = 0;
  beast_ = std::make_unique<Beast>(limits_);
  return parse();
}

RequestReader::Step RequestReader::next_at_end() {
  if (!beast_ && (inbox_ == "status" || inbox_ == "status\r")) return Step::status_line;
  return Step::more;
}

RequestReader::Step RequestReader::parse() {
  auto& parser = beast_->parser;
  while (!inbox_.empty()) {
    // Beast's own limit is for what it is given at once: a header that comes line by line would never reach it.
    if (beast_->needs_more && parser.chunked() && inbox_.size() < shortest_last_chunk) break;
    const auto allowed = parser.is_header_done() ? inbox_.size() : std::min(inbox_.size(), limits_.header - parsed_);
    boost::system::error_code failed;
    const auto used = parser.put(boost::asio::buffer(inbox_.data(), allowed), failed);
    if (failed && failed != http::error::need_more) return refuse(refusal_of(failed));
    beast_->needs_more = parser.is_header_done() && failed == http::error::need_more;
    const bool too_large = !parser.is_header_done() && allowed < inbox_.size() && used == 0;
    if (too_large) return refuse(refusal_of(http::error::header_limit));
    inbox_.erase(0, used);
    parsed_ += used;
    if (parser.is_done()) return finish();
    if (used == 0) break;
  }
  if (parsed_ + inbox_.size() > limits_.header + limits_.body + framing)
    return refuse(refusal_of(http::error::body_limit));
  return Step::more;
}

RequestReader::Step RequestReader::finish() {
  const auto& message = beast_->parser.get();
  const auto url = url_of({message.target().data(), message.target().size()});
  request_.method = std::string(message.method_string());
  request_.path = url.path();
  request_.query = url.has_query() ? url.target.substr(url.path().size() + 1) : "";
  const bool is_v6 = url.host.find(':') != std::string::npos;
  request_.host = is_v6 ? '[' + url.host + ']' : url.host;
  const auto host = message.find(http::field::host);
  if (url.host.empty() && message.count(http::field::host) == 1) request_.host = std::string(host->value());
  request_.fetch = {message["Sec-Fetch-Site"], message["Sec-Fetch-Mode"], message["Sec-Fetch-Dest"]};
  request_.body = message.body();
  request_.keep_alive = message.keep_alive();
  beast_.reset();
  return Step::request;
}

RequestReader::Step RequestReader::refuse(Answer refusal) {
  refusal_ = std::move(refusal);
  return Step::refused;
}

bool RequestReader::wants_continue() {
  if (!beast_ || beast_->continued || !beast_->parser.is_header_done()) return false;
  const auto& message = beast_->parser.get();
  const auto expected = message[http::field::expect];
  if (message.version() < 11 || !base::iequals({expected.data(), expected.size()}, "100-continue")) return false;
  return std::exchange(beast_->continued, true) == false;
}

namespace {

using base::Errc;

std::string_view reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 202:
      return "Accepted";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 413:
      return "Content Too Large";
    case 421:
      return "Misdirected Request";
    case 422:
      return "Unprocessable Content";
    case 431:
      return "Request Header Fields Too Large";
    case 503:
      return "Service Unavailable";
    default:
      return "Internal Server Error";
  }
}

int status_of(Errc code) {
  if (code == Errc::config) return 422;
  if (code == Errc::locked) return 409;
  if (code == Errc::cancelled) return 503;
  return 500;
}

std::string head(int status) {
  return "HTTP/1.1 " + std::to_string(status) + " " + std::string(reason(status)) + "\r\n";
}

Answer failure_of(int status, std::string_view code, std::string_view message, const core::Cause* cause) {
  auto valid = base::as_utf8(message);
  boost::json::object error{{"code", code}, {"message", valid}};
  if (cause != nullptr) error["cause"] = core::cause_json(*cause);
  const boost::json::object body{{"schema", 1}, {"error", std::move(error)}};
  return {.status = status, .body = boost::json::serialize(body) + "\n", .message = std::move(valid)};
}

}  // namespace

Answer failure(int status, std::string_view code, std::string_view message) {
  return failure_of(status, code, message, nullptr);
}

Answer failure(const base::Error& error) {
  const auto cause = core::whole_cause_of(error);
  return failure_of(status_of(error.code), base::name(error.code),
                    error.detail.empty() ? error.message() : error.detail, &cause);
}

Answer bad_request(const base::Error& error) { return failure(400, "bad_request", error.detail); }

Answer json(base::Result<std::string> body) {
  if (!body) return failure(body.error());
  return {.body = std::move(*body)};
}

std::string text(const Answer& answer, bool keep_alive, Body body) {
  std::string all = head(answer.status);
  all += "Content-Type: " + answer.type + "\r\n";
  all += "Content-Length: " + std::to_string(answer.body.size()) + "\r\n";
  all += "Cache-Control: no-store\r\n";
  if (!answer.allow.empty()) all += "Allow: " + answer.allow + "\r\n";
  all += answer.fields;
  all += keep_alive ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n";
  if (body == Body::sent) all += answer.body;
  return all;
}

std::string events_head(std::string_view fields) {
  std::string all = head(200) + "Content-Type: text/event-stream\r\nCache-Control: no-store\r\n";
  all += fields;
  return all + "Connection: close\r\n\r\n";
}

std::string event_text(std::string_view event, std::string_view json) {
  std::string all = "event: ";
  for (const char letter : event) {
    if (letter != '\n' && letter != '\r') all += letter;
  }
  all += "\ndata: ";
  if (json.ends_with('\n')) json.remove_suffix(1);
  for (const char letter : json) {
    if (letter == '\r') continue;  // would end a line for a reader of events
    all += letter;
    if (letter == '\n') all += "data: ";
  }
  return all + "\n\n";
}

}  // namespace vtmirror::control
