#include "vtmirror/report/sentence.hpp"

#include "report/hindrance.hpp"
#include "report/request_advice.hpp"
#include "report/secret_sentence.hpp"
#include "vtmirror/core/chain_failures.hpp"
#include "vtmirror/core/entry_check.hpp"
#include "vtmirror/core/listing.hpp"
#include "vtmirror/report/advice.hpp"
#include "vtmirror/report/problem_facts.hpp"

#include <algorithm>

// What to do about a problem, and when it is tried again.

namespace vtmirror::report {

using core::ProblemCode;

std::string_view remedy(ProblemCode code) noexcept {
  switch (code) {
    case ProblemCode::late_delta:
      return "the service did not list it: the listing is requested again tomorrow at schedule.at, and by `vtmirror "
             "sync` now; if that day is not over yet or long past, check this machine's clock and schedule.time_zone; "
             "if it is still missing after some days, ask the service";
    case ProblemCode::cycle_failed:
      return "see the reason above; the daemon tries again, `vtmirror sync` tries now, `vtmirror history` shows "
             "more";
    case ProblemCode::empty_listing:
      return "no action needed: the listing is requested again; if it stays empty, report it to the service";
    case ProblemCode::missing_files:
      return "see `vtmirror coverage` for what is missing and why; `vtmirror sync` tries again now";
    case ProblemCode::damaged_file:
      return "restore it from a backup, then run `vtmirror verify`: no cycle can download it again";
    case ProblemCode::quarantined_file:
      return advice(base::Errc::integrity);
    case ProblemCode::refused_entry:
      return "the service listed a name or size that is not safe to use: report it to the service";
    case ProblemCode::low_space:
      return advice(base::Errc::no_space);
    case ProblemCode::secret_expires:
      return "run `vtmirror secret rotate` before that day";
    case ProblemCode::secret_expired:
      return "`vtmirror secret rotate` renews it while it is still accepted; once it is refused, ask the service's "
             "support for a new secret, then run `vtmirror secret set`";
    case ProblemCode::secret_refused:
      return doubtful_secret;
    case ProblemCode::key_idle:
      return "run `vtmirror sync`: the service revokes a key that is not used for 90 days";
    case ProblemCode::key_revoked:
      return doubtful_key;
    case ProblemCode::channel_failing:
      return "nothing is lost while the channel is configured; `vtmirror notify test`, run as the daemon's user, shows "
             "what it answers now: correct its receiver, or [notify] or [[hook]] in the settings";
    case ProblemCode::catalogue_rebuilt:
      return "no file of the mirror is lost; check the disk, keep the damaged catalogue for a report, and remove it: "
             "that ends this problem";
    case ProblemCode::settings_refused:
      return "correct them, test them with `vtmirror config check`, and have the daemon reload them";
    case ProblemCode::repair_failed:
      return "check the disk, and who owns that file and its directory; the repair is tried again before each cycle, "
             "and everything else continues";
    case ProblemCode::disk_forecast:
      return "make room under mirror.directory, or set mirror.keep_cycles; `vtmirror prune --dry-run` shows what that "
             "frees";
    case ProblemCode::consumer_behind:
      return "see `vtmirror consumers`, and why that program no longer runs or acknowledges; if it is no longer "
             "needed, run `vtmirror consumers --forget NAME`";
    case ProblemCode::catalogue_unreadable:
      return "the disk of mirror.catalogue may be failing: see `dmesg`; what is shown was read before, and the daemon "
             "reads the catalogue again every few seconds";
  }
  return {};
}

namespace {

/// So that a corrected setting or file need not wait for the next day.
constexpr char at_once[] = "; the daemon asks again once it has reloaded its settings";

/// Empty if only the code decides.
std::string remedy_by_cause(const core::Problem& problem, Again again) {
  const auto& cause = problem.cause;
  if (!core::unaccounted_in(cause).empty())
    return "no action needed: the next bulk file has the data of these days; until then the chain ends before them";
  if (problem.code == ProblemCode::damaged_file)
    if (const auto advice = advice_on_diagnosis(core::diagnosis(cause)); !advice.empty()) return std::string(advice);
  if (core::is_to_come(cause))
    return "no action needed: no chain has that file, and all others are used; if the day has come, check this "
           "machine's "
           "clock, otherwise report the entry to the service; `vtmirror prune` removes what is held of it";
  if (problem.code == ProblemCode::damaged_file && number(cause, "listed"))
    return again == Again::by_hand ? "run `vtmirror sync`, which downloads it again; if it is damaged again, check the "
                                     "disk"
                                   : "no action needed: the next cycle downloads it again (the daemon starts one now); "
                                     "if it is damaged again, check the disk";
  if (problem.code == ProblemCode::settings_refused && needs_only_a_restart(cause))
    return "the settings are valid; restart the daemon to use them: `systemctl restart vtmirror`";
  if (problem.code == ProblemCode::disk_forecast && !number(cause, "keep"))
    return "make room under mirror.directory, or lower mirror.reserve";
  if (const auto advice = advice_on(core::hindrance_of(cause)); !advice.empty()) return std::string(advice);
  if (problem.code == ProblemCode::secret_refused) return remedy_of_secret(cause);
  if (problem.code == ProblemCode::key_revoked) return remedy_of_key(problem);
  // What a cycle's failure calls for is said in the same words by `vtmirror sync`.
  if (facts_of(problem.code).advised == Advised::by_error) return advice(cause, again);
  return {};
}

}  // namespace

std::string remedy_by_hand(const core::Problem& problem) {
  if (auto words = remedy_by_cause(problem, Again::by_hand); !words.empty()) return words;
  if (problem.code == ProblemCode::cycle_failed) return "see the reason above; `vtmirror history` shows more";
  return std::string(remedy(problem.code));
}

std::string remedy(const core::Problem& problem) {
  auto words = remedy_by_cause(problem, Again::by_itself);
  if (words.empty()) return std::string(remedy(problem.code));
  const bool is_credential = problem.code == ProblemCode::secret_refused || problem.code == ProblemCode::key_revoked;
  return is_credential ? words + at_once : words;
}

core::Severity severity(std::string_view problem_code) noexcept {
  const auto code = core::problem_code(problem_code);
  return code ? core::severity(*code) : core::Severity::warning;
}

std::string_view remedy(std::string_view problem_code) noexcept {
  const auto code = core::problem_code(problem_code);
  return code ? remedy(*code) : "see the daemon's journal: `journalctl -u vtmirror`";
}

const core::Problem* problem_of(const base::Error& error, const std::vector<core::Problem>& problems) {
  const auto cause = core::cause_of(error);
  // Problems of files may stand beside it, some with the same code. A full disk is a problem of its own.
  const auto code = error.code == base::Errc::no_space ? ProblemCode::low_space : core::problem_of({.cause = cause});
  const auto is_it = [&](const core::Problem& problem) {
    if (facts_of(problem.code).refused == Refused::credential) return error.code == base::Errc::forbidden;
    // What a file lacks is not why the cycle ended.
    if (!problem.cause.subject.empty()) return false;
    return problem.code == code && problem.cause.code == error.code &&
           core::text(problem.cause, "request") == core::text(cause, "request");
  };
  const auto found = std::ranges::find_if(problems, is_it);
  return found == problems.end() ? nullptr : &*found;
}

bool is_tried_by_cycle(const core::Problem& problem) {
  switch (facts_of(problem.code).tried) {
    case Tried::never:
      return false;
    case Tried::always:
      return true;
    case Tried::as_file:
      break;
  }
  const auto file = core::read_name(problem.cause.subject);
  return file && file->kind == core::Kind::delta && !core::is_deadly(problem.cause);
}

std::string next_try(const core::Problem& problem, const NextTry& next) {
  return next.at && is_tried_by_cycle(problem) ? "; next try " + next.words : "";
}

}  // namespace vtmirror::report
