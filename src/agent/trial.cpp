#include "vtmirror/agent/trial.hpp"

#include "agent/request_error.hpp"
#include "agent/service.hpp"

#include <utility>

namespace vtmirror::agent {
using boost::asio::awaitable;

awaitable<base::Result<core::Token>> try_secret(RequestPorts ports, const ServiceSettings& settings) {
  ports.http.known().add(settings.client_secret);
  ports.http.known().add(settings.api_key);
  auto token = co_await try_token(ports, settings, settings.client_secret);
  if (!token) co_return token.error();
  ports.http.known().add(token->text);
  co_return token;
}

awaitable<base::Result<core::Listing>> try_key(RequestPorts ports, const ServiceSettings& settings,
                                               base::Secret token) {
  auto request = listing_request(settings, token);
  auto response = co_await ports.http.exchange(std::move(request));
  const auto now = ports.clock.now();
  if (!response)
    co_return named(settings, core::ServiceRequest::listing, ports.http.known().masked(response.error()), now);
  if (response->status != 200)
    co_return named(settings, core::ServiceRequest::listing, listing_error(*response, ports.http, now), now);
  const core::ListingRules rules{settings.allow_http, &ports.http.known()};
  auto listing = core::parse_listing(response->body, rules);
  base::wipe(response->body);
  if (!listing)
    co_return named(settings, core::ServiceRequest::listing, in_place_of_json(listing.error(), *response), now);
  if (auto usable = check_usable(*listing); !usable) co_return usable.error();
  co_return listing;
}

}  // namespace vtmirror::agent
