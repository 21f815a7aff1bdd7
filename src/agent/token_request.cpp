#include "agent/token_request.hpp"

#include "vtmirror/base/text.hpp"

namespace vtmirror::agent {

using boost::asio::awaitable;

core::FailedAnswer failed(const ports::Response& response) {
  return {.status = response.status, .body = response.body, .retry_after = response.retry_after};
}

std::string joined(std::string_view base, std::string_view path) {
  while (base.ends_with('/')) base.remove_suffix(1);
  return std::string(base) + std::string(path);
}

namespace {

awaitable<base::Result<core::Token>> try_token(Asking asking, const ServiceSettings& settings, base::Secret secret) {
  ports::Request request;
  request.method = "POST";
  request.url = settings.token_url;
  request.headers.push_back({"Content-Type", "application/x-www-form-urlencoded"});
  request.headers.push_back({"Accept", "application/json"});
  request.body = core::token_form(settings.client_id, secret, settings.scope).reveal();
  auto response = co_await asking.http.exchange(std::move(request));
  if (!response) co_return response.error();
  if (response->status != 200) co_return core::token_error(failed(*response));
  auto token = core::parse_token(response->body);
  base::wipe(response->body);
  co_return token;
}

}  // namespace

awaitable<base::Result<core::Token>> request_token(Asking asking, const ServiceSettings& settings,
                                                   base::Secret secret) {
  core::Attempts attempts;
  attempts.limit = request_attempts;
  for (;;) {
    auto token = co_await try_token(asking, settings, secret);
    if (token) co_return token;
    ++attempts.failed;
    ++attempts.total;
    const auto decision = core::next_attempt(token.error(), attempts, asking.dice.roll());
    if (decision.next != core::Next::wait) co_return token;
    const auto waited = co_await pause(asking, token.error(), decision);
    if (!waited) co_return waited.error();
  }
}

awaitable<base::Result<void>> pause(Asking asking, base::Error error, core::Decision decision) {
  if (decision.pause <= base::Milliseconds::zero()) co_return base::Result<void>();
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(decision.pause);
  ports::Event event{.kind = ports::EventKind::request_retried, .level = ports::Level::notice};
  event.message =
      "the request to the service failed (" + error.message() + "); next try in " + base::human_duration(seconds);
  event.fields.push_back({"reason", std::string(base::name(error.code))});
  asking.journal.tell(event);
  auto waited = co_await asking.clock.wait(decision.pause);
  co_return waited;
}

}  // namespace vtmirror::agent
