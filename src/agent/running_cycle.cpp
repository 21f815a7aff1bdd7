#include "agent/running_cycle.hpp"

#include <utility>

namespace vtmirror::agent {

using boost::asio::awaitable;

RunningCycle::RunningCycle(Ports ports, Start start, TaskGroup& tasks, Wake& wake)
    : ports_(ports), start_(std::move(start)), tasks_(tasks), wake_(wake), tried_(start_.tried) {}

void RunningCycle::begin() { tasks_.spawn(run(shared_from_this())); }

awaitable<void> RunningCycle::run(Self self) {
  auto listed = [&wake = self->wake_] { wake.notify(); };
  auto report = co_await self->start_.agent->cycle(self->start_.which, std::move(listed));
  self->report_ = std::move(report);
  self->wake_.notify();
}

void RunningCycle::list(const core::Schedule& schedule, std::shared_ptr<const core::Zone> zone) {
  listing_ = true;
  tasks_.spawn(list_again(shared_from_this(), schedule, std::move(zone)));
}

awaitable<void> RunningCycle::list_again(Self self, core::Schedule schedule, std::shared_ptr<const core::Zone> zone) {
  const auto at = self->ports_.clock.now();
  const auto listed = co_await self->start_.agent->list_again();
  self->tried_ = core::listing_as_try(self->tried_, at, listed.has_value(), schedule, *zone);
  if (!listed) {
    self->tried_.not_before = core::not_before(self->ports_.clock.now(), listed.error().retry_after);
    ports::Event event{.kind = ports::EventKind::request_retried, .level = ports::Level::notice};
    event.message = "the listing could not be renewed while a cycle runs: " + listed.error().message();
    event.fields.push_back({"reason", std::string(base::name(listed.error().code))});
    self->ports_.journal.log(event);
  }
  self->listing_ = false;
  self->wake_.notify();
}

core::LastCycle RunningCycle::last_try(const Health& health, const HealthSettings& settings) {
  const auto& schedule = settings.schedule;
  const auto now = ports_.clock.now();
  // The listings that renewed the links count too.
  const auto listed = health.listed_at();
  if (listed && *listed > tried_.started && *listed <= now)
    tried_ = core::listing_as_try(tried_, *listed, true, schedule, *settings.zone);
  const bool todays_listed = health.lists_delta_of(core::day_served(schedule, *settings.zone, now));
  // A file that failed is tried again beside those that are still downloaded.
  tried_.todays_listed = todays_listed && !start_.agent->any_failed();
  return tried_;
}

core::LastCycle RunningCycle::unrecorded_end(const HealthSettings& settings) const {
  auto end = start_.record;
  end.finished = ports_.clock.now();
  if (!*report_) end.not_before = core::not_before(end.finished, report_->error().retry_after);
  return core::unrecorded(std::move(end), start_.before, settings.schedule, *settings.zone);
}

void RunningCycle::note_end(Health& health, const HealthSettings& settings, const base::Result<void>& recalled) const {
  const auto& report = *report_;
  std::optional<core::Failure> failure;
  if (!report || !recalled)
    failure = core::Failure{.cause = core::cause_of(!report ? report.error() : recalled.error())};
  health.note_end(unrecorded_end(settings), std::move(failure));
}

}  // namespace vtmirror::agent
