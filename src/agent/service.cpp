#include "agent/service.hpp"

#include "agent/request_error.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/core/answer.hpp"

#include <algorithm>

namespace vtmirror::agent {
namespace {

using boost::asio::awaitable;

}  // namespace

Service::Service(Ports ports, const ServiceSettings& settings)
    : ports_(ports), settings_(settings), token_turn_(ports.loop, 1) {}

awaitable<base::Result<core::FreshListing>> Service::listing(std::chrono::seconds longest_retry_after) {
  auto listed = co_await shown(ask_until_listed(longest_retry_after));
  co_return listed;
}

awaitable<base::Result<core::FreshListing>> Service::shown(awaitable<base::Result<core::FreshListing>> asks) {
  if (++asked_ == 1) asking_ = ports::Asking{.since = ports_.clock.now()};
  auto listed = co_await std::move(asks);
  if (--asked_ == 0) asking_.reset();
  co_return listed;
}

awaitable<base::Result<core::FreshListing>> Service::ask_until_listed(std::chrono::seconds longest_retry_after) {
  core::Attempts attempts;
  attempts.limit = request_attempts;
  attempts.longest_retry_after = longest_retry_after;
  for (;;) {
    auto token = co_await bearer(longest_retry_after);
    if (!token) co_return token.error();
    auto answer = co_await ask_listing(std::move(*token));
    // An answer that is not a listing is final: asking again at once would bring the same one.
    if (answer) co_return read_listing(std::move(*answer));

    attempts.count(answer.error());
    const auto decision = core::next_attempt(answer.error(), attempts, ports_.dice.roll());
    if (decision.next == core::Next::renew_token) {
      token_.reset();
      attempts.token_was_fresh = true;
    } else if (decision.next != core::Next::wait) {
      co_return answer.error();
    }
    const auto waited = co_await pause(ports(), core::ServiceRequest::listing, answer.error(), decision);
    if (!waited) co_return waited.error();
  }
}

awaitable<base::Result<core::FreshListing>> Service::usable_listing(std::chrono::seconds longest_retry_after) {
  auto listed = co_await shown(ask_until_usable(longest_retry_after));
  co_return listed;
}

awaitable<base::Result<core::FreshListing>> Service::ask_until_usable(std::chrono::seconds longest_retry_after) {
  core::Attempts attempts;
  const auto begun = ports_.clock.steady();
  for (;;) {
    auto listed = co_await ask_until_listed(longest_retry_after);
    const auto usable = listed ? check_usable(listed->listing) : base::Result<void>(listed.error());
    if (usable) co_return listed;
    attempts.count(usable.error());
    const auto asked_for = ports_.clock.steady() - begun;
    const auto decision = core::before_another_listing(usable.error(), attempts, asked_for, ports_.dice.roll());
    if (decision.next != core::Next::wait) co_return usable.error();
    const auto waited = co_await pause(ports(), core::ServiceRequest::listing, usable.error(), decision);
    if (!waited) co_return waited.error();
  }
}

ports::Request listing_request(const ServiceSettings& settings, const base::Secret& token) {
  ports::Request request;
  request.url = joined(settings.base_url, settings.listing_path);
  request.headers.push_back({"Authorization", "Bearer " + token.reveal()});
  request.headers.push_back({"X-API-Key", settings.api_key.reveal()});
  request.headers.push_back({"Accept", "application/json"});
  request.body_limit = core::largest_listing;
  return request;
}

awaitable<base::Result<ports::Response>> Service::ask_listing(base::Secret bearer) {
  auto response = co_await ports_.http.exchange(listing_request(settings_, bearer));
  const auto now = ports_.clock.now();
  if (!response)
    co_return named(settings_, core::ServiceRequest::listing, ports_.http.known().masked(response.error()), now);
  if (response->status == 200) co_return response;
  auto error = named(settings_, core::ServiceRequest::listing, listing_error(*response, ports_.http, now), now);
  if (core::carries_code(failed(*response, ports_.http), "FB-03")) key_ = {.accepted = false, .refused = error};
  co_return error;
}

base::Result<core::FreshListing> Service::read_listing(ports::Response response) {
  auto listing = core::parse_listing(response.body, core::ListingRules{settings_.allow_http, &ports_.http.known()});
  base::wipe(response.body);
  if (!listing)
    return named(settings_, core::ServiceRequest::listing, in_place_of_json(listing.error(), response),
                 ports_.clock.now());
  core::refuse_days_to_come(*listing, ports_.clock.now(), response.date);
  // A login page of a proxy has status 200 too, and says nothing about the key.
  key_ = {.accepted = true, .refused = {}};
  return core::FreshListing{std::move(*listing), response.date, ports_.clock.steady(), ports_.clock.now()};
}

awaitable<base::Result<base::Secret>> Service::bearer(std::chrono::seconds longest_retry_after) {
  co_await token_turn_.acquire();
  const Taken turn(token_turn_);
  if (!token_ || ports_.clock.steady() >= token_good_until_) {
    auto token = co_await request_token(ports(), settings_, settings_.client_secret, longest_retry_after);
    secret_.note(token);
    if (!token) co_return token.error();
    token_ = std::move(*token);
    token_good_until_ = ports_.clock.steady() + core::token_usable_for(token_->lifetime);
  }
  co_return token_->text;
}

core::FailedAnswer failed(const ports::Response& response, ports::Http& http) {
  return {
      .status = response.status, .body = response.body, .retry_after = response.retry_after, .known = &http.known()};
}

std::string joined(std::string_view base, std::string_view path) {
  while (base.ends_with('/')) base.remove_suffix(1);
  return std::string(base) + std::string(path);
}

awaitable<base::Result<core::Token>> try_token(RequestPorts ports, const ServiceSettings& settings,
                                               base::Secret secret) {
  ports::Request request;
  request.method = "POST";
  request.url = settings.token_url;
  request.headers.push_back({"Content-Type", "application/x-www-form-urlencoded"});
  request.headers.push_back({"Accept", "application/json"});
  request.body = core::token_form(settings.client_id, secret, settings.scope).reveal();
  auto response = co_await ports.http.exchange(std::move(request));
  const auto now = ports.clock.now();
  if (!response)
    co_return named(settings, core::ServiceRequest::token, ports.http.known().masked(response.error()), now);
  if (response->status != 200) {
    const auto error = in_place_of_json(core::token_error(failed(*response, ports.http)), *response);
    co_return named(settings, core::ServiceRequest::token, error, now);
  }
  auto token = core::parse_token(response->body);
  base::wipe(response->body);
  if (!token) co_return named(settings, core::ServiceRequest::token, in_place_of_json(token.error(), *response), now);
  co_return token;
}

awaitable<base::Result<core::Token>> request_token(RequestPorts ports, const ServiceSettings& settings,
                                                   base::Secret secret, std::chrono::seconds longest_retry_after) {
  ports.http.known().add(secret);
  ports.http.known().add(settings.api_key);
  core::Attempts attempts;
  attempts.limit = request_attempts;
  attempts.longest_retry_after = longest_retry_after;
  for (;;) {
    auto token = co_await try_token(ports, settings, secret);
    if (token) {
      ports.http.known().add(token->text);
      co_return token;
    }
    attempts.count(token.error());
    const auto decision = core::next_attempt(token.error(), attempts, ports.dice.roll());
    if (decision.next != core::Next::wait) co_return token;
    const auto waited = co_await pause(ports, core::ServiceRequest::token, token.error(), decision);
    if (!waited) co_return waited.error();
  }
}

namespace {

/// For the line that is shown while it lasts.
std::string why_paused(core::ServiceRequest request, const base::Error& error) {
  constexpr int too_many_requests = 429;
  const auto* who = request == core::ServiceRequest::token ? "the token issuer" : "the service";
  if (error.status == too_many_requests) return std::string(who) + " asks for fewer requests (HTTP 429)";
  return error.message();
}

}  // namespace

awaitable<base::Result<void>> pause(RequestPorts ports, core::ServiceRequest request, base::Error error,
                                    core::Decision decision) {
  if (decision.pause <= base::Milliseconds::zero()) co_return base::Result<void>();
  if (ports.asking != nullptr && *ports.asking) {
    (*ports.asking)->until = ports.clock.now() + decision.pause;
    (*ports.asking)->reason = why_paused(request, error);
  }
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(decision.pause);
  ports::Event event{.kind = ports::EventKind::request_retried, .level = ports::Level::notice};
  event.message = error.message() + "; next try in " + base::human_duration(seconds);
  event.fields.push_back({"reason", std::string(base::name(error.code))});
  ports.journal.log(event);
  const auto until = ports.clock.steady() + decision.pause;
  auto waited = co_await ports.clock.wait(decision.pause);
  if (!waited && error.retry_after) {
    // The next process waits for the rest.
    auto stopped = waited.error();
    stopped.retry_after = std::chrono::ceil<std::chrono::seconds>(until - ports.clock.steady());
    waited = std::move(stopped);
  }
  if (ports.asking != nullptr && *ports.asking) {
    (*ports.asking)->until.reset();
    (*ports.asking)->reason.clear();
  }
  co_return waited;
}

base::Result<void> check_usable(const core::Listing& listing) {
  if (core::is_usable(listing)) return {};
  const bool empty = listing.entries.empty() && listing.refused.empty();
  return base::Error{base::Errc::empty_listing, empty ? "the service lists no file" : "the service lists no bulk file"};
}

void LinkSupply::begin(const core::FreshListing& fresh, std::function<void(const core::Listing&)> renewed) {
  links_.begin(fresh);
  renewed_ = std::move(renewed);
}

awaitable<base::Result<void>> LinkSupply::renew() {
  co_await turn_.acquire();
  const Taken turn(turn_);
  const auto fresh = co_await service_.listing(longest_retry_after_to_begin);
  if (!fresh) co_return fresh.error();
  if (auto usable = check_usable(fresh->listing); !usable) co_return usable;
  keep(*fresh);
  co_return base::Result<void>();
}

void LinkSupply::keep(const core::FreshListing& fresh) {
  links_.renew(fresh);
  if (renewed_) renewed_(fresh.listing);
}

awaitable<base::Result<core::Link>> LinkSupply::link_for(std::string name, int refused) {
  const auto at_once = links_.find(name, refused, ports_.clock.steady());
  if (at_once && *at_once) co_return **at_once;
  co_await turn_.acquire();
  const Taken turn(turn_);
  // The previous holder of the turn may have obtained the link.
  const auto known = links_.find(name, refused, ports_.clock.steady());
  if (!known) co_return known.error();
  if (*known) co_return **known;
  const auto fresh = co_await service_.usable_listing(longest_retry_after_to_continue);
  if (!fresh) {
    links_.failed(fresh.error());
    co_return fresh.error();
  }
  keep(*fresh);
  co_return links_.in_newest(name, refused, ports_.clock.steady());
}

}  // namespace vtmirror::agent
