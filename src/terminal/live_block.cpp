#include "vtmirror/terminal/live_block.hpp"
#include "vtmirror/host/local_time.hpp"

#include "vtmirror/base/text.hpp"
#include "vtmirror/report/event.hpp"
#include "vtmirror/report/problem_facts.hpp"
#include "vtmirror/report/table.hpp"
#include "vtmirror/terminal/progress.hpp"
#include "vtmirror/terminal/terminal.hpp"

#include <algorithm>
#include <utility>

namespace vtmirror::terminal {
namespace {

constexpr const char* hide_cursor = "\x1b[?25l";
constexpr const char* show_cursor = "\x1b[?25h";
constexpr const char* erase_below = "\r\x1b[J";

/// OSC 9;4: state 1 has a percentage, 3 is busy without one, 0 removes it. Some terminals know only this terminator.
std::string progress_sequence(std::optional<int> percent) {
  return percent ? "\x1b]9;4;1;" + std::to_string(*percent) + "\x1b\\" : "\x1b]9;4;3\x1b\\";
}
constexpr const char* end_progress = "\x1b]9;4;0\x1b\\";

/// The first of the variables that is not empty counts, as in setlocale(3).
bool is_utf8(const settings::Environment& environment) {
  for (const auto* variable : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const auto locale = environment(variable).value_or("");
    if (locale.empty()) continue;
    const auto dot = locale.find('.');
    const auto charset = dot == std::string::npos ? std::string() : locale.substr(dot + 1, locale.find('@') - dot - 1);
    return base::iequals(charset, "UTF-8") || base::iequals(charset, "utf8");
  }
  return false;
}

/// Terminals that show OSC 9;4. Others may show it as a notification, and one that runs in tmux or screen is not asked.
bool shows_progress(const settings::Environment& environment) {
  const auto value = [&environment](const char* name) { return environment(name).value_or(""); };
  if (!value("TMUX").empty() || !value("STY").empty()) return false;
  const auto program = value("TERM_PROGRAM");
  const auto vte = base::parse_int(value("VTE_VERSION"));
  constexpr std::int64_t first_vte = 7900;
  // "P" among the features that iTerm2 lists: https://iterm2.com/feature-reporting/
  return value("ConEmuANSI") == "ON" || !value("WT_SESSION").empty() || program == "ghostty" || program == "WezTerm" ||
         (program == "iTerm.app" && value("TERM_FEATURES").find('P') != std::string::npos) ||
         (vte && *vte >= first_vte);
}

}  // namespace

BlockLook block_look(const settings::Environment& environment) {
  return {.utf8 = is_utf8(environment), .progress = shows_progress(environment)};
}

void LiveBlock::show(const ports::CycleProgress& progress, const report::Rates& rates, base::Time now) {
  const auto width = terminal_size(descriptor_).columns;
  if (look_.progress) {
    auto sequence = progress_sequence(percent_of(progress));
    if (sequence != reported_) write_to_terminal(descriptor_, sequence);
    reported_ = std::move(sequence);
  }
  // The last column stays empty, because some terminals wrap as soon as it is written.
  draw(render(progress, rates,
              {.width = width - (width > 1 ? 1 : 0), .utf8 = look_.utf8, .now = now, .utc_offset = &host::utc_offset}));
}

void LiveBlock::draw(std::vector<std::string> lines) {
  const auto rows = terminal_size(descriptor_).rows;
  const auto most = rows > 1 ? rows - 1 : 1;
  if (lines.size() > most) lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(most));
  auto text = erasure();
  if (!cursor_hidden_) text = hide_cursor + text;
  for (const auto& line : lines) text += line + '\n';
  cursor_hidden_ = true;
  drawn_ = true;
  lines_ = std::move(lines);
  write_to_terminal(descriptor_, text);
}

void LiveBlock::clear() {
  write_to_terminal(descriptor_, erasure());
  drawn_ = false;
}

void LiveBlock::draw_again() {
  if (!lines_.empty()) draw(std::move(lines_));
}

void LiveBlock::close() {
  auto text = erasure();
  if (!reported_.empty()) text += end_progress;
  if (cursor_hidden_) text += show_cursor;
  reported_.clear();
  cursor_hidden_ = drawn_ = false;
  lines_.clear();
  write_to_terminal(descriptor_, text);
}

/// If the window became narrower since, a line takes more than one row.
std::string LiveBlock::erasure() const {
  if (!drawn_ || lines_.empty()) return {};
  const auto columns = std::max<std::size_t>(terminal_size(descriptor_).columns, 1);
  std::size_t rows = 0;
  for (const auto& line : lines_) rows += std::max<std::size_t>((report::columns_of(line) + columns - 1) / columns, 1);
  return "\x1b[" + std::to_string(rows) + "A" + erase_below;
}

namespace {

/// Whether the problem is said elsewhere: of the whole cycle by the summary, of a file or an entry by its own line.
bool is_said_elsewhere(const ports::Event& event) {
  const auto problem = std::ranges::find(event.fields, report::problem_member, &ports::Field::key);
  if (problem == event.fields.end()) return false;
  const auto facts = report::facts_of(problem->value);
  return facts && facts->said_by == report::SaidBy::outcome;
}

}  // namespace

bool is_logged(const ports::Event& event, const JournalRules& rules) {
  if (rules.least) return event.level >= *rules.least;
  if (event.kind == ports::EventKind::cycle_finished || event.kind == ports::EventKind::verified) return false;
  if (event.kind == ports::EventKind::problem_began && is_said_elsewhere(event)) return false;
  if (event.level >= ports::Level::notice) return true;
  switch (event.kind) {
    case ports::EventKind::fetch_started:
    case ports::EventKind::fetch_progress:
      return !rules.live;
    case ports::EventKind::published:
    case ports::EventKind::fetch_failed:
    case ports::EventKind::quarantined:
    case ports::EventKind::hook_output:
      return true;
    default:
      return false;
  }
}

void SyncJournal::log(const ports::Event& event) {
  if (!is_logged(event, rules_)) return;
  if (block_ != nullptr) block_->clear();
  inner_.log(event);
  if (block_ != nullptr) block_->draw_again();
}

}  // namespace vtmirror::terminal
