#include "vtmirror/agent/trial.hpp"

#include "agent/service.hpp"
#include "vtmirror/core/answer.hpp"

#include <utility>

namespace vtmirror::agent {
namespace {

using boost::asio::awaitable;

base::Error named(base::Error error, const ServiceSettings& settings, Asked asked) {
  error.detail = failure_of(settings, asked, error);
  return error;
}

}  // namespace

awaitable<base::Result<core::Token>> try_secret(RequestPorts ports, const ServiceSettings& settings) {
  ports.http.known().add(settings.client_secret);
  ports.http.known().add(settings.api_key);
  auto token = co_await try_token(ports, settings, settings.client_secret);
  if (!token) co_return named(token.error(), settings, Asked::token);
  ports.http.known().add(token->text);
  co_return token;
}

awaitable<base::Result<core::Listing>> try_key(RequestPorts ports, const ServiceSettings& settings,
                                               base::Secret token) {
  auto request = listing_request(settings, token);
  auto response = co_await ports.http.exchange(std::move(request));
  if (!response) co_return named(ports.http.known().masked(response.error()), settings, Asked::listing);
  if (response->status != 200)
    co_return named(core::api_error(failed(*response, ports.http)), settings, Asked::listing);
  const core::ListingRules rules{settings.allow_http, &ports.http.known()};
  auto listing = core::parse_listing(response->body, rules);
  base::wipe(response->body);
  if (!listing) co_return named(listing.error(), settings, Asked::listing);
  if (auto usable = check_usable(*listing); !usable) co_return usable.error();
  co_return listing;
}

}  // namespace vtmirror::agent
