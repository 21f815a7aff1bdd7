#include "vtmirror/report/metrics.hpp"

#include "vtmirror/catalogue/chain_now.hpp"
#include "vtmirror/core/expiry.hpp"
#include "vtmirror/report/consumers.hpp"
#include "vtmirror/report/history.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace vtmirror::report {
namespace {

class Text {
 public:
  void head(const std::string& name, const char* type, const char* help) {
    text_ += "# HELP " + name + " " + help + "\n# TYPE " + name + " " + type + "\n";
  }
  void value(const std::string& name, double number, const std::string& labels = "") {
    char digits[40];
    std::snprintf(digits, sizeof digits, "%.17g", number);
    text_ += name + labels + " " + digits + "\n";
  }
  void one(const std::string& name, const char* type, const char* help, double number) {
    head(name, type, help);
    value(name, number);
  }
  std::string finish() { return std::move(text_); }

 private:
  std::string text_;
};

double seconds(base::Milliseconds time) { return static_cast<double>(time.count()) / 1000; }

std::string field(const ports::Event& event, std::string_view key) {
  for (const auto& one : event.fields)
    if (one.key == key) return one.value;
  return {};
}

void by_label(Text& text, const std::string& name, const std::string& label,
              const std::map<std::string, std::int64_t>& counts) {
  for (const auto& [value, count] : counts)
    text.value(name, static_cast<double>(count),
               std::string("{").append(label).append("=\"").append(value).append("\"}"));
}

void cycles(Text& text, const Status& status, const DaemonFacts& facts, const Counters& counters) {
  text.head("vtmirror_cycles_total", "counter", "Cycles that have ended, by outcome.");
  by_label(text, "vtmirror_cycles_total", "outcome", counters.cycles);
  text.head("vtmirror_retries_total", "counter", "Requests and transfers retried after an error, by reason.");
  by_label(text, "vtmirror_retries_total", "reason", counters.retries);
  text.one("vtmirror_fetched_bytes_total", "counter", "Bytes downloaded over the network.",
           static_cast<double>(counters.bytes));
  text.one("vtmirror_published_files_total", "counter", "Files published.", static_cast<double>(counters.files));
  if (facts.last_success)
    text.one("vtmirror_last_success_timestamp_seconds", "gauge", "When the last complete cycle ended.",
             seconds(facts.last_success->time_since_epoch()));
  if (facts.last_cycle)
    text.one("vtmirror_last_cycle_duration_seconds", "gauge", "How long the last cycle took.",
             seconds(facts.last_cycle->finished - facts.last_cycle->started));
  text.one("vtmirror_transfer_rate_bytes_per_second", "gauge",
           "Bytes a second of the running cycle; 0 if none is running.",
           status.cycle ? static_cast<double>(status.cycle->rate) : 0);
  if (status.next_wake)
    text.one("vtmirror_next_wake_timestamp_seconds", "gauge", "When the next cycle starts.",
             seconds(status.next_wake->time_since_epoch()));
}

void build(Text& text, const Status& status) {
  text.head("vtmirror_build_info", "gauge", "Always 1; the version that runs is a label.");
  text.value("vtmirror_build_info", 1, "{version=\"" + status.version + "\"}");
}

/// Nothing if it is not known: a value would be a guess.
void forecast(Text& text, const core::Outlook& outlook) {
  if (!outlook.forecast) return;
  text.one("vtmirror_chain_growth_bytes", "gauge", "Bytes of a bulk file with its deltas, as measured.",
           static_cast<double>(outlook.forecast->chain_bytes));
  if (outlook.forecast->full_on)
    text.one("vtmirror_disk_full_timestamp_seconds", "gauge",
             "Start of the first day, UTC, whose files will not fit at the present growth.",
             seconds(base::Time(std::chrono::sys_days(*outlook.forecast->full_on)).time_since_epoch()));
}

void mirror(Text& text, const Status& status, const DaemonFacts& facts, base::Time now) {
  const bool is_known = status.mirror.generation.has_value();
  if (is_known) {
    text.one("vtmirror_files", "gauge", "Files that the mirror holds.", static_cast<double>(status.mirror.files));
    text.one("vtmirror_held_bytes", "gauge", "Bytes that the mirror holds.", static_cast<double>(status.mirror.bytes));
  }
  text.one("vtmirror_free_bytes", "gauge", "Free space on the mirror's disk.", static_cast<double>(status.mirror.free));
  if (status.mirror.outlook) forecast(text, *status.mirror.outlook);
  if (is_known)
    text.one("vtmirror_generation", "gauge", "The mirror's generation.",
             static_cast<double>(*status.mirror.generation));
  if (is_known)
    text.one("vtmirror_chain_complete", "gauge", "1 if every listed file is held.", status.chain.complete ? 1 : 0);
  if (facts.newest_delta)
    text.one("vtmirror_newest_delta_age_seconds", "gauge", "Age of the newest delta, from the start of its day, UTC.",
             seconds(now - std::chrono::sys_days(*facts.newest_delta)));
}

void problems(Text& text, const std::vector<ProblemStatus>& problems) {
  text.one("vtmirror_problems", "gauge", "Number of current problems.", static_cast<double>(problems.size()));
  text.head("vtmirror_problem", "gauge", "1 for each current problem.");
  for (const auto& problem : problems) {
    const bool is_error = problem.severity == core::Severity::error;
    text.value("vtmirror_problem", 1,
               "{code=\"" + problem.code + "\",severity=\"" + (is_error ? "critical" : "warning") + "\"}");
  }
}

/// Exports times, not days left, because the time in an old sample is still right.
void expiries(Text& text, const Status& status) {
  if (status.secret.expires_on)
    text.one("vtmirror_secret_expiry_timestamp_seconds", "gauge", "Start of the client secret's last day, UTC.",
             seconds(base::Time(std::chrono::sys_days(*status.secret.expires_on)).time_since_epoch()));
  if (status.secret.expires_on)
    text.one("vtmirror_secret_expiry_estimated", "gauge", "1 if the client secret's last day is an estimate.",
             status.secret.estimated ? 1 : 0);
  if (status.api_key.revoked_after)
    text.one("vtmirror_api_key_revocation_timestamp_seconds", "gauge",
             "When the API key will be revoked unless it is used before.",
             seconds(status.api_key.revoked_after->time_since_epoch()));
}

void consumers(Text& text, const std::vector<ConsumerStatus>& consumers, base::Time now) {
  if (consumers.empty()) return;
  const auto each = [&](const std::string& name, const char* help, auto number) {
    text.head(name, "gauge", help);
    for (const auto& consumer : consumers) text.value(name, number(consumer), "{consumer=\"" + consumer.name + "\"}");
  };
  each("vtmirror_consumer_files", "Files that a consumer has to load.",
       [](const ConsumerStatus& consumer) { return static_cast<double>(consumer.files); });
  each("vtmirror_consumer_behind_seconds", "For how long a consumer has not loaded what it could; 0 if it has all.",
       [now](const ConsumerStatus& consumer) {
         return consumer.behind_since ? seconds(now - *consumer.behind_since) : 0;
       });
}

}  // namespace

