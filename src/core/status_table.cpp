#include "core/status_clock.hpp"
#include "core/status_downloads.hpp"
#include "core/status_page.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/core/status.hpp"

#include <algorithm>

namespace vtmirror::core {
namespace {

using namespace std::chrono;

constexpr std::size_t most_names = 3;
constexpr std::size_t longest_message = 1'000;

std::string counted(std::int64_t count, const std::string& noun) {
  return std::to_string(count) + ' ' + noun + (count == 1 ? "" : "s");
}

/// "a, b, c and 4 more"
std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < std::min(words.size(), most_names); ++i) text += (i == 0 ? "" : ", ") + words[i];
  if (words.size() > most_names) text += " and " + std::to_string(words.size() - most_names) + " more";
  return text;
}

std::string progress_words(const CycleStatus& cycle) {
  if (cycle.files == 0) return "asking for the listing";
  auto text = std::to_string(cycle.done) + " of " + counted(cycle.files, "file") + ", " +
              std::to_string(percent(cycle.received, cycle.bytes)) + "% of " + base::human_size(cycle.bytes);
  if (cycle.rate > 0) text += ", " + base::human_size(cycle.rate) + "/s";
  if (cycle.eta) text += ", " + base::human_duration(*cycle.eta) + " left";
  return text;
}

std::string state_words_of(const Status& status, const ReaderClock& clock) {
  const auto wake = status.next_wake ? clock.at(*status.next_wake) + " (" + clock.away(*status.next_wake) + ')' : "";
  switch (status.state) {
    case State::starting:
      return "starting";
    case State::idle:
      return wake.empty() ? "idle" : "idle; next wake-up " + wake;
    case State::syncing:
      return status.cycle ? "syncing; " + progress_words(*status.cycle) : "syncing";
    case State::waiting: {
      const bool complete = status.last_cycle && status.last_cycle->outcome == "complete";
      const std::string why = complete ? "waiting for today's files" : "waiting to try again";
      return wake.empty() ? why : why + "; next try " + wake;
    }
    case State::stopping:
      return "stopping; transfers under way go on at the next start";
  }
  return {};
}

void put_chain(Page& page, const Status::ChainStatus& chain, const ReaderClock& clock) {
  const auto through =
      chain.through ? "through " + base::iso8601(*chain.through) + " (" + clock.away(*chain.through) + ')' : "";
  if (!chain.through) {
    page.row("Chain", "nothing held that could be loaded", Tone::alarm);
  } else {
    page.row("Chain", through + (chain.complete ? ", complete" : ", not complete"),
             chain.complete ? Tone::plain : Tone::alarm);
  }
  std::vector<std::string> names;
  for (const auto& name : chain.missing) names.push_back(base::printable(name.substr(name.rfind('/') + 1)));
  if (!names.empty()) page.row("", counted(std::ssize(names), "file") + " missing: " + listed(names));
  std::vector<std::string> days;
  for (const auto& day : chain.absent_upstream) days.push_back(base::iso8601(day));
  if (!days.empty()) page.row("", "no delta made upstream for " + listed(days) + ": a later export has the data");
}

void put_mirror(Page& page, const Status::Mirror& mirror) {
  page.row("Mirror", counted(mirror.files, "file") + ", " + base::human_size(mirror.bytes) + "; " +
                         base::human_size(mirror.free) + " free; generation " + std::to_string(mirror.generation));
  page.row("", base::printable(mirror.directory));
}

void put_last_cycle(Page& page, const std::optional<LastCycleStatus>& cycle, const ReaderClock& clock) {
  if (!cycle) return page.row("Last", "no cycle yet");
  const auto took = std::max(round<seconds>(cycle->finished - cycle->started), seconds(0));
  auto text = cycle->outcome + ' ' + clock.at(cycle->finished) + " (" + clock.away(cycle->finished) + "), took " +
              base::human_duration(took) + ": " + counted(cycle->files, "file") + ", " + base::human_size(cycle->bytes);
  page.row("Last", text, cycle->outcome == "complete" ? Tone::plain : Tone::alarm);
  if (!cycle->error.empty()) page.row("", base::printable(cycle->error, longest_message));
}

void put_downloads(Page& page, const std::optional<CycleStatus>& cycle) {
  if (!cycle || cycle->downloads.empty()) return;
  page.blank();
  for (const auto& line : download_lines(cycle->downloads, page.width())) page.line(line);
  page.blank();
}

void put_problems(Page& page, const std::vector<Problem>& problems, const ReaderClock& clock) {
  if (problems.empty()) return page.row("Problems", "none");
  std::string label = "Problems";
  for (const auto& problem : problems) {
    const auto what = base::printable(problem.message, longest_message);
    page.row(label, base::printable(problem.code) + ": " + what, Tone::alarm);
    page.row("", "since " + clock.at(problem.since) + " (" + clock.away(problem.since) + ')');
    page.row("", "-> " + std::string(remedy(problem.code)));
    label.clear();
  }
}

void put_secret(Page& page, const Status::SecretStatus& secret, const ReaderClock& clock) {
  if (!secret.expires_on) return page.row("Secret", "expiry unknown");
  const bool over = secret.days_left.value_or(0) < 0;
  auto text = (over ? "expired " : "expires ") + base::iso8601(*secret.expires_on) + " (" +
              clock.away(*secret.expires_on) + ')';
  if (secret.estimated) text += "; estimated: set credentials.secret_expires_on";
  page.row("Secret", text, over ? Tone::alarm : Tone::plain);
}

void put_api_key(Page& page, const Status::ApiKeyStatus& key, const ReaderClock& clock) {
  if (!key.last_used) return page.row("API key", "not used yet");
  auto text = "last used " + clock.at(*key.last_used);
  if (key.revoked_after) text += "; revoked by the service if not used until " + clock.at(*key.revoked_after);
  page.row("API key", text);
}

}  // namespace

std::string status_headline(const Status& status, base::Time now, const TableLook& look) {
  auto text = state_words_of(status, ReaderClock(now, look));
  if (!status.problems.empty()) text += "; " + counted(std::ssize(status.problems), "problem");
  return text;
}

std::string status_table(const Status& status, base::Time now, const TableLook& look) {
  const ReaderClock clock(now, look);
  Page page(static_cast<std::size_t>(std::max(look.width, 0)), look.colour);
  page.text(status_headline(status, now, look), status.problems.empty() ? Tone::strong : Tone::alarm);
  page.blank();
  put_chain(page, status.chain, clock);
  put_mirror(page, status.mirror);
  put_last_cycle(page, status.last_cycle, clock);
  put_downloads(page, status.cycle);
  put_problems(page, status.problems, clock);
  put_secret(page, status.secret, clock);
  put_api_key(page, status.api_key, clock);
  return page.all();
}

}  // namespace vtmirror::core
