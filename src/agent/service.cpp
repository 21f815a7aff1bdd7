#include "agent/service.hpp"

#include "vtmirror/base/text.hpp"
#include "vtmirror/core/service_error.hpp"

#include <algorithm>

namespace vtmirror::agent {

namespace {

using boost::asio::awaitable;

/// A request to the API or the issuer fails for good after so many failures in a row.
constexpr int request_attempts = 5;

/// A token is not used in its last minute, or in its last tenth where it is a short one.
base::Milliseconds usable(std::chrono::seconds lifetime) {
  const base::Milliseconds whole = lifetime;
  return whole - std::min<base::Milliseconds>(std::chrono::minutes(1), whole / 10);
}

core::FailedAnswer failed(const ports::Response& response) {
  return {.status = response.status, .body = response.body, .retry_after = response.retry_after};
}

std::string joined(std::string_view base, std::string_view path) {
  while (base.ends_with('/')) base.remove_suffix(1);
  return std::string(base) + std::string(path);
}

}  // namespace

Service::Service(Parts parts, const ServiceSettings& settings)
    : parts_(parts), settings_(settings), token_turn_(parts.loop, 1) {}

awaitable<base::Result<FreshListing>> Service::listing() {
  core::Attempts attempts;
  attempts.limit = request_attempts;
  for (;;) {
    auto token = co_await bearer();
    if (!token) co_return token.error();
    auto answer = co_await ask_listing(std::move(*token));
    // What cannot be read as a listing will not become one by asking again at once: that is final.
    if (answer) co_return read_listing(std::move(*answer));

    ++attempts.failed;
    ++attempts.total;
    const auto decision = core::next_attempt(answer.error(), attempts, parts_.dice.roll());
    if (decision.next == core::Next::renew_token) {
      token_.reset();
      attempts.token_was_fresh = true;
    } else if (decision.next != core::Next::wait) {
      co_return answer.error();
    }
    const auto waited = co_await pause(answer.error(), decision);
    if (!waited) co_return waited.error();
  }
}

awaitable<base::Result<ports::Response>> Service::ask_listing(std::string bearer) {
  ports::Request request;
  request.url = joined(settings_.base_url, settings_.listing_path);
  request.headers.push_back({"Authorization", "Bearer " + bearer});
  request.headers.push_back({"X-API-Key", settings_.api_key.reveal()});
  request.headers.push_back({"Accept", "application/json"});
  request.body_limit = core::largest_listing;
  auto response = co_await parts_.http.exchange(std::move(request));
  if (!response) co_return response.error();
  if (response->status != 200) co_return core::api_error(failed(*response));
  co_return response;
}

base::Result<FreshListing> Service::read_listing(ports::Response response) const {
  auto listing = core::parse_listing(response.body, core::ListingRules{settings_.allow_http});
  base::wipe(response.body);
  if (!listing) return listing.error();
  return FreshListing{std::move(*listing), response.date, parts_.clock.steady()};
}

awaitable<base::Result<std::string>> Service::bearer() {
  co_await token_turn_.take();
  const Taken turn(token_turn_);
  if (!token_ || parts_.clock.steady() >= token_good_until_) {
    auto token = co_await request_token();
    if (!token) co_return token.error();
    token_ = std::move(*token);
    token_good_until_ = parts_.clock.steady() + usable(token_->lifetime);
  }
  co_return token_->text.reveal();
}

awaitable<base::Result<core::Token>> Service::request_token() {
  core::Attempts attempts;
  attempts.limit = request_attempts;
  for (;;) {
    auto token = co_await try_token();
    if (token) co_return token;
    ++attempts.failed;
    ++attempts.total;
    const auto decision = core::next_attempt(token.error(), attempts, parts_.dice.roll());
    if (decision.next != core::Next::wait) co_return token;
    const auto waited = co_await pause(token.error(), decision);
    if (!waited) co_return waited.error();
  }
}

awaitable<base::Result<core::Token>> Service::try_token() {
  ports::Request request;
  request.method = "POST";
  request.url = settings_.token_url;
  request.headers.push_back({"Content-Type", "application/x-www-form-urlencoded"});
  request.headers.push_back({"Accept", "application/json"});
  request.body = core::token_form(settings_.client_id, settings_.client_secret, settings_.scope).reveal();
  auto response = co_await parts_.http.exchange(std::move(request));
  if (!response) co_return response.error();
  if (response->status != 200) co_return core::token_error(failed(*response));
  auto token = core::parse_token(response->body);
  base::wipe(response->body);
  co_return token;
}

/// Renewals need no pause; waits are told, since somebody may be watching.
awaitable<base::Result<void>> Service::pause(const base::Error& error, core::Decision decision) {
  if (decision.pause <= base::Milliseconds::zero()) co_return base::Result<void>();
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(decision.pause);
  ports::Event event{.kind = ports::EventKind::request_retried, .level = ports::Level::notice};
  event.message =
      "the service did not answer as it should (" + error.message() + "): next try in " + base::human_duration(seconds);
  event.fields.push_back({"reason", std::string(base::name(error.code))});
  parts_.journal.tell(event);
  auto waited = co_await parts_.clock.wait(decision.pause);
  co_return waited;
}

}  // namespace vtmirror::agent
