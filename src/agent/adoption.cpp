#include "vtmirror/agent/adoption.hpp"

#include "agent/adopted_file.hpp"
#include "agent/inventory.hpp"
#include "agent/off_loop.hpp"
#include "agent/publisher.hpp"
#include "agent/recovery.hpp"
#include "agent/start.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/report/sentence.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <utility>

namespace vtmirror::agent {

using boost::asio::awaitable;
using Phase = ports::DownloadProgress::Phase;

namespace {

/// A failure names the file by its path, or by its listed name once it is on its way; the message has the path already.
std::string reason_of(base::Error error, const std::string& path, const std::string& name) {
  error.detail = report::reason(error, name);
  return report::reason(error, path);
}

bool is_stop(const base::Error& error) { return error.code == base::Errc::cancelled; }

}  // namespace

struct Adoption::Impl {
  Impl(Ports p, ports::Folder& f, CycleSettings s, bool c)
      : ports(p),
        folder(f),
        settings(std::move(s)),
        copies(c),
        calls(p.catalogue, {p.clock, p.dice, p.journal}),
        checks(p.loop, 1),
        publisher(p, calls, stopping),
        stop(p.stop, [this] { stopping = true; }) {
    if (p.stop.requested()) stopping = true;
  }

  awaitable<base::Result<AdoptionReport>> run();
  awaitable<base::Result<core::Inventory>> begin();
  awaitable<base::Result<void>> adopt_next(core::Adoptable wanted);
  AdoptionResources resources() {
    return {ports,  folder,    settings, copies, calls,
            checks, publisher, stopping, done,   [this](const std::string& name, Phase phase) { enter(name, phase); }};
  }
  void enter(const std::string& name, Phase phase);
  void log_plan(const core::AdoptionPlan& plan);
  void log_held(const std::string& path, const std::string& name);
  void leave_alone(const std::string& path, const std::string& name, const std::string& why);
  void log(ports::Level level, std::string message, const std::string& name);

  Ports ports;
  ports::Folder& folder;
  CycleSettings settings;
  bool copies;
  CatalogueCalls calls;
  Slots checks;
  Publisher publisher;
  std::atomic<bool> stopping = false;
  std::atomic<std::int64_t> done = 0;  ///< bytes of the step that runs, written on the pool
  ports::Stop::Registration stop;
  std::optional<ports::CycleProgress> progress;
  AdoptionReport report;
};

Adoption::Adoption(Ports ports, ports::Folder& folder, CycleSettings settings, bool copies)
    : impl_(std::make_unique<Impl>(ports, folder, std::move(settings), copies)) {}
Adoption::~Adoption() = default;

awaitable<base::Result<AdoptionReport>> Adoption::run() { return impl_->run(); }

const ports::CycleProgress* Adoption::progress() const {
  if (!impl_->progress) return nullptr;
  auto& progress = *impl_->progress;
  progress.received = 0;
  for (auto& file : progress.downloads) {
    if (file.phase == Phase::fetching || file.phase == Phase::checking) file.received = impl_->done;
    progress.received += file.received;
  }
  return &progress;
}

awaitable<base::Result<AdoptionReport>> Adoption::Impl::run() {
  const auto inventory = co_await begin();
  if (!inventory) co_return inventory.error();
  auto list = [this] { return folder.files([this](std::int64_t) { return !stopping; }); };
  const auto files = co_await off_loop(ports.pool.get_executor(), std::move(list));
  if (!files && is_stop(files.error())) {
    report.stopped = true;
    co_return report;
  }
  if (!files) co_return files.error();
  const base::Date today(std::chrono::floor<std::chrono::days>(ports.clock.now()));
  const auto plan = core::adoption_plan(*files, *inventory, today);
  log_plan(plan);
  for (const auto& file : plan.adopt) {
    if (stopping) break;
    const auto adopted = co_await adopt_next(file);
    if (adopted) continue;
    if (!is_stop(adopted.error())) co_return adopted.error();
    break;
  }
  report.stopped = stopping;
  progress.reset();
  co_return report;
}

awaitable<base::Result<core::Inventory>> Adoption::Impl::begin() {
  Recovery recovery(ports, calls, publisher, stopping);
  const auto started = co_await start(ports, calls, recovery, settings.check, settings.policy, stopping);
  if (!started) co_return started.error();
  auto inventory = co_await read_inventory(ports, calls);
  co_return inventory;
}

void Adoption::Impl::log_plan(const core::AdoptionPlan& plan) {
  report.unknown = static_cast<int>(plan.unknown.size());
  report.others = plan.others;
  for (const auto& file : plan.held) log_held(file.path, file.name);
  for (const auto& file : plan.doubtful) leave_alone(file.path, file.name, file.why);
  for (const auto& path : plan.unknown)
    log(ports::Level::notice, "skipped " + base::printable(path) + ": its name is not one that the service uses", path);
  progress.emplace();
  progress->started = ports.clock.now();
  progress->files = static_cast<int>(plan.adopt.size());
  for (const auto& file : plan.adopt) {
    progress->downloads.push_back({.name = file.name, .size = file.size});
    progress->bytes += file.size;
  }
}

/// Errors: what ends the adoption.
awaitable<base::Result<void>> Adoption::Impl::adopt_next(core::Adoptable wanted) {
  AdoptedFile file(resources(), wanted);
  const auto adopted = co_await file.adopt();
  for (const auto& damaged : file.damaged()) leave_alone(damaged.path, damaged.name, damaged.why);
  enter(wanted.name, adopted ? Phase::published : Phase::failed);
  if (!adopted && !spares_others(adopted.error())) co_return adopted.error();
  if (!adopted) {
    for (const auto& path : wanted.paths) {
      const auto is_it = [&path](const core::LeftAlone& damaged) { return damaged.path == path; };
      if (std::ranges::none_of(file.damaged(), is_it))
        leave_alone(path, wanted.name, reason_of(adopted.error(), path, wanted.name));
    }
    co_return base::Result<void>();
  }
  ++report.adopted[*adopted];
  report.bytes += wanted.size;
  ++progress->done;
  ports.journal.log({ports::EventKind::adopted,
                     ports::Level::notice,
                     "adopted " + core::short_name(wanted.name) + " (" + base::human_size(wanted.size) + ", " +
                         std::string(core::words(*adopted)) + ")",
                     {{"file", wanted.name}}});
  for (const auto& path : file.same()) log_held(path, wanted.name);
  co_return base::Result<void>();
}

void Adoption::Impl::enter(const std::string& name, Phase phase) {
  done = 0;
  for (auto& file : progress->downloads) {
    if (file.name != name) continue;
    file.phase = phase;
    file.connections = 1;  // to the folder
    if (phase == Phase::published) file.received = file.size;
  }
}

void Adoption::Impl::leave_alone(const std::string& path, const std::string& name, const std::string& why) {
  ++report.doubtful;
  log(ports::Level::warning, "left " + base::printable(path) + " alone: " + why, name);
}

void Adoption::Impl::log_held(const std::string& path, const std::string& name) {
  ++report.held;
  log(ports::Level::notice, core::short_name(name) + " is held already, with the size of " + base::printable(path),
      name);
}

void Adoption::Impl::log(ports::Level level, std::string message, const std::string& name) {
  ports.journal.log({ports::EventKind::checked, level, std::move(message), {{"file", name}}});
}

}  // namespace vtmirror::agent
