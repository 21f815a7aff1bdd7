#include "vtmirror/agent/agent.hpp"

#include "agent/cycle.hpp"
#include "agent/cycle_end.hpp"
#include "agent/file_reading.hpp"
#include "agent/inventory.hpp"
#include "agent/off_loop.hpp"
#include "agent/planning.hpp"
#include "agent/pruning.hpp"
#include "agent/recovery.hpp"
#include "agent/start.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/report/sentence.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

/// Checks of whole files read from the disk at the same time.
constexpr int checks_at_once = 2;

}  // namespace

struct Agent::Impl {
  Impl(Ports p, ServiceSettings s, CycleSettings c)
      : ports(p),
        service_settings(std::move(s)),
        settings(std::move(c)),
        calls(p.catalogue, {p.clock, p.dice, p.journal}),
        watermarks(p.catalogue),
        service(p, service_settings),
        links(p, service),
        rate(p.clock, settings.rate),
        blocks(p.loop),
        connections(p.clock, blocks, settings.connections, settings.connections_max),
        checks(p.loop, checks_at_once),
        publisher(p, calls, stopping),
        stop(p.stop, [this] { stopping = true; }),
        planning(p, calls, service, settings, stopping) {
    if (p.stop.requested()) stopping = true;
  }

  CycleResources resources(bool check_alone) {
    const CheckResources of_checks{ports, calls, checks, stopping, check_alone};
    return {ports, settings, links, rate, connections, blocks, calls, watermarks, publisher, of_checks};
  }

  awaitable<base::Result<void>> recover();
  awaitable<base::Result<core::Plan>> plan();
  awaitable<bool> begins_with_repairs();
  awaitable<base::Result<core::CycleReport>> run_cycle(core::Try which, std::function<void()> listed_now);
  awaitable<base::Result<void>> record(core::CycleRecord record, core::CycleReport report, bool tried);

  Ports ports;
  ServiceSettings service_settings;
  CycleSettings settings;
  CatalogueCalls calls;
  CatalogueCalls watermarks;
  Service service;
  LinkSupply links;
  RateLimit rate;
  Blocks blocks;
  Connections connections;
  Slots checks;
  Publisher publisher;
  std::atomic<bool> stopping = false;
  ports::Stop::Registration stop;
  std::optional<ports::CycleProgress> progress;
  const Cycle* running = nullptr;
  core::EndOfWait listing_wait;  ///< by the answer to the last listing request made while a cycle ran
  std::size_t lost_files = 0;
  std::vector<core::Cause> unrepaired;
  Planning planning;
};

std::string addresses_of(const ServiceSettings& service) { return service.base_url + '\n' + service.token_url; }

Agent::Agent(Ports ports, ServiceSettings service, CycleSettings settings, std::vector<core::Cause> unrepaired)
    : impl_(std::make_unique<Impl>(ports, std::move(service), std::move(settings))) {
  impl_->unrepaired = std::move(unrepaired);
}

Agent::~Agent() = default;

const ports::CycleProgress* Agent::progress() const {
  if (!impl_->progress) return nullptr;
  // A file that starts over may have another size than it was planned with.
  impl_->progress->received = 0;
  impl_->progress->bytes = 0;
  for (const auto& download : impl_->progress->downloads) {
    impl_->progress->received += download.received;
    impl_->progress->bytes += download.size;
  }
  impl_->progress->asking = impl_->service.asking();
  return &*impl_->progress;
}

const Acceptance& Agent::secret() const { return impl_->service.secret(); }
const Acceptance& Agent::key() const { return impl_->service.key(); }

awaitable<base::Result<void>> Agent::recover() {
  auto recovered = co_await impl_->recover();
  // A cycle that brings lost files back follows at once, and announces the chain at its end.
  if (!recovered || impl_->lost_files > 0) co_return recovered;
  auto announced = co_await announce_chain(impl_->calls, impl_->ports.clock.now());
  co_return announced;
}

awaitable<base::Result<void>> Agent::Impl::recover() {
  Recovery recovery(ports, calls, publisher, stopping, unrepaired);
  const auto recovered = co_await start(ports, calls, recovery, settings.check, settings.policy, stopping);
  lost_files = recovery.lost();
  if (recovered) unrepaired = recovery.unrepaired();
  core::add_causes(unrepaired, publisher.obstacles());
  co_return recovered;
}

const std::vector<core::Cause>& Agent::unrepaired() const { return impl_->unrepaired; }

std::size_t Agent::lost_files() const { return impl_->lost_files; }

awaitable<void> Agent::stamp(NextCheck next) { co_await impl_->publisher.stamp(std::move(next)); }

awaitable<base::Result<core::Plan>> Agent::plan() { return impl_->plan(); }
awaitable<base::Result<core::Plan>> Agent::plan_of_start() { return impl_->planning.plan(First::repairs); }

awaitable<base::Result<core::Pruning>> Agent::removals(CycleSettings settings) {
  return find_removals(impl_->ports, settings.policy, find_leaving(impl_->ports, impl_->calls));
}
awaitable<base::Result<core::Pruning>> Agent::removals_of_start() {
  return find_removals(impl_->ports, impl_->settings.policy, impl_->planning.findings_of_start());
}
awaitable<base::Result<core::Pruning>> Agent::prune(CycleSettings settings) {
  return agent::prune(impl_->ports, impl_->calls, impl_->publisher, settings.policy);
}
awaitable<base::Result<core::Pruning>> Agent::prune_from_start() {
  return agent::prune_from_start(impl_->ports, impl_->calls, impl_->publisher, impl_->settings, impl_->stopping);
}

