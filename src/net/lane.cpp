#include "net/lane.hpp"

#include "net/answer.hpp"
#include "net/conversation.hpp"
#include "vtmirror/base/text.hpp"

#include <array>
#include <utility>

namespace vtmirror::net {
namespace {

using base::Errc;
using base::Error;
using base::Result;
using boost::asio::awaitable;
using ports::RangeAnswer;

constexpr int most_redirects = 5;
/// Reading a rest of up to this size costs less than a new connection.
constexpr std::int64_t short_rest = 64 << 10;

Error refused(const base::Url& from, const Error& why) {
  return {Errc::protocol, from.endpoint() + ": redirect refused: " + why.detail};
}

}  // namespace

StoreLane::StoreLane(std::shared_ptr<Outbound> outbound)
    : outbound_(std::move(outbound)), deadline_(outbound_->executor, outbound_->stop) {}
StoreLane::~StoreLane() = default;

void StoreLane::leave() {
  conversation_.reset();
  origin_.reset();
  owed_.reset();
  deadline_.rest();
}

void StoreLane::close() {
  deadline_.cancel();
  if (!busy_) leave();
}

awaitable<Result<RangeAnswer>> StoreLane::get(std::string url, core::Range range, std::string if_match) {
  deadline_.renew();
  if (range.begin < 0 || range.empty()) co_return Error{Errc::config, "the requested range is empty"};
  auto parsed = parse_destination(url, outbound_->settings.allow_http);
  if (!parsed) co_return parsed.error();
  busy_ = true;
  auto answer = co_await follow(std::move(*parsed), range, std::move(if_match));
  busy_ = false;
  if (answer && deadline_.cancelled()) answer = Error{Errc::cancelled, "stopped"};
  if (!answer) leave();
  co_return answer;
}

awaitable<Result<RangeAnswer>> StoreLane::follow(base::Url url, core::Range range, std::string if_match) {
  for (int redirects = 0; redirects <= most_redirects; ++redirects) {
    const auto head = co_await ask(url, range, if_match);
    if (!head) co_return head.error();
    if (!head->redirects()) co_return understood(url, *head);
    auto next = redirected(url, head->location, outbound_->settings.allow_http);
    if (!next) co_return refused(url, next.error());
    url = std::move(*next);
  }
  co_return Error{Errc::protocol, url.endpoint() + ": more than 5 redirects"};
}

/// A kept connection that proves stale before the answer's first byte is replaced once.
awaitable<Result<Head>> StoreLane::ask(base::Url url, core::Range range, std::string if_match) {
  const std::string request = range_request_text(url, range, if_match, outbound_->settings.user_agent);
  const bool reused = co_await can_reuse(url);
  if (!reused) leave();
  auto head = co_await ask_once(url, request);
  const bool stale = !head && reused && head.error().code == Errc::unreachable && !conversation_->heard();
  if (!stale) co_return head;
  leave();
  auto again = co_await ask_once(url, request);
  co_return again;
}

awaitable<Result<Head>> StoreLane::ask_once(base::Url url, std::string request) {
  if (!conversation_) {
    auto opened = co_await open_connection(*outbound_, url, deadline_);
    if (!opened) co_return opened.error();
    conversation_ = std::make_unique<Conversation>(std::move(*opened));
    origin_ = url;
  }
  const auto until = Deadline::Clock::now() + outbound_->settings.answer_timeout;
  auto head = co_await conversation_->ask(std::move(request), until);
  co_return head;
}

awaitable<bool> StoreLane::can_reuse(base::Url url) {
  if (!conversation_ || !origin_->same_origin(url)) co_return false;
  const auto until = Deadline::Clock::now() + outbound_->settings.stall_timeout;
  while (!conversation_->body_ended()) {
    if (conversation_->remaining().value_or(short_rest + 1) > short_rest) co_return false;
    std::array<std::byte, 4096> dropped;
    const auto got = co_await conversation_->read(dropped, until);
    if (!got) co_return false;
  }
  co_return conversation_->reusable();
}

Result<RangeAnswer> StoreLane::understood(const base::Url& url, const Head& head) {
  RangeAnswer answer;
  answer.status = head.status;
  answer.etag = head.etag;
  answer.content_type = head.content_type;
  answer.retry_after = head.retry_after;
  if (head.body == BodyKind::sized || head.body == BodyKind::none) answer.length = head.length;
  if (head.status == 200) answer.total = answer.length;
  if (head.status == 206 || head.status == 416) {
    const auto range = parse_content_range(head.content_range);
    if (head.status == 206 && (!range || !range->range))
      return Error{Errc::protocol, url.endpoint() + ": a partial answer without a valid Content-Range"};
    if (range) answer.total = range->total;
    if (head.status == 206) answer.range = range->range;
  }
  if (answer.range) {
    if (answer.length.value_or(answer.range->size()) != answer.range->size())
      return Error{Errc::protocol, url.endpoint() + ": Content-Length and Content-Range do not agree"};
    answer.length = answer.range->size();
  }
  owed_ = answer.length;
  return answer;
}

/// A stop and a stall are named as what they are.
template <class Value>
void StoreLane::has_waited(Result<Value>& came) {
  busy_ = false;
  if (came && deadline_.cancelled()) came = Error{Errc::cancelled, origin_->endpoint() + ": stopped"};
  if (!came && came.error().code == Errc::timed_out) came = stalled();
}

awaitable<Result<std::size_t>> StoreLane::read(std::span<std::byte> into) {
  if (!conversation_) co_return Error{Errc::cancelled, "the lane is closed"};
  busy_ = true;
  const auto until = Deadline::Clock::now() + outbound_->settings.stall_timeout;
  auto got = co_await conversation_->read(into, until);
  has_waited(got);
  if (got && !into.empty()) got = counted(*got);
  if (!got)
    leave();
  else if (conversation_->body_ended())
    deadline_.rest();
  co_return got;
}

awaitable<Result<void>> StoreLane::arrived() {
  if (!conversation_) co_return Error{Errc::cancelled, "the lane is closed"};
  busy_ = true;
  const auto until = Deadline::Clock::now() + outbound_->settings.stall_timeout;
  auto came = co_await conversation_->arrived(until);
  has_waited(came);
  if (!came) leave();
  co_return came;
}

Error StoreLane::stalled() const {
  const auto patience = std::chrono::ceil<std::chrono::seconds>(outbound_->settings.stall_timeout);
  return {Errc::timed_out, origin_->endpoint() + ": no byte for " + base::human_duration(patience)};
}

/// Checks the size of a body without a length of its own against the requested range.
Result<std::size_t> StoreLane::counted(std::size_t got) {
  if (!owed_) return got;
  *owed_ -= static_cast<std::int64_t>(got);
  if (*owed_ < 0) return Error{Errc::protocol, origin_->endpoint() + ": more bytes than were requested"};
  if (got == 0 && *owed_ > 0)
    return Error{Errc::unreachable, origin_->endpoint() + ": the connection closed before the end of the answer"};
  return got;
}

}  // namespace vtmirror::net
