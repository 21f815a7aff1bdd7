#include "simulator/read_request.hpp"

#include "vtmirror/base/text.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <algorithm>
#include <array>

namespace vtmirror::simulator {
namespace http = boost::beast::http;
namespace {

constexpr std::uint32_t header_limit = 65'536;
constexpr std::uint64_t body_limit = 64U << 20U;

using Parser = http::request_parser<http::string_body>;

Headers headers_of(const Parser& parser) {
  Headers headers;
  for (const auto& field : parser.get()) {
    std::string name = base::lower(std::string_view(field.name_string()));
    const auto before =
        std::find_if(headers.begin(), headers.end(), [&](const auto& each) { return each.first == name; });
    if (before == headers.end()) {
      headers.emplace_back(std::move(name), std::string(field.value()));
    } else {
      before->second += ", " + std::string(field.value());
    }
  }
  return headers;
}

Request request_of(Parser& parser, At at) {
  const std::string target(parser.get().target());
  const std::size_t mark = std::min(target.find('?'), target.size());
  return {.at = at,
          .method = std::string(parser.get().method_string()),
          .path = target.substr(0, mark),
          .query = mark < target.size() ? target.substr(mark + 1) : "",
          .headers = headers_of(parser),
          .body = std::move(parser.get().body())};
}

}  // namespace

std::optional<Request> RequestReader::next() {
  Parser parser;
  parser.eager(true);
  parser.header_limit(header_limit);
  parser.body_limit(body_limit);
  std::array<char, 16'384> buffer;
  while (true) {
    boost::system::error_code failed;
    const std::size_t used = unread_.empty() ? 0 : parser.put(boost::asio::buffer(unread_), failed);
    unread_.erase(0, used);
    malformed_ = failed && failed != http::error::need_more;
    if (malformed_) return std::nullopt;
    if (parser.is_done()) break;
    if (!unread_.empty() && used > 0) continue;
    const std::size_t count = wire_.read(buffer);
    if (count == 0) return std::nullopt;
    unread_.append(buffer.data(), count);
  }
  keep_alive_ = parser.get().keep_alive();
  return request_of(parser, at_);
}

}  // namespace vtmirror::simulator
