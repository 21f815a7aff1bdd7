#include "vtmirror/net/http.hpp"

#include "net/connect.hpp"
#include "net/conversation.hpp"
#include "net/lane.hpp"

#include <algorithm>
#include <utility>

namespace vtmirror::net {
namespace {

using base::Errc;
using base::Error;
using base::Result;
using boost::asio::awaitable;
using ports::Response;

/// A growing string leaves its old buffer behind, and an answer may contain a token, so each buffer is wiped.
void grow(std::string& text, std::size_t size) {
  if (size > text.capacity()) {
    std::string larger;
    larger.reserve(size);
    larger.append(text);
    base::wipe(text);
    text.swap(larger);
  }
  text.resize(size);
}

/// Reads the whole body, up to `limit` bytes. On an error, the bytes received are wiped.
awaitable<Result<std::string>> read_all(Conversation& conversation, std::size_t limit,
                                        Deadline::Clock::time_point until) {
  std::string body;
  std::size_t filled = 0;
  while (!conversation.body_ended()) {
    if (filled > limit) break;
    // Reads up to one byte over the limit, to distinguish a body of that size from a longer one.
    grow(body, std::min(std::max(filled * 2, std::size_t{16} << 10), limit + 1));
    const auto room = std::as_writable_bytes(std::span(body)).subspan(filled);
    const auto got = co_await conversation.read(room, until);
    if (!got) {
      base::wipe(body);
      co_return got.error();
    }
    filled += *got;
  }
  if (filled > limit) {
    base::wipe(body);
    co_return Error{Errc::protocol, "an answer of more than " + std::to_string(limit) + " bytes"};
  }
  body.resize(filled);
  co_return body;
}

class Client final : public ports::Http {
 public:
  explicit Client(std::shared_ptr<Outbound> outbound) : outbound_(std::move(outbound)) {}

  awaitable<Result<Response>> exchange(ports::Request request) override;
  std::unique_ptr<ports::Lane> lane() override { return std::make_unique<StoreLane>(outbound_); }

 private:
  std::shared_ptr<Outbound> outbound_;
};

/// Each exchange opens its own connection: exchanges are minutes apart, and a new connection cannot be stale. TLS
/// sessions are resumed.
awaitable<Result<Response>> Client::exchange(ports::Request request) {
  const auto url = parse_destination(request.url, outbound_->settings.allow_http, request.private_path);
  if (!url) co_return url.error();
  auto text = request_text(*url, request, outbound_->settings.user_agent);
  base::wipe(request.body);
  for (auto& header : request.headers) base::wipe(header.value);
  if (!text) co_return text.error();

  Deadline deadline(outbound_->executor, outbound_->stop);
  auto opened = co_await open_connection(*outbound_, *url, deadline);
  if (opened && deadline.cancelled()) opened = Error{Errc::cancelled, url->endpoint() + ": stopped"};
  if (!opened) {
    base::wipe(*text);
    co_return opened.error();
  }
  (*opened)->wipe_behind();
  if (request.outlasts_stop) deadline.outlast_stop();
  Conversation conversation(std::move(*opened));
  const auto until = Deadline::Clock::now() + outbound_->settings.answer_timeout;
  if (request.sending) request.sending();
  const auto head = co_await conversation.ask(std::move(*text), until);
  if (!head) co_return head.error();
  auto body = co_await read_all(conversation, request.body_limit, until);
  if (!body && request.status_only) body = std::string();
  if (!body && body.error().code == Errc::protocol)
    co_return Error{Errc::protocol, shown(*url, request.private_path) + ": " + body.error().detail};
  if (!body) co_return body.error();
  Response response{head->status, std::move(*body), head->date, head->retry_after, head->content_type};
  co_return response;
}

}  // namespace

Result<void> check_certificates(const std::string& ca_file) { return Tls::check(ca_file); }

Result<void> check_proxy(const std::string& proxy) {
  const auto rules = ProxyRules::from(proxy);
  return rules ? Result<void>() : rules.error();
}

Result<std::unique_ptr<ports::Http>> make_http(boost::asio::io_context& loop, ports::Stop& stop,
                                               HttpSettings settings) {
  auto tls = Tls::make(settings.ca_file);
  if (!tls) return tls.error();
  auto proxies = ProxyRules::from(settings.proxy, settings.no_proxy);
  if (!proxies) return proxies.error();
  auto outbound = std::make_shared<Outbound>(
      Outbound{loop.get_executor(), stop, std::move(settings), std::move(*tls), std::move(*proxies)});
  return std::unique_ptr<ports::Http>(std::make_unique<Client>(std::move(outbound)));
}

}  // namespace vtmirror::net