void Counters::count(const ports::Event& event) {
  using ports::EventKind;
  if (event.kind == EventKind::published) ++files;
  if (event.kind == EventKind::fetch_retried || event.kind == EventKind::request_retried ||
      event.kind == EventKind::catalogue_busy)
    ++retries[field(event, "reason")];
  if (event.kind == EventKind::cycle_finished) ++cycles[field(event, "outcome")];
}

void Counters::arrive(const ports::CycleProgress& progress) {
  if (std::exchange(of_, progress.started) != progress.started) counted_.clear();
  for (const auto& file : progress.downloads) {
    auto& counted = counted_[file.name];
    bytes += std::max<std::int64_t>(file.fetched - counted, 0);
    counted = file.fetched;
  }
}

std::string metrics_text(const Status& status, const DaemonFacts& facts, const Counters& counters, base::Time now) {
  Text text;
  build(text, status);
  cycles(text, status, facts, counters);
  mirror(text, status, facts, now);
  problems(text, status.problems);
  expiries(text, status);
  consumers(text, status.consumers, now);
  return text.finish();
}

namespace {

/// How many of the newest cycles are searched for the last complete one.
constexpr int recent_cycles = 100;

base::Result<void> read_cycles(const catalogue::Catalogue& catalogue, DaemonFacts& facts) {
  const auto cycles = catalogue.history(recent_cycles);
  if (!cycles) return cycles.error();
  for (const auto& cycle : *cycles) {
    if (!cycle.finished) continue;
    if (!facts.last_cycle) facts.last_cycle = last_cycle_of(cycle);
    if (cycle.outcome != core::Outcome::complete) continue;
    facts.last_success = cycle.finished;
    break;
  }
  return {};
}

void add_chain(catalogue::ChainNow now, DaemonFacts& facts) {
  for (const auto& file : now.held) {
    facts.mirror.bytes += file.size;
    if (file.kind == core::Kind::delta && (!facts.newest_delta || *facts.newest_delta < file.date))
      facts.newest_delta = file.date;
  }
  facts.complete_through = core::complete_through(now.chain);
  facts.mirror.files = std::ssize(now.held);
  facts.chain = {.complete = now.chain.complete, .through = now.chain.through};
  for (auto& file : now.chain.missing) facts.chain.missing.push_back(std::move(file.name));
  facts.chain.absent_upstream = std::move(now.chain.absent_upstream);
  facts.chain.unaccounted = std::move(now.chain.unaccounted);
  facts.calendar = std::move(now.calendar);
  facts.stock = {std::move(now.held), std::move(now.lost)};
  facts.savings = core::savings(facts.calendar, facts.stock);
}

}  // namespace

base::Result<DaemonFacts> read_facts(const catalogue::Catalogue& catalogue, const std::string& directory) {
  DaemonFacts facts;
  facts.mirror.directory = directory;
  auto now = catalogue::chain_now(catalogue);
  if (!now) return now.error();
  auto consumers = consumer_statuses(catalogue, *now);
  if (!consumers) return consumers.error();
  facts.consumers = std::move(*consumers);
  if (auto read = read_cycles(catalogue, facts); !read) return read.error();
  add_chain(std::move(*now), facts);
  const auto generation = catalogue.generation();
  if (!generation) return generation.error();
  facts.mirror.generation = *generation;
  const auto quarantined = catalogue.quarantined();
  if (!quarantined) return quarantined.error();
  facts.mirror.quarantined = std::ssize(*quarantined);
  for (const auto& file : *quarantined) facts.mirror.quarantined_bytes += file.size;
  const auto used = catalogue.last_key_use();
  if (!used) return used.error();
  facts.api_key.last_used = *used;
  if (*used) facts.api_key.revoked_after = **used + core::key_life;
  return facts;
}

}  // namespace vtmirror::report
