#include "net/conversation.hpp"

#include "vtmirror/base/secret.hpp"

#include <string.h>  // explicit_bzero

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

namespace vtmirror::net {
namespace {

using base::Errc;
using base::Error;
using base::Result;
using boost::asio::awaitable;

/// A head of the largest size, and room to continue reading.
constexpr std::size_t inbox_size = head_limit + (std::size_t{16} << 10);
/// With a head comes little of its body: a rate limit has not granted that yet.
constexpr std::size_t usual_head = std::size_t{4} << 10;
constexpr int most_interim_answers = 8;

}  // namespace

Conversation::Conversation(std::unique_ptr<Connection> connection)
    : connection_(std::move(connection)), inbox_(inbox_size) {}

/// Heads and short bodies pass through this buffer, and may contain a token or a new secret.
Conversation::~Conversation() { ::explicit_bzero(inbox_.data(), inbox_.size()); }

Error Conversation::named(Error error) const {
  error.detail = connection_->peer() + ": " + error.detail;
  return error;
}

Error Conversation::cut() const {
  return {Errc::unreachable, connection_->peer() + ": the connection closed before the end of the answer"};
}

std::optional<std::int64_t> Conversation::remaining() const {
  if (ended_) return 0;
  return body_ == BodyKind::sized ? std::optional(remaining_) : std::nullopt;
}

bool Conversation::reusable() { return ended_ && keep_alive_ && begin_ == end_ && connection_->idle(); }

std::unique_ptr<Connection> Conversation::into_tunnel() { return begin_ == end_ ? std::move(connection_) : nullptr; }

awaitable<Result<Head>> Conversation::ask(std::string request, Clock::time_point until) {
  heard_ = false;
  ended_ = false;
  auto sent = co_await connection_->write(request, until);
  base::wipe(request);  // it may contain a token
  if (!sent) co_return sent.error();
  for (int interim = 0; interim <= most_interim_answers; ++interim) {
    auto head = co_await receive_head(until);
    if (!head) co_return head;
    if (head->status >= 200) {
      body_ = head->body;
      remaining_ = head->length;
      keep_alive_ = head->keep_alive && body_ != BodyKind::until_end;
      ended_ = body_ == BodyKind::none;
      co_return head;
    }
    if (head->status == 101) break;
  }
  co_return named({Errc::protocol, "an unexpected 1xx answer"});
}

awaitable<Result<Head>> Conversation::receive_head(Clock::time_point until) {
  parser_ = std::make_unique<AnswerParser>();
  for (;;) {
    if (begin_ != end_) {
      const auto used = parser_->put_head(held());
      if (!used) co_return named(used.error());
      begin_ += *used;
      if (parser_->head_done()) break;
    }
    auto filled = co_await fill(usual_head, until);
    if (!filled) co_return filled.error();
  }
  auto head = parser_->head();
  if (!head) co_return named(head.error());
  co_return head;
}

/// Adds at least one byte to the inbox, and at most that many.
awaitable<Result<void>> Conversation::fill(std::size_t most, Clock::time_point until) {
  if (begin_ > 0) {
    std::memmove(inbox_.data(), inbox_.data() + begin_, end_ - begin_);
    end_ -= std::exchange(begin_, 0);
  }
  if (end_ == inbox_.size()) co_return named({Errc::protocol, "a header or a chunk's header is too long"});
  const auto room = std::span(inbox_).subspan(end_, std::min(most, inbox_.size() - end_));
  const auto got = co_await connection_->read(room, 0, until);
  if (!got) co_return got.error();
  if (*got == 0) co_return cut();
  end_ += *got;
  heard_ = true;
  co_return Result<void>();
}

std::size_t Conversation::read_held(std::span<std::byte> into) {
  const auto size = std::min(into.size(), end_ - begin_);
  std::memcpy(into.data(), inbox_.data() + begin_, size);
  begin_ += size;
  return size;
}

awaitable<Result<std::size_t>> Conversation::read(std::span<std::byte> into, Clock::time_point until) {
  if (ended_ || into.empty()) co_return std::size_t{0};
  if (body_ == BodyKind::chunked) {
    auto got = co_await read_chunked(into, until);
    co_return got;
  }
  auto got = co_await read_plain(into, until);
  co_return got;
}

awaitable<Result<void>> Conversation::arrived(Clock::time_point until) {
  if (ended_ || begin_ != end_) co_return Result<void>();
  auto came = co_await connection_->arrived(until);
  co_return came;
}

awaitable<Result<std::size_t>> Conversation::read_plain(std::span<std::byte> into, Clock::time_point until) {
  const bool sized = body_ == BodyKind::sized;
  if (sized && std::cmp_greater(into.size(), remaining_)) into = into.first(static_cast<std::size_t>(remaining_));
  std::size_t got = read_held(into);
  if (got == 0) {
    const auto read = co_await connection_->read(into, sized ? remaining_ : 0, until);
    if (!read) co_return read.error();
    if (*read == 0 && sized) co_return cut();
    got = *read;
  }
  if (sized) remaining_ -= static_cast<std::int64_t>(got);
  ended_ = sized ? remaining_ == 0 : got == 0;
  co_return got;
}

awaitable<Result<std::size_t>> Conversation::read_chunked(std::span<std::byte> into, Clock::time_point until) {
  for (;;) {
    const auto step = parser_->put_chunked(held(), into);
    if (!step) co_return named(step.error());
    begin_ += step->consumed;
    ended_ = step->done;
    if (step->produced > 0 || ended_) co_return step->produced;
    auto filled = co_await fill(inbox_.size(), until);
    if (!filled) co_return filled.error();
  }
}

namespace {

bool is_token(std::string_view text) {
  constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  const auto allowed = [marks](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           marks.find(c) != std::string_view::npos;
  };
  return !text.empty() && std::all_of(text.begin(), text.end(), allowed);
}

bool is_one_line(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

void add(std::string& text, std::string_view name, std::string_view value) {
  text.append(name).append(": ").append(value).append("\r\n");
}

std::string opening(std::string_view method, const std::string& target, const std::string& host,
                    const std::string& user_agent) {
  std::string text;
  text.reserve(2048);
  text.append(method).append(" ").append(target).append(" HTTP/1.1\r\n");
  add(text, "Host", host);
  add(text, "User-Agent", user_agent);
  return text;
}

}  // namespace

base::Result<std::string> request_text(const base::Url& url, const ports::Request& request,
                                       const std::string& user_agent) {
  if (!is_token(request.method)) return Error{Errc::config, "not a method: " + request.method.substr(0, 20)};
  std::string text = opening(request.method, url.target, url.authority(), user_agent);
  // Reserved at once, because a growing string would leave copies of a token or a secret behind.
  std::size_t size = text.size() + request.body.size() + 256;
  for (const auto& header : request.headers) size += header.name.size() + header.value.size() + 4;
  text.reserve(size);
  for (const auto& header : request.headers) {
    // Names only the header, because its value may be secret.
    if (!is_token(header.name) || !is_one_line(header.value))
      return Error{Errc::config,
                   "header " + header.name.substr(0, 40) + " contains characters that a header must not contain"};
    add(text, header.name, header.value);
  }
  if (!request.body.empty() || (request.method != "GET" && request.method != "HEAD"))
    add(text, "Content-Length", std::to_string(request.body.size()));
  add(text, "Connection", "close");
  return text.append("\r\n").append(request.body);
}

std::string range_request_text(const base::Url& url, core::Range range, const std::string& if_match,
                               const std::string& user_agent) {
  std::string text = opening("GET", url.target, url.authority(), user_agent);
  add(text, "Accept", "*/*");
  add(text, "Accept-Encoding", "identity");
  add(text, "Range", "bytes=" + std::to_string(range.begin) + "-" + std::to_string(range.end - 1));
  if (!if_match.empty() && is_one_line(if_match)) add(text, "If-Match", if_match);
  return text + "\r\n";
}

std::string connect_request_text(const base::Url& url, const Proxy& proxy, const std::string& user_agent) {
  std::string text = opening("CONNECT", url.endpoint(), url.endpoint(), user_agent);
  if (!proxy.authorization.empty()) add(text, "Proxy-Authorization", proxy.authorization.reveal());
  return text + "\r\n";
}

}  // namespace vtmirror::net
