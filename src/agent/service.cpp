#include "agent/service.hpp"

#include "agent/token_request.hpp"
#include "vtmirror/core/service_error.hpp"

#include <algorithm>

namespace vtmirror::agent {

namespace {

using boost::asio::awaitable;

/// A token is not used in its last minute, or if it is short-lived, in the last tenth of its life.
base::Milliseconds usable(std::chrono::seconds lifetime) {
  const base::Milliseconds whole = lifetime;
  return whole - std::min<base::Milliseconds>(std::chrono::minutes(1), whole / 10);
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
    // An answer that is not a listing is final: asking again at once would bring the same one.
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
    const auto waited = co_await pause(asking(), answer.error(), decision);
    if (!waited) co_return waited.error();
  }
}

awaitable<base::Result<ports::Response>> Service::ask_listing(base::Secret bearer) {
  ports::Request request;
  request.url = joined(settings_.base_url, settings_.listing_path);
  request.headers.push_back({"Authorization", "Bearer " + bearer.reveal()});
  request.headers.push_back({"X-API-Key", settings_.api_key.reveal()});
  request.headers.push_back({"Accept", "application/json"});
  request.body_limit = core::largest_listing;
  auto response = co_await parts_.http.exchange(std::move(request));
  if (!response) co_return response.error();
  if (response->status == 200) {
    key_ = {.accepted = true, .refused = {}};
    co_return response;
  }
  auto error = core::api_error(failed(*response));
  if (core::carries_code(failed(*response), "FB-03")) key_ = {.accepted = false, .refused = error};
  co_return error;
}

base::Result<FreshListing> Service::read_listing(ports::Response response) const {
  auto listing = core::parse_listing(response.body, core::ListingRules{settings_.allow_http});
  base::wipe(response.body);
  if (!listing) return listing.error();
  return FreshListing{std::move(*listing), response.date, parts_.clock.steady()};
}

awaitable<base::Result<base::Secret>> Service::bearer() {
  co_await token_turn_.take();
  const Taken turn(token_turn_);
  if (!token_ || parts_.clock.steady() >= token_good_until_) {
    auto token = co_await request_token(asking(), settings_, settings_.client_secret);
    secret_.note(token);
    if (!token) co_return token.error();
    token_ = std::move(*token);
    token_good_until_ = parts_.clock.steady() + usable(token_->lifetime);
  }
  co_return token_->text;
}

}  // namespace vtmirror::agent
