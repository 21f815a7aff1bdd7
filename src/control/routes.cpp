#include "control/routes.hpp"

#include "control/parameters.hpp"
#include "vtmirror/base/text.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace vtmirror::control {
namespace {

using base::Errc;
using base::Error;
using base::Result;
using boost::asio::awaitable;

/// The only parameter that a path may have; its value is a number.
struct Parameter {
  std::string_view name{};
  std::int64_t usual = 0;
  std::int64_t least = 0;
  std::int64_t most = 0;
};

struct Route {
  std::string_view path;
  bool changes = false;
  awaitable<Answer> (*reply)(Answers& answers, std::int64_t number) = nullptr;
  Parameter parameter{};
  /// For a path that reads its parameters itself.
  awaitable<Answer> (*reply_to)(Answers& answers, const Request& request, Asker asker) = nullptr;
};

/// The answer to a request for work that begins now or later.
Answer accepted(Result<std::string> body) {
  if (!body) return failure(body.error());
  return {.status = 202, .body = std::move(*body)};
}

awaitable<Answer> status(Answers& answers, std::int64_t) { co_return json(answers.status()); }
awaitable<Answer> files(Answers& answers, std::int64_t) { co_return json(co_await answers.files()); }
awaitable<Answer> coverage(Answers& answers, std::int64_t) { co_return json(co_await answers.coverage()); }
awaitable<Answer> history(Answers& answers, std::int64_t newest) {
  co_return json(co_await answers.history(static_cast<int>(newest)));
}
awaitable<Answer> changes(Answers& answers, std::int64_t since) { co_return json(co_await answers.changes(since)); }
awaitable<Answer> calendar(Answers& answers, std::int64_t days) {
  co_return json(co_await answers.calendar(static_cast<int>(days)));
}
awaitable<Answer> plan(Answers& answers, std::int64_t) { co_return json(co_await answers.plan()); }
awaitable<Answer> consumers(Answers& answers, std::int64_t) { co_return json(co_await answers.consumers()); }
awaitable<Answer> metrics(Answers& answers, std::int64_t) {
  co_return Answer{.body = answers.metrics(), .type = "text/plain; version=0.0.4"};
}
awaitable<Answer> events(Answers&, std::int64_t) { co_return Answer{.type = "text/event-stream", .follow = true}; }
awaitable<Answer> start_cycle(Answers& answers, std::int64_t) { co_return accepted(co_await answers.start_cycle()); }
awaitable<Answer> reload(Answers& answers, std::int64_t) { co_return json(answers.reload()); }

struct Verification {
  std::vector<std::string> names{};
  std::int64_t bytes_a_second = 0;
};

/// "bulk" and "delta 16 Nov" at 20 MB/s in "name=bulk&name=delta%2016%20Nov&rate=20000000".
Result<Verification> verification_request(std::string_view query) {
  const auto parameters = parameters_of(query);
  if (!parameters) return parameters.error();
  if (auto known = check_names(*parameters, {"name", "rate"}); !known) return known.error();
  const auto rate = number_of(*parameters, "rate", 0, base::largest_rate);
  if (!rate) return rate.error();
  Verification asked{.bytes_a_second = rate->value_or(0)};
  if (const auto names = parameters->find("name"); names != parameters->end()) asked.names = names->second;
  if (std::ranges::find(asked.names, std::string()) != asked.names.end())
    return Error{Errc::protocol, "name must be a file or a day"};
  return asked;
}

awaitable<Answer> start_verification(Answers& answers, const Request& request, Asker) {
  auto asked = verification_request(request.query);
  if (!asked) co_return bad_request(asked.error());
  auto started = co_await answers.start_verification(std::move(asked->names), asked->bytes_a_second);
  co_return accepted(std::move(started));
}

awaitable<Answer> removals(Answers& answers, std::int64_t) { co_return json(co_await answers.removals()); }
awaitable<Answer> prune(Answers& answers, std::int64_t) { co_return json(co_await answers.prune()); }

/// A path that both shows and changes has two rows.
constexpr std::array<Route, 19> routes{{
    {"/v1/status", false, status},
    {"/v1/files", false, files},
    {"/v1/coverage", false, coverage},
    {"/v1/history", false, history, {"n", 20, 1, std::numeric_limits<int>::max()}},
    {"/v1/changes", false, changes, {"since", 0, 0, std::numeric_limits<std::int64_t>::max()}},
    {"/v1/calendar", false, calendar, {"days", 371, 1, 3'700}},
    {"/v1/plan", false, plan},
    {"/metrics", false, metrics},
    {"/v1/events", false, events},
    {"/v1/sync", true, start_cycle},
    {"/v1/reload", true, reload},
    {"/v1/verify", true, nullptr, {}, start_verification},
    {"/v1/prune", false, removals},
    {"/v1/prune", true, prune},
    {"/v1/consumers", false, consumers},
    {"/v1/next", false, nullptr, {}, next},
    {"/v1/wait", false, nullptr, {}, wait_for_chain},
    {"/v1/ack", true, nullptr, {}, acknowledge},
    {"/v1/forget", true, nullptr, {}, forget},
}};

/// What a browser may read: the paths that cause no request to the service, hold no connection slot and record nothing.
constexpr std::array<std::string_view, 8> web_paths{"/v1/status",  "/v1/files",    "/v1/coverage",  "/v1/history",
                                                    "/v1/changes", "/v1/calendar", "/v1/consumers", "/v1/events"};

bool serves(Entrance entrance, std::string_view path) {
  if (entrance == Entrance::metrics) return path == "/metrics";
  return entrance == Entrance::control || std::ranges::find(web_paths, path) != web_paths.end();
}

bool reads(const Request& request) { return request.method == "GET" || request.method == "HEAD"; }

/// Of two rows the one for the request's method. Null if there is no such path here.
const Route* find(const Request& request, Entrance entrance) {
  if (!serves(entrance, request.path)) return nullptr;
  const Route* found = nullptr;
  for (const auto& route : routes)
    if (route.path == request.path && (found == nullptr || route.changes != reads(request))) found = &route;
  return found;
}

/// The methods that the path supports.
std::string methods_of(std::string_view path) {
  std::string methods;
  for (const auto& route : routes)
    if (route.path == path)
      methods += (methods.empty() ? "" : ", ") + std::string(route.changes ? "POST" : "GET, HEAD");
  return methods;
}

/// The number in "n=20".
Result<std::int64_t> number(std::string_view query, const Parameter& parameter) {
  const auto parameters = parameters_of(query);
  if (!parameters) return parameters.error();
  const bool has_one = !parameter.name.empty();
  auto known = has_one ? check_names(*parameters, {parameter.name}) : check_names(*parameters, {});
  if (!known) return known.error();
  const auto value = number_of(*parameters, parameter.name, parameter.least, parameter.most);
  if (!value) return value.error();
  return value->value_or(parameter.usual);
}

/// The response if the request is refused.
std::optional<Answer> objection(const Route& route, const Request& request, const Asker& asker) {
  if (route.changes ? request.method != "POST" : !reads(request)) {
    auto refusal = failure(405, "method_not_allowed", "this path does not support this method");
    refusal.allow = methods_of(request.path);
    return refusal;
  }
  if (route.changes && !asker.may_change)
    return failure(403, "forbidden", "only root and the daemon's user may do this");
  return std::nullopt;
}

}  // namespace

awaitable<Answer> answer_to(const Request& request, Asker asker, Answers& answers) {
  const Route* route = find(request, asker.entrance);
  if (route == nullptr) co_return failure(404, "not_found", "no such path");
  auto refusal = objection(*route, request, asker);
  if (refusal) co_return std::move(*refusal);
  if (route->reply_to != nullptr) co_return co_await route->reply_to(answers, request, asker);
  const auto asked = number(request.query, route->parameter);
  if (!asked) co_return bad_request(asked.error());
  co_return co_await route->reply(answers, *asked);
}

}  // namespace vtmirror::control
