// What the requests of consumers are answered.
#include "control/routes.hpp"

#include "vtmirror/base/json.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/core/consumer.hpp"

#include <initializer_list>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace vtmirror::control {
namespace {

using base::Errc;
using base::Error;
using base::Result;
using boost::asio::awaitable;
using Parameters = std::map<std::string, std::string, std::less<>>;

/// A request that waits longer would be cut off by what lies between, or by a restart, unnoticed.
constexpr std::int64_t longest_wait = 60;

Error wrong(std::string words) { return {Errc::protocol, std::move(words)}; }

bool is_known(std::string_view name, std::initializer_list<std::string_view> known) {
  for (const auto each : known)
    if (each == name) return true;
  return false;
}

/// "consumer=warehouse&ticket=43-7": no value needs an escape.
Result<void> add_query(Parameters& parameters, std::string_view query) {
  while (!query.empty()) {
    const auto part = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), part.size() + 1));
    const auto sign = part.find('=');
    if (sign == std::string_view::npos) return wrong("a parameter has no value");
    parameters[std::string(part.substr(0, sign))] = std::string(part.substr(sign + 1));
  }
  return {};
}

Result<void> add_body(Parameters& parameters, const std::string& body) {
  const auto text = base::trim(body);
  if (text.empty()) return {};
  if (text.front() != '{') return add_query(parameters, text);
  const auto object = base::parse_json_object(text);
  if (!object) return wrong("the body is not a JSON object");
  for (const auto& member : *object) {
    const auto* value = member.value().if_string();
    if (value == nullptr) return wrong("the body's " + base::printable(member.key(), 80) + " is not a string");
    parameters[std::string(member.key())] = std::string(value->data(), value->size());
  }
  return {};
}

/// An unknown parameter is an error, so that a typing error is not silently ignored.
Result<Parameters> parameters_of(const Request& request, std::initializer_list<std::string_view> known) {
  Parameters parameters;
  if (auto added = add_query(parameters, request.query); !added) return added.error();
  if (auto added = add_body(parameters, request.body); !added) return added.error();
  for (const auto& [name, value] : parameters)
    if (!is_known(name, known)) return wrong("there is no parameter " + base::printable(name, 80));
  return parameters;
}

Result<std::string> consumer_of(const Parameters& parameters) {
  const auto found = parameters.find("consumer");
  if (found == parameters.end()) return wrong("the parameter consumer is missing");
  if (!core::is_consumer_name(found->second))
    return wrong("the consumer's name must be 1 to 64 letters, digits, -, _ or .");
  return found->second;
}

/// A refusal says that the state is another one than the client takes it for.
Answer changed(Result<Answers::Outcome> outcome) {
  if (!outcome) return failure(outcome.error());
  if (!outcome->refusal.empty()) return failure(409, "refused", outcome->refusal);
  return {.body = std::move(outcome->json)};
}

}  // namespace

awaitable<Answer> next(Answers& answers, const Request& request, Asker asker) {
  const auto parameters = parameters_of(request, {"consumer"});
  if (!parameters) co_return bad_request(parameters.error());
  const auto consumer = consumer_of(*parameters);
  if (!consumer) co_return bad_request(consumer.error());
  auto body = co_await answers.next(*consumer, asker.may_change);
  co_return json(std::move(body));
}

awaitable<Answer> acknowledge(Answers& answers, const Request& request, Asker) {
  const auto parameters = parameters_of(request, {"consumer", "ticket"});
  if (!parameters) co_return bad_request(parameters.error());
  const auto consumer = consumer_of(*parameters);
  if (!consumer) co_return bad_request(consumer.error());
  const auto ticket = parameters->find("ticket");
  if (ticket == parameters->end()) co_return bad_request(wrong("the parameter ticket is missing"));
  auto outcome = co_await answers.acknowledge(*consumer, ticket->second);
  co_return changed(std::move(outcome));
}

awaitable<Answer> forget(Answers& answers, const Request& request, Asker) {
  const auto parameters = parameters_of(request, {"consumer"});
  if (!parameters) co_return bad_request(parameters.error());
  const auto consumer = consumer_of(*parameters);
  if (!consumer) co_return bad_request(consumer.error());
  auto outcome = co_await answers.forget(*consumer);
  co_return changed(std::move(outcome));
}

awaitable<Answer> wait_for_chain(Answers& answers, const Request& request, Asker) {
  const auto parameters = parameters_of(request, {"through", "timeout"});
  if (!parameters) co_return bad_request(parameters.error());
  std::optional<base::Date> through;
  if (const auto day = parameters->find("through"); day != parameters->end()) {
    const auto date = base::parse_date(day->second);
    if (!date) co_return bad_request(wrong("through must be a day such as 2026-11-18"));
    through = *date;
  }
  std::int64_t seconds = longest_wait;
  if (const auto limit = parameters->find("timeout"); limit != parameters->end()) {
    const auto number = base::parse_int(limit->second);
    if (!number || *number > longest_wait)
      co_return bad_request(wrong("timeout must be a number of seconds from 0 to " + std::to_string(longest_wait)));
    seconds = *number;
  }
  auto body = co_await answers.wait(through, std::chrono::seconds(seconds));
  co_return json(std::move(body));
}

}  // namespace vtmirror::control
