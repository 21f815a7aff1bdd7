#include "control/web.hpp"

#include "control/parameters.hpp"
#include "control/routes.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/base/time.hpp"
#include "vtmirror/base/url.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace vtmirror::control {
namespace {

using boost::asio::awaitable;

constexpr std::string_view security_fields =
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"
    "X-Frame-Options: DENY\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n";

/// A browser trusts plain http from this machine alone, and complains of the field anywhere else.
constexpr std::string_view isolation_field = "Cross-Origin-Opener-Policy: same-origin\r\n";

bool is_trusted(std::string_view host) {
  const auto parts = base::parse_host_port(host);
  return parts && base::is_loopback(base::lower(parts->host));
}

/// The day in "day=2026-11-18"; empty for no query.
base::Result<std::optional<base::Date>> day_in(std::string_view query) {
  const auto parameters = parameters_of(query);
  if (!parameters) return parameters.error();
  if (auto known = check_names(*parameters, {"day"}); !known) return known.error();
  return day_of(*parameters, "day");
}

awaitable<Answer> page(std::string query, Answers& answers) {
  const auto day = day_in(query);
  if (!day) co_return bad_request(day.error());
  auto html = co_await answers.page(*day);
  if (!html) co_return failure(html.error());
  co_return Answer{.body = std::move(*html), .type = "text/html; charset=utf-8"};
}

/// Whether a page of another site makes the browser ask, and not by a link that a reader follows. What the page of
/// another port of this machine asks for is of the same site and is answered: without a permission in the answer, which
/// none has, the browser does not show it to that page.
bool is_of_another_site(const FetchMetadata& fetch) {
  const bool is_link = fetch.mode == "navigate" && fetch.destination == "document";
  return fetch.site == "cross-site" && !is_link;
}

std::optional<Answer> objection(const Request& request, const WebHosts& hosts) {
  auto refused = objection_to_origin(request, hosts, "the status page does not answer for this name",
                                     "pages of other sites can only link to the status page");
  if (refused) return refused;
  if (request.method == "GET" || request.method == "HEAD") return std::nullopt;
  auto refusal = failure(405, "method_not_allowed", "the status page is for reading only");
  refusal.allow = "GET, HEAD";
  return refusal;
}

}  // namespace

/// The machine's own name is not said: a page whose name was made to lead here would read it.
std::optional<Answer> objection_to_origin(const Request& request, const WebHosts& hosts, const std::string& wrong_name,
                                          const std::string& wrong_site) {
  if (!is_known(hosts, request.host))
    return failure(421, "unknown_host",
                   wrong_name + ": use localhost, " + (hosts.loopback_only ? "127.0.0.1" : "an IP address") +
                       " or this machine's own name");
  if (is_of_another_site(request.fetch)) return failure(403, "cross_site", wrong_site);
  return std::nullopt;
}

WebHosts known_hosts(bool loopback_only) {
  WebHosts hosts{{"localhost"}, loopback_only};
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return hosts;
  const auto whole = base::lower(name.data());
  if (whole.empty()) return hosts;
  hosts.names.push_back(whole);
  hosts.names.push_back(whole.substr(0, whole.find('.')));
  return hosts;
}

bool is_known(const WebHosts& hosts, std::string_view host) {
  const auto parts = base::parse_host_port(host);
  if (!parts) return false;
  if (base::is_ip_address(parts->host)) return !hosts.loopback_only || base::is_loopback(parts->host);
  return std::ranges::find(hosts.names, base::lower(parts->host)) != hosts.names.end();
}

awaitable<Answer> web_answer(const Request& request, const WebHosts& hosts, Answers& answers) {
  auto refusal = objection(request, hosts);
  if (refusal) co_return std::move(*refusal);
  if (request.path == "/") co_return co_await page(request.query, answers);
  const auto asset = answers.asset(request.path);
  if (asset) co_return Answer{.body = std::string(asset->bytes), .type = std::string(asset->type)};
  const Asker asker{Entrance::web, false};
  co_return co_await answer_to(request, asker, answers);
}

Answer for_browsers(Answer answer, std::string_view host) {
  answer.fields = security_fields;
  if (is_trusted(host)) answer.fields += isolation_field;
  if (answer.message.empty()) return answer;
  answer.body = answer.message + "\n";
  answer.type = "text/plain; charset=utf-8";
  return answer;
}

}  // namespace vtmirror::control
