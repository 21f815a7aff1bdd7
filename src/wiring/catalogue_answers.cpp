// What the daemon knows of its catalogue, and what happens while that cannot be read.
#include "vtmirror/report/sentence.hpp"
#include "wiring/daemon_answers.hpp"

#include <boost/asio/co_spawn.hpp>

#include <chrono>
#include <exception>
#include <utility>

namespace vtmirror::wiring {

using boost::asio::awaitable;

namespace {

constexpr base::Milliseconds between_reads = std::chrono::seconds(5);

report::DaemonFacts nothing_known(const settings::Config& config) {
  report::DaemonFacts facts;
  facts.mirror.directory = config.mirror.directory;
  return facts;
}

}  // namespace

DaemonAnswers::DaemonAnswers(Resources resources)
    : resources_(std::move(resources)),
      facts_([this] { return read_facts(); }, nothing_known(resources_.config)),
      began_(resources_.clock.now()),
      room_(resources_.loop, resources_.stop) {}

base::Result<report::DaemonFacts> DaemonAnswers::read_facts() {
  auto read = report::read_facts(resources_.catalogue, resources_.config.mirror.directory);
  if (resources_.catalogue.damage()) resources_.damaged();
  return read;
}

const report::DaemonFacts& DaemonAnswers::facts() {
  const auto& known = facts_.now();
  if (facts_.fault() && !unreadable_) unreadable(*facts_.fault());
  if (!facts_.fault() && unreadable_) readable();
  return known;
}

void DaemonAnswers::unreadable(const base::Error& error) {
  unreadable_ = core::Problem{
      .code = core::ProblemCode::catalogue_unreadable, .since = resources_.clock.now(), .cause = core::cause_of(error)};
  log_of(*unreadable_, ports::EventKind::problem_began, ports::Level::error,
         report::sentence(*unreadable_) + "; what to do: " + report::remedy(*unreadable_));
  if (std::exchange(reads_again_, true)) return;
  boost::asio::co_spawn(resources_.loop, read_again(), [](std::exception_ptr failure) {
    if (failure) std::rethrow_exception(failure);
  });
}

void DaemonAnswers::readable() {
  const auto over = std::exchange(unreadable_, std::nullopt);
  log_of(*over, ports::EventKind::problem_over, ports::Level::notice, "resolved: " + report::sentence(*over));
}

awaitable<void> DaemonAnswers::read_again() {
  while (unreadable_) {
    const auto waited = co_await resources_.clock.wait(between_reads);
    if (!waited) break;
    facts();
  }
  reads_again_ = false;
  records_.reset();
  publish(ports::StreamEvent::status, status());
}

void DaemonAnswers::forget_facts() {
  facts_.forget();
  records_.reset();
}

}  // namespace vtmirror::wiring
