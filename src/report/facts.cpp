#include "vtmirror/report/facts.hpp"

#include "vtmirror/core/chain.hpp"
#include "vtmirror/core/expiry.hpp"
#include "vtmirror/report/sentence.hpp"

namespace vtmirror::report {
namespace {

/// How many of the newest cycles are searched for the last complete one.
constexpr int recent_cycles = 100;

LastCycleStatus told(const catalogue::CycleRecord& cycle) {
  LastCycleStatus last{.started = cycle.started,
                       .finished = cycle.finished.value_or(cycle.started),
                       .outcome = std::string(catalogue::name(cycle.outcome)),
                       .files = cycle.files,
                       .bytes = cycle.bytes,
                       .error = sentence(cycle.failure)};
  if (!cycle.failure || core::is_stop(*cycle.failure)) return last;
  last.code = cycle.failure->cause.code;
  last.service_code = core::text(cycle.failure->cause, "service_code");
  last.problem = core::problem_of(*cycle.failure);
  return last;
}

base::Result<void> read_cycles(const catalogue::Catalogue& catalogue, DaemonFacts& facts) {
  const auto cycles = catalogue.history(recent_cycles);
  if (!cycles) return cycles.error();
  for (const auto& cycle : *cycles) {
    if (!cycle.finished) continue;
    if (!facts.last_cycle) facts.last_cycle = told(cycle);
    if (cycle.outcome != catalogue::Outcome::complete) continue;
    facts.last_success = cycle.finished;
    break;
  }
  return {};
}

base::Result<void> read_mirror(const catalogue::Catalogue& catalogue, DaemonFacts& facts) {
  const auto files = catalogue.files();
  if (!files) return files.error();
  auto listing = catalogue.last_listing();
  if (!listing) return listing.error();
  std::vector<core::Held> held;
  for (const auto& file : *files) {
    held.push_back({file.kind, file.name, file.date, file.size, file.sha256});
    facts.mirror.bytes += file.size;
    if (file.kind == core::Kind::delta && (!facts.newest_delta || *facts.newest_delta < file.date))
      facts.newest_delta = file.date;
  }
  facts.mirror.files = static_cast<std::int64_t>(files->size());
  const auto last = *listing ? std::move(**listing) : catalogue::StoredListing();
  auto chain = core::chain_of(last.files, held, last.absent);
  facts.chain = {chain.complete, chain.through, std::move(chain.missing), std::move(chain.absent_upstream)};
  return {};
}

}  // namespace

base::Result<DaemonFacts> read_facts(const catalogue::Catalogue& catalogue, const std::string& directory) {
  DaemonFacts facts;
  facts.mirror.directory = directory;
  if (auto read = read_cycles(catalogue, facts); !read) return read.error();
  if (auto read = read_mirror(catalogue, facts); !read) return read.error();
  const auto generation = catalogue.generation();
  if (!generation) return generation.error();
  facts.mirror.generation = *generation;
  const auto used = catalogue.last_key_use();
  if (!used) return used.error();
  facts.api_key.last_used = *used;
  if (*used) facts.api_key.revoked_after = **used + core::key_life;
  return facts;
}

}  // namespace vtmirror::report
