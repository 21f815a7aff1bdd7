// The daemon's answers to consumers, and the answers of a process without one.
#include "vtmirror/wiring/consumers.hpp"

#include "vtmirror/agent/consumers.hpp"
#include "vtmirror/catalogue/chain_now.hpp"
#include "vtmirror/report/consumers.hpp"
#include "vtmirror/wiring/agent_settings.hpp"
#include "vtmirror/wiring/machine.hpp"
#include "wiring/daemon_answers.hpp"

#include <boost/asio/co_spawn.hpp>

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

namespace vtmirror::wiring {

using boost::asio::awaitable;

namespace {

std::string json_of(std::string consumer, agent::NextFiles files) {
  return report::next_json({.consumer = std::move(consumer),
                            .offer = std::move(files.offer),
                            .edition = std::move(files.edition),
                            .ticket = std::move(files.ticket),
                            .paths = std::move(files.paths)});
}

/// Owns what it awaits with: the caller's loop may run it to its end after the caller has gone.
awaitable<base::Result<std::string>> next_of(agent::ConsumerDesk& desk, std::string consumer) {
  auto files = co_await desk.next(consumer);
  if (!files) co_return files.error();
  co_return json_of(std::move(consumer), std::move(*files));
}

awaitable<base::Result<control::Answers::Outcome>> acknowledge_at(agent::ConsumerDesk& desk, std::string consumer,
                                                                  std::string ticket) {
  const auto outcome = co_await desk.acknowledge(consumer, ticket);
  if (!outcome) co_return outcome.error();
  co_return control::Answers::Outcome{report::acknowledged_json(consumer, ticket),
                                      report::refusal_of(*outcome, consumer, ticket)};
}

awaitable<base::Result<control::Answers::Outcome>> forget_at(agent::ConsumerDesk& desk, std::string consumer) {
  const auto known = co_await desk.forget(consumer);
  if (!known) co_return known.error();
  const auto unknown = core::Acknowledgement::unknown_consumer;
  co_return control::Answers::Outcome{report::forgotten_json(consumer),
                                      *known ? std::string() : report::refusal_of(unknown, consumer, {})};
}

template <class T>
awaitable<void> keep(awaitable<base::Result<T>> work, std::optional<base::Result<T>>& result) {
  result = co_await std::move(work);
}

/// One question takes moments, so that another one waits for its end.
bool is_short(mirror::Holder holder) {
  using mirror::Holder;
  return holder == Holder::next || holder == Holder::ack || holder == Holder::consumers || holder == Holder::unknown;
}

base::Result<std::unique_ptr<Machine>> open_in_turn(const settings::Config& config, mirror::Holder holder) {
  constexpr std::chrono::seconds longest_wait(10);
  constexpr std::chrono::milliseconds pause(10);
  const auto end = std::chrono::steady_clock::now() + longest_wait;
  for (;;) {
    auto machine = Machine::open(config, holder, Refill::refused, Rebuild::refused);
    const bool waits = machine.has_error() && machine.error().code == base::Errc::locked &&
                       is_short(mirror::holder_of(machine.error()));
    if (!waits || std::chrono::steady_clock::now() >= end) return machine;
    std::this_thread::sleep_for(pause);
  }
}

/// One question to a desk of this process, which holds the mirror meanwhile.
template <class T>
base::Result<T> at_own_desk(const settings::Config& config, ports::Journal& journal, mirror::Holder holder,
                            const std::function<awaitable<base::Result<T>>(agent::ConsumerDesk&)>& ask) {
  auto machine = open_in_turn(config, holder);
  if (!machine) return machine.error();
  agent::ConsumerDesk desk((*machine)->parts(journal), consumer_rules(config));
  std::optional<base::Result<T>> result;
  boost::asio::co_spawn((*machine)->loop(), keep(ask(desk), result), [](std::exception_ptr failure) {
    if (failure) std::rethrow_exception(failure);
  });
  (*machine)->loop().run();
  return std::move(*result);
}

using Outcome = control::Answers::Outcome;

base::Result<std::string> json_or_refusal(base::Result<Outcome> outcome) {
  if (!outcome) return outcome.error();
  if (!outcome->refusal.empty()) return base::Error{base::Errc::http_status, outcome->refusal};
  return std::move(outcome->json);
}

}  // namespace

base::Result<base::Date> todays_delta(const settings::Config& config, base::Time now) {
  const auto health = health_settings(config);
  if (!health) return health.error();
  return core::day_served(health->schedule, *health->zone, now);
}

base::Result<std::string> next_files(const settings::Config& config, ports::Journal& journal,
                                     const std::string& consumer) {
  return at_own_desk<std::string>(config, journal, mirror::Holder::next,
                                  [&](agent::ConsumerDesk& desk) { return next_of(desk, consumer); });
}

base::Result<std::string> acknowledge(const settings::Config& config, ports::Journal& journal,
                                      const std::string& consumer, const std::string& ticket) {
  return json_or_refusal(at_own_desk<Outcome>(config, journal, mirror::Holder::ack, [&](agent::ConsumerDesk& desk) {
    return acknowledge_at(desk, consumer, ticket);
  }));
}

base::Result<std::string> forget_consumer(const settings::Config& config, ports::Journal& journal,
                                          const std::string& consumer) {
  return json_or_refusal(at_own_desk<Outcome>(config, journal, mirror::Holder::consumers,
                                              [&](agent::ConsumerDesk& desk) { return forget_at(desk, consumer); }));
}

base::Result<std::string> chain_through(const settings::Config& config, std::optional<base::Date> day, base::Time now) {
  if (!day) {
    const auto today = todays_delta(config, now);
    if (!today) return today.error();
    day = *today;
  }
  const auto catalogue = open_to_read(config.mirror.catalogue, config.mirror.directory);
  if (!catalogue) return catalogue.error();
  if (!*catalogue) return report::wait_json({*day, std::nullopt});
  const auto chain = catalogue::chain_now(**catalogue);
  if (!chain) return chain.error();
  return report::wait_json({*day, core::complete_through(chain->chain)});
}

/// Before the daemon has read the mirror, a rebuilt catalogue knows no file.
awaitable<base::Result<std::string>> DaemonAnswers::next(std::string consumer, bool may_change) {
  if (auto why = not_started()) co_return std::move(*why);
  auto files = may_change ? desk_->next(consumer) : desk_->preview(consumer);
  auto found = co_await std::move(files);
  if (!found) co_return found.error();
  // It asks, and may be new.
  consumers_changed();
  co_return json_of(std::move(consumer), std::move(*found));
}

void DaemonAnswers::consumers_changed() {
  facts_.forget();
  publish_status();
}

awaitable<base::Result<std::string>> DaemonAnswers::consumers() {
  const auto consumers = report::consumer_statuses(resources_.catalogue);
  if (!consumers) co_return consumers.error();
  co_return report::consumers_json(*consumers);
}

awaitable<base::Result<Outcome>> DaemonAnswers::acknowledge(std::string consumer, std::string ticket) {
  auto outcome = co_await acknowledge_at(*desk_, std::move(consumer), std::move(ticket));
  consumers_changed();
  co_return outcome;
}

awaitable<base::Result<Outcome>> DaemonAnswers::forget(std::string consumer) {
  auto outcome = co_await forget_at(*desk_, std::move(consumer));
  consumers_changed();
  co_return outcome;
}

base::Result<control::Answers::ChainLook> DaemonAnswers::look_at_chain(std::optional<base::Date> day) {
  if (!day) {
    const auto today = todays_delta(resources_.config, resources_.clock.now());
    if (!today) return today.error();
    day = *today;
  }
  const auto complete = facts().complete_through;
  return ChainLook{*day, complete && *complete >= *day, report::wait_json({*day, complete})};
}

}  // namespace vtmirror::wiring
