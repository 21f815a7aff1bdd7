#include "net/answer.hpp"

#include "vtmirror/base/text.hpp"
#include "vtmirror/core/answer.hpp"

#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>

#include <limits>

namespace vtmirror::net {
namespace {

namespace http = boost::beast::http;
using base::Errc;
using base::Error;
using base::Result;
using Parser = http::response_parser<http::buffer_body>;
using Fields = http::fields;

Error malformed(const std::string& why) { return {Errc::protocol, "malformed answer: " + why}; }

std::string text(const Fields& fields, http::field name) {
  const auto value = fields[name];
  return std::string(value.data(), value.size());
}

std::optional<base::Time> date(const Fields& fields) {
  const auto parsed = base::parse_http_date(text(fields, http::field::date));
  return parsed ? std::optional(*parsed) : std::nullopt;
}

/// How the body is framed, or why the head is ambiguous.
Result<void> frame(const Parser& parser, Head& head) {
  const Fields& fields = parser.get().base();
  if (fields.count(http::field::content_length) > 1) return malformed("Content-Length twice");
  if (fields.count(http::field::transfer_encoding) > 1) return malformed("Transfer-Encoding twice");
  const std::string said = text(fields, http::field::content_length);
  if (fields.count(http::field::content_length) > 0 && !base::parse_int(said))
    return malformed("Content-Length is not a number");
  const std::string coding = text(fields, http::field::transfer_encoding);
  if (!coding.empty() && !base::iequals(coding, "chunked")) return malformed("unknown Transfer-Encoding");
  if (!coding.empty() && fields.count(http::field::content_length) > 0)
    return malformed("both Content-Length and chunks");
  if (head.status == 204 || head.status == 304) return Result<void>();
  if (parser.chunked()) {
    head.body = BodyKind::chunked;
  } else if (const auto length = parser.content_length()) {
    if (*length > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) return malformed("Content-Length too large");
    head.length = static_cast<std::int64_t>(*length);
    head.body = head.length > 0 ? BodyKind::sized : BodyKind::none;
  } else {
    head.body = BodyKind::until_end;
  }
  return Result<void>();
}

}  // namespace

struct AnswerParser::Beast {
  Beast() {
    parser.header_limit(head_limit);
    parser.body_limit(boost::none);  // the caller enforces its own limit
    parser.eager(false);
  }
  Parser parser;
  bool needs_more = false;  ///< of a chunk's head
};

AnswerParser::AnswerParser() : beast_(std::make_unique<Beast>()) {}
AnswerParser::~AnswerParser() = default;

Result<std::size_t> AnswerParser::put_head(std::span<const std::byte> bytes) {
  boost::system::error_code failed;
  const auto used = beast_->parser.put(boost::asio::const_buffer(bytes.data(), bytes.size()), failed);
  if (failed && failed != http::error::need_more) return malformed(failed.message());
  return used;
}

bool AnswerParser::head_done() const { return beast_->parser.is_header_done(); }

Result<Head> AnswerParser::head() const {
  const Fields& fields = beast_->parser.get().base();
  Head head;
  head.status = static_cast<int>(beast_->parser.get().result_int());
  if (head.status < 100 || head.status > 599) return malformed("status " + std::to_string(head.status));
  head.keep_alive = beast_->parser.keep_alive();
  head.content_range = text(fields, http::field::content_range);
  head.content_type = text(fields, http::field::content_type);
  head.etag = text(fields, http::field::etag);
  head.location = text(fields, http::field::location);
  head.date = date(fields);
  head.retry_after = core::retry_after(text(fields, http::field::retry_after), head.date);
  if (fields.count(http::field::content_range) > 1) return malformed("Content-Range twice");
  const auto framed = frame(beast_->parser, head);
  if (!framed) return framed.error();
  return head;
}

namespace {

/// "0\r\n\r\n": whatever of a chunked body is still to come, it is not shorter. Beast asserts that a last chunk which
/// it has seen in part comes again with this many bytes.
constexpr std::size_t shortest_last_chunk = 5;

}  // namespace

Result<AnswerParser::Step> AnswerParser::put_chunked(std::span<const std::byte> bytes, std::span<std::byte> into) {
  auto& parser = beast_->parser;
  auto& body = parser.get().body();
  body.data = into.data();
  body.size = into.size();
  body.more = true;
  Step step;
  while (!parser.is_done() && step.consumed < bytes.size()) {
    const auto rest = bytes.subspan(step.consumed);
    if (beast_->needs_more && rest.size() < shortest_last_chunk) break;
    boost::system::error_code failed;
    const auto used = parser.put(boost::asio::const_buffer(rest.data(), rest.size()), failed);
    step.consumed += used;
    beast_->needs_more = failed == http::error::need_more;
    if (failed && failed != http::error::need_more && failed != http::error::need_buffer)
      return malformed(failed.message());
    if (failed || used == 0) break;
  }
  step.produced = into.size() - body.size;
  step.done = parser.is_done();
  return step;
}

namespace {

std::optional<std::int64_t> number(std::string_view text) {
  const auto value = base::parse_int(text);
  if (!value || *value < 0) return std::nullopt;
  return *value;
}

std::optional<core::Range> span_of(std::string_view text) {
  const auto dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto first = number(text.substr(0, dash));
  const auto last = number(text.substr(dash + 1));
  if (!first || !last || *first > *last || *last == std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  return core::Range{*first, *last + 1};
}

}  // namespace

std::optional<ContentRange> parse_content_range(std::string_view text) {
  constexpr std::string_view unit = "bytes ";
  if (!base::iequals(text.substr(0, unit.size()), unit)) return std::nullopt;
  text.remove_prefix(unit.size());
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto span = text.substr(0, slash);
  const auto size = text.substr(slash + 1);

  ContentRange out;
  if (size != "*") {
    out.total = number(size);
    if (!out.total) return std::nullopt;
  }
  if (span == "*") return out.total ? std::optional(out) : std::nullopt;
  out.range = span_of(span);
  if (!out.range || (out.total && out.range->end > *out.total)) return std::nullopt;
  return out;
}

}  // namespace vtmirror::net
