#include "simulator/service.hpp"

#include "simulator/digest.hpp"

#include <algorithm>

namespace vtmirror::simulator {
namespace {

Answer true_answer(State& state, const Request& request, base::Time now, const Fault& fault) {
  if (request.at == At::issuer) return answer_issuer(state, request, now);
  if (request.at == At::api) return answer_api(state, request, now);
  return answer_store(state, request, now, fault);
}

Echoes echoes(const State& state) {
  const auto newest = std::max_element(state.tokens.begin(), state.tokens.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return {{"@client_secret", state.identity.client_secrets.back()},
          {"@api_key", state.identity.api_key},
          {"@token", newest == state.tokens.end() ? "" : newest->first}};
}

}  // namespace

Service::Service(Script script, base::Date today, Identity identity) {
  state_.faults = FaultList(script.faults);
  state_.script = std::move(script);
  state_.today = today;
  state_.identity = std::move(identity);
  state_.link_key.secret = random_hex(32);
}

void Service::set_addresses(Addresses addresses) {
  const std::lock_guard lock(mutex_);
  state_.addresses = std::move(addresses);
}

Answer Service::answer(const Request& request, base::Time now) {
  const std::lock_guard lock(mutex_);
  auto fault = state_.faults.next(request.at, request.path);
  if (!fault) return true_answer(state_, request, now, {});
  fault = echoing(std::move(*fault), echoes(state_));
  std::optional<Answer> instead = replacement(*fault);
  Answer answer = instead ? std::move(*instead) : true_answer(state_, request, now, *fault);
  misbehave(*fault, answer);
  return answer;
}

Answer Service::control(const Request& request, base::Time now) {
  const std::lock_guard lock(mutex_);
  return answer_control(state_, request, now);
}

namespace {

constexpr std::size_t most_items = 24;

std::string uuid() {
  std::string text = random_hex(16);
  for (const std::size_t at : {8U, 13U, 18U, 23U}) text.insert(at, 1, '-');
  return text;
}

}  // namespace

Identity make_identity() {
  return {.client_id = uuid(),
          .client_secrets = {"secret~" + random_hex(16)},
          .api_key = "key-" + random_hex(18),
          .email = "mirror@client.example",
          .scope = "https://vtmirror.example/.default"};
}

std::shared_ptr<const Archive> Shelf::get(const Recipe& recipe) { return item(recipe).archive; }

std::string Shelf::sha256(const Recipe& recipe) {
  Item& found = item(recipe);
  if (found.sha256.empty()) found.sha256 = simulator::sha256(*found.archive);
  return found.sha256;
}

Shelf::Item& Shelf::item(const Recipe& recipe) {
  const auto found =
      std::find_if(items_.begin(), items_.end(), [&](const Item& each) { return each.recipe == recipe; });
  if (found != items_.end()) return *found;
  if (items_.size() == most_items) items_.erase(items_.begin());
  items_.push_back(
      {.recipe = recipe, .archive = std::make_shared<const Archive>(Archive::build(recipe)), .sha256 = {}});
  return items_.back();
}

}  // namespace vtmirror::simulator
