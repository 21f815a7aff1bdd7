// What the requests of consumers are answered.
#include "control/parameters.hpp"
#include "control/routes.hpp"
#include "vtmirror/base/json.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/core/consumer.hpp"

#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

namespace vtmirror::control {
namespace {

using base::Errc;
using base::Error;
using base::Result;
using boost::asio::awaitable;

/// A request that waits longer would be cut off by what lies between, or by a restart, unnoticed.
constexpr std::int64_t longest_wait = 60;

Error wrong(std::string words) { return {Errc::protocol, std::move(words)}; }

/// What the body says counts, where the query says it too.
Result<void> add_body(Parameters& parameters, const std::string& body) {
  const auto text = base::trim(body);
  if (text.empty()) return {};
  if (text.front() != '{') {
    auto form = parameters_of(text);
    if (!form) return form.error();
    for (auto& [name, values] : *form) parameters[name] = std::move(values);
    return {};
  }
  const auto object = base::parse_json_object(text);
  if (!object) return wrong("the body is not a JSON object");
  for (const auto& member : *object) {
    const auto* value = member.value().if_string();
    if (value == nullptr) return wrong("the body's " + base::printable(member.key(), 80) + " is not a string");
    parameters[std::string(member.key())] = {std::string(value->data(), value->size())};
  }
  return {};
}

Result<Parameters> parameters_in(const Request& request, std::initializer_list<std::string_view> known) {
  auto parameters = parameters_of(request.query);
  if (!parameters) return parameters.error();
  if (auto added = add_body(*parameters, request.body); !added) return added.error();
  if (auto checked = check_names(*parameters, known); !checked) return checked.error();
  return parameters;
}

Result<std::string> needed_value(const Parameters& parameters, std::string_view name) {
  auto value = value_of(parameters, name);
  if (!value) return value.error();
  if (!*value) return wrong("the parameter " + std::string(name) + " is missing");
  return std::move(**value);
}

Result<std::string> consumer_of(const Parameters& parameters) {
  auto name = needed_value(parameters, "consumer");
  if (!name) return name.error();
  if (!core::is_consumer_name(*name)) return wrong("the consumer's name must be 1 to 64 letters, digits, -, _ or .");
  return name;
}

/// A refusal says that the state is another one than the client takes it for.
Answer changed(Result<Answers::Outcome> outcome) {
  if (!outcome) return failure(outcome.error());
  if (!outcome->refusal.empty()) return failure(409, "refused", outcome->refusal);
  return {.body = std::move(outcome->json)};
}

}  // namespace

awaitable<Answer> next(Answers& answers, const Request& request, Asker asker) {
  const auto parameters = parameters_in(request, {"consumer"});
  if (!parameters) co_return bad_request(parameters.error());
  const auto consumer = consumer_of(*parameters);
  if (!consumer) co_return bad_request(consumer.error());
  auto body = co_await answers.next(*consumer, asker.may_change);
  co_return json(std::move(body));
}

awaitable<Answer> acknowledge(Answers& answers, const Request& request, Asker) {
  const auto parameters = parameters_in(request, {"consumer", "ticket"});
  if (!parameters) co_return bad_request(parameters.error());
  const auto consumer = consumer_of(*parameters);
  if (!consumer) co_return bad_request(consumer.error());
  const auto ticket = needed_value(*parameters, "ticket");
  if (!ticket) co_return bad_request(ticket.error());
  auto outcome = co_await answers.acknowledge(*consumer, *ticket);
  co_return changed(std::move(outcome));
}

awaitable<Answer> forget(Answers& answers, const Request& request, Asker) {
  const auto parameters = parameters_in(request, {"consumer"});
  if (!parameters) co_return bad_request(parameters.error());
  const auto consumer = consumer_of(*parameters);
  if (!consumer) co_return bad_request(consumer.error());
  auto outcome = co_await answers.forget(*consumer);
  co_return changed(std::move(outcome));
}

awaitable<Answer> wait_for_chain(Answers& answers, const Request& request, Asker) {
  const auto parameters = parameters_in(request, {"through", "timeout"});
  if (!parameters) co_return bad_request(parameters.error());
  const auto through = day_of(*parameters, "through");
  if (!through) co_return bad_request(through.error());
  const auto seconds = number_of(*parameters, "timeout", 0, longest_wait);
  if (!seconds) co_return bad_request(seconds.error());
  auto look = answers.look_at_chain(*through);
  if (!look) co_return failure(look.error());
  Answer answer{.body = std::move(look->json)};
  if (!look->complete) answer.wait = {look->day, std::chrono::seconds(seconds->value_or(longest_wait))};
  co_return answer;
}

}  // namespace vtmirror::control
