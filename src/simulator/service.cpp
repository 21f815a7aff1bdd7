#include "simulator/service.hpp"

#include "simulator/api.hpp"
#include "simulator/control.hpp"
#include "simulator/digest.hpp"
#include "simulator/issuer.hpp"
#include "simulator/store.hpp"

namespace vtmirror::simulator {
namespace {

Answer true_answer(State& state, const Request& request, base::Time now, const Fault& fault) {
  if (request.at == At::issuer) return answer_issuer(state, request, now);
  if (request.at == At::api) return answer_api(state, request, now);
  return answer_store(state, request, now, fault);
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
  const std::optional<Fault> fault = state_.faults.take(request.at, request.path);
  if (!fault) return true_answer(state_, request, now, {});
  std::optional<Answer> instead = replacement(*fault);
  Answer answer = instead ? std::move(*instead) : true_answer(state_, request, now, *fault);
  misbehave(*fault, answer);
  return answer;
}

Answer Service::control(const Request& request, base::Time now) {
  const std::lock_guard lock(mutex_);
  return answer_control(state_, request, now);
}

}  // namespace vtmirror::simulator
