#include "agent/probe.hpp"

#include "vtmirror/core/answer.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

constexpr int failures_allowed = 1;

struct Probe {
  std::string name;
  base::Secret link;
  core::Identity held;
  base::Time before;  ///< when it was asked for last
};

base::Result<std::vector<Probe>> find_due(const catalogue::Files& catalogue, const core::Listing& listing,
                                          base::Time now) {
  const auto files = catalogue.files();
  if (!files) return files.error();
  std::vector<Probe> due;
  for (const auto& entry : listing.entries) {
    const auto file = std::ranges::find(*files, entry.name, &core::FileRecord::name);
    if (file == files->end() || file->size != entry.size || file->date != entry.date) continue;
    if (core::probe_is_due(*file, now))
      due.push_back({entry.name, entry.link, {file->size, file->etag}, file->probed_at});
  }
  std::ranges::stable_sort(due, {}, &Probe::before);
  return due;
}

/// An answer without an ETag is judged by its total alone: some stores behind an address may not send one.
bool is_replaced(const ports::RangeAnswer& answer, const core::Identity& held) {
  const auto content = core::judge_answer(answer, {0, 1}, held);
  return content.has_error() && content.error().code == base::Errc::changed_upstream;
}

/// Records the ETag of a file that was adopted without one, so that a republication is found from now on.
awaitable<bool> learn_etag(CycleResources resources, Probe probe, std::string etag) {
  if (!probe.held.etag.empty() || etag.empty()) co_return true;
  auto keep = [name = probe.name, etag](catalogue::Files& files) { return files.keep_etag(name, etag); };
  const auto kept = co_await resources.calls(std::move(keep));
  co_return kept.has_value();
}

/// False if the store could not be asked.
awaitable<bool> ask(CycleResources resources, ports::Lane& lane, Probe probe) {
  // The probe is recorded before the request, so that a store that fails is not asked for the same file all day.
  auto keep = [name = probe.name, now = resources.ports.clock.now()](catalogue::Files& files) {
    return files.keep_probed(name, now);
  };
  const auto kept = co_await resources.calls(std::move(keep));
  if (!kept) co_return false;
  std::string url(probe.link.reveal());
  const core::Range first_byte{0, 1};
  const auto answer = co_await lane.get(std::move(url), first_byte, std::string());
  if (!answer || (answer->status != 206 && answer->status != 200)) co_return false;
  if (!is_replaced(*answer, probe.held)) {
    auto learnt = co_await learn_etag(resources, probe, answer->etag);
    co_return learnt;
  }
  auto mark = [name = probe.name](catalogue::Files& files) { return files.keep_changed(name); };
  const auto marked = co_await resources.calls(std::move(mark));
  co_return marked.has_value();
}

}  // namespace

awaitable<void> probe_store(CycleResources resources, const core::Listing& listing) {
  auto find = [&listing, now = resources.ports.clock.now()](const catalogue::Files& files) {
    return find_due(files, listing, now);
  };
  const auto due = co_await resources.calls(std::move(find));
  if (!due || due->empty()) co_return;
  const auto lane = resources.ports.http.lane();
  int failures = 0;
  for (const auto& probe : *due) {
    if (resources.ports.stop.requested()) break;
    const bool asked = co_await ask(resources, *lane, probe);
    if (!asked && ++failures > failures_allowed) break;
  }
  lane->close();
}

}  // namespace vtmirror::agent
