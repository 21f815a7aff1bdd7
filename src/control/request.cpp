#include "control/request.hpp"

#include "vtmirror/base/text.hpp"
#include "vtmirror/base/url.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <algorithm>
#include <utility>

namespace vtmirror::control {
namespace {

namespace http = boost::beast::http;

constexpr std::string_view status_line = "status\n";
constexpr std::string_view status_line_crlf = "status\r\n";
/// What chunks may add to a body.
constexpr std::size_t framing = 4 << 10;

Answer refusal_of(boost::system::error_code failed) {
  if (failed == http::error::header_limit) return failure(431, "header_too_large", "the request's header is too large");
  if (failed == http::error::body_limit) return failure(413, "body_too_large", "the request's body is too large");
  return failure(400, "bad_request", "this is no HTTP request: " + failed.message());
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
  bool told_to_continue = false;
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
    const auto allowed = parser.is_header_done() ? inbox_.size() : std::min(inbox_.size(), limits_.header - parsed_);
    boost::system::error_code failed;
    const auto used = parser.put(boost::asio::buffer(inbox_.data(), allowed), failed);
    if (failed && failed != http::error::need_more) return refuse(refusal_of(failed));
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
  request_.keep_alive = message.keep_alive();
  beast_.reset();
  return Step::request;
}

RequestReader::Step RequestReader::refuse(Answer refusal) {
  refusal_ = std::move(refusal);
  return Step::refused;
}

bool RequestReader::wants_continue() {
  if (!beast_ || beast_->told_to_continue || !beast_->parser.is_header_done()) return false;
  const auto& message = beast_->parser.get();
  const auto expected = message[http::field::expect];
  if (message.version() < 11 || !base::iequals({expected.data(), expected.size()}, "100-continue")) return false;
  return std::exchange(beast_->told_to_continue, true) == false;
}

}  // namespace vtmirror::control