awaitable<base::Result<core::CycleReport>> Agent::cycle(core::Try which, std::function<void()> listed) {
  impl_->progress.emplace().step = ports::Step::listing;
  auto report = co_await impl_->run_cycle(which, std::move(listed));
  impl_->progress.reset();
  co_return report;
}

bool Agent::accepts_listings() const { return impl_->running != nullptr && impl_->running->accepts_listings(); }

bool Agent::any_failed() const { return impl_->running != nullptr && impl_->running->any_failed(); }

awaitable<base::Result<void>> Agent::list_again() {
  auto renewed = co_await impl_->links.renew();
  const auto now = impl_->ports.clock.now();
  const auto until = renewed ? now : core::not_before(now, renewed.error().retry_after);
  impl_->listing_wait = {until, impl_->ports.clock.steady() + (until - now)};
  co_return renewed;
}

awaitable<base::Result<core::Finding>> Agent::read_again(core::FileRecord file, Reading& reading) {
  const CheckResources checks{impl_->ports, impl_->calls, impl_->checks, impl_->stopping};
  return agent::read_again(checks, impl_->publisher, impl_->settings.check, std::move(file), reading);
}

void Agent::limit_rate(core::RateRules rules) { impl_->rate.set(std::move(rules)); }

awaitable<base::Result<core::Plan>> Agent::Impl::plan() {
  if (running != nullptr && running->plan()) co_return *running->plan();
  // A running cycle has made its repairs.
  bool repairs_first = running == nullptr;
  if (repairs_first) repairs_first = co_await begins_with_repairs();
  const auto first = repairs_first ? First::repairs : First::nothing;
  auto planned = co_await planning.plan(first);
  co_return planned;
}

/// Removals that are half done may be those of the agent before a reload.
awaitable<bool> Agent::Impl::begins_with_repairs() {
  if (!unrepaired.empty()) co_return true;
  auto look = [](const catalogue::Files& files) { return files.leaving(); };
  const auto leaving = co_await calls(std::move(look));
  co_return leaving && !leaving->empty();
}

awaitable<base::Result<core::CycleReport>> Agent::Impl::run_cycle(core::Try which, std::function<void()> listed_now) {
  const auto started = ports.clock.now();
  const auto begun = ports.clock.steady();
  progress->started = started;
  const bool repairs_first = co_await begins_with_repairs();
  if (repairs_first) {
    // A repair that fails again prevents no cycle.
    const auto again = co_await recover();
    static_cast<void>(again.has_value());
  }
  auto begin = [started](catalogue::Catalogue& c) { return c.begin_cycle(started); };
  const auto id = co_await calls(std::move(begin));
  if (!id) co_return id.error();
  ports.journal.log({ports::EventKind::cycle_started, ports::Level::info, "cycle started"});

  // If the process dies, every file being checked is suspected. While one is suspected, no other is checked beside it.
  auto suspect = [since = started - 2 * core::deadly_check_rest](const catalogue::Files& files) {
    return files.has_begun_checks(since);
  };
  const auto suspected = co_await calls(std::move(suspect));
  std::optional<Taken> second_check;
  if (suspected && *suspected) {
    co_await checks.acquire();
    second_check.emplace(checks);
  }
  Cycle cycle(resources(second_check.has_value()), service, *progress, std::move(listed_now));
  running = &cycle;
  auto report = co_await cycle.run(which);
  running = nullptr;
  planning.forget_listing();
  core::add_causes(unrepaired, cycle.unread());
  core::add_causes(unrepaired, publisher.obstacles());
  core::CycleReport end;
  if (report)
    end = *report;
  else
    end.failures.push_back(core::failure_of(report.error(), {}));
  end.took = ports.clock.steady() - begun;
  end.stopped = ports.stop.requested() && end.outcome != core::Outcome::complete;
  log_end(ports.journal, end);
  core::CycleRecord begun_record{.id = *id, .started = started};
  const auto now = ports.clock.now();
  auto not_before = now + core::left_of(std::exchange(listing_wait, {}), now, ports.clock.steady());
  if (!report) not_before = std::max(not_before, core::not_before(now, report.error().retry_after));
  if (not_before > now) begun_record.not_before = not_before;
  const auto announced = co_await announce_chain(calls, ports.clock.now());
  const auto recorded = co_await record(std::move(begun_record), end, report.has_value());
  if (!announced) co_return announced.error();
  if (!recorded) co_return recorded.error();
  if (!report) co_return report.error();
  co_return end;
}

awaitable<base::Result<void>> Agent::Impl::record(core::CycleRecord record, core::CycleReport report, bool tried) {
  record.with = {.settings = settings.fingerprint, .service = addresses_of(service_settings)};
  record.finished = ports.clock.now();
  record.outcome = report.outcome;
  record.files = report.files;
  record.bytes = report.bytes;
  record.failure = core::failure(report);
  // A cycle that was asked to stop has not found all of its failures.
  if (tried && !report.stopped) record.failures = report.failures;
  auto finish = [record, notices = notices_of(record, report)](catalogue::Catalogue& c) {
    return c.finish_cycle(record, notices);
  };
  auto finished = co_await calls(std::move(finish));
  co_return finished;
}

}  // namespace vtmirror::agent
