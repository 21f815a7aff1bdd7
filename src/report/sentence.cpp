#include "vtmirror/report/sentence.hpp"

#include "report/and_more.hpp"
#include "report/hindrance.hpp"
#include "report/secret_sentence.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/core/chain_failures.hpp"
#include "vtmirror/core/listing.hpp"
#include "vtmirror/core/notice.hpp"
#include "vtmirror/core/space.hpp"
#include "vtmirror/report/advice.hpp"
#include "vtmirror/report/missing.hpp"
#include "vtmirror/report/plan.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace vtmirror::report {
namespace {

using core::ProblemCode;

std::string channel_failing(const core::Cause& cause) {
  return cause.subject + " could not deliver " + base::counted(number(cause, "waiting").value_or(0), "notice") +
         ", the oldest of " + std::string(text(cause, "oldest")) + ": " + reason(cause) + and_more(cause);
}

std::string late_delta(const core::Cause& cause) {
  const auto day = base::parse_date(cause.subject);
  return "delta " + (day ? base::day_and_month(*day) : cause.subject) + " was not listed in time";
}

std::string consumer_behind(const core::Cause& cause) {
  return "the consumer " + cause.subject + " has not loaded " +
         base::counted(number(cause, "waiting").value_or(0), "file") + ", the first of which came " +
         std::string(text(cause, "oldest")) + and_more(cause);
}

/// A path of the mirror, or of the settings, is named once.
std::string without(std::string_view subject, std::string words) {
  if (!subject.empty() && words.starts_with(std::string(subject) + ": ")) words.erase(0, subject.size() + 2);
  return words;
}

std::string named(const std::string& subject, Names names) {
  return names == Names::brief ? core::short_name(subject) : subject;
}

/// What is about no file, or was stored by version 0.1.0, may begin with a path.
std::string about_no_subject(std::string words, Names names) {
  if (names == Names::paths) return words;
  const auto end = std::min(words.find_first_of(" :"), words.size());
  return words.replace(0, end, core::short_name(words.substr(0, end)));
}

/// What an error says in several lines.
std::string in_one_line(const std::string& lines) {
  std::string line;
  for (const char sign : lines) line += sign == '\n' ? "; " : std::string(1, sign);
  return line;
}

/// The texts of the fields with such a key and a number.
std::string numbered(const core::Cause& cause, std::string_view key, std::string_view between) {
  std::string all;
  for (const auto& field : cause.fields)
    if (const auto* words = std::get_if<std::string>(&field.value); words != nullptr && field.key.starts_with(key))
      all.append(all.empty() ? "" : between).append(*words);
  return all;
}

std::string keys_to_restart_for(const core::Cause& cause) {
  const auto keys = numbered(cause, restart_field, ", ");
  return keys.empty() ? std::string(text(cause, all_restart_field)) : keys;
}

std::string settings_refused(const core::Cause& cause) {
  const auto keys = keys_to_restart_for(cause);
  const auto mistakes = numbered(cause, mistake_field, "; ");
  const auto why = !keys.empty()       ? "a running daemon cannot change " + keys + ": restart it"
                   : !mistakes.empty() ? mistakes
                                       : in_one_line(reason(cause));
  return "the new settings were refused (" + cause.subject + "): " + why + "; the old settings stay in use" +
         (keys.empty() ? "; a restart would fail" : "");
}

std::string disk_forecast(const core::Cause& cause) {
  const auto size = [&](std::string_view key) { return base::human_size(number(cause, key).value_or(0)); };
  const auto left = number(cause, "left").value_or(0);
  return "the disk will be full about " + std::string(text(cause, "full_on")) +
         (left > 0 ? ", in " + base::counted(left, "day") + "," : "") + " at the present growth of " +
         size("chain_bytes") + " every " + base::counted(number(cause, "chain_days").value_or(0), "day") + ": " +
         size("free") + " are free, of which mirror.reserve is " + size("reserve") +
         (number(cause, "keep")
              ? "; mirror.keep_cycles = " + std::to_string(*number(cause, "keep")) + " would free " + size("frees")
              : "");
}

/// "delta 20 Nov is damaged (a wrong checksum), downloaded twice"
std::string quarantined(const core::Cause& cause, Names names) {
  const auto what = named(cause.subject, names) + " is damaged (" + reason(cause) + ')';
  return (core::is_deadly(cause) ? named(cause.subject, names) + ": " + reason(cause) : what + ", downloaded twice") +
         and_more(cause);
}

constexpr char not_fitting[] = "does not fit: ";

/// Why a file that was planned to fit does not.
std::string other_version(const core::Cause& cause) {
  const bool is_other = core::diagnosis(cause) == base::Diagnosis::other_version;
  return is_other ? std::string("the store has another edition of it now, which ") + not_fitting : std::string();
}

/// "delta 18 Nov does not fit: it needs ..."
std::string does_not_fit(const core::Cause& cause, Names names) {
  const bool is_other = core::diagnosis(cause) == base::Diagnosis::other_version;
  return named(cause.subject, names) + (is_other ? ": " : std::string(" ") + not_fitting) + reason(cause);
}

/// A problem of an older catalogue has its finished sentence, and none of these.
bool has_parts(const core::Cause& cause) { return !cause.subject.empty() || !cause.fields.empty(); }

}  // namespace

bool needs_only_a_restart(const core::Cause& cause) { return !keys_to_restart_for(cause).empty(); }

std::string reason(const core::Cause& cause) {
  if (const auto days = core::unaccounted_in(cause); !days.empty()) return unaccounted(days);
  if (const auto missing = core::missing_in(cause)) return phrase(*missing);
  if (const auto loss = core::loss_in(cause))
    return std::string(sentence(*loss)) + "; the listing has no usable entry of it, so it cannot be downloaded again";
  if (const auto needed = number(cause, "needed"))
    return other_version(cause) + "it needs " + base::human_size(*needed) + ", and " +
           base::human_size(std::max<std::int64_t>(0, number(cause, "free").value_or(0))) +
           " are free beside the reserve of " + base::human_size(number(cause, "reserve").value_or(0)) + ": " +
           base::human_size(core::shortfall(*needed, number(cause, "free").value_or(0))) + " short";
  if (const auto times = number(cause, "died"))
    return "the program ended " + std::to_string(*times) +
           " times while it checked this file, perhaps for lack of memory";
  if (!cause.code) return cause.detail;
  const base::Error error{.code = *cause.code, .detail = cause.detail, .status = cause.status};
  return without(cause.subject, error.message());
}

std::string reason(const base::Error& error, std::string_view subject) {
  return reason(core::cause_of(error, std::string(subject)));
}

std::string sentence(const core::Cause& cause, Names names) {
  if (cause.subject.empty()) return about_no_subject(reason(cause), names);
  if (!core::unaccounted_in(cause).empty()) return "the chain is not complete: " + reason(cause);
  return named(cause.subject, names) + ": " + reason(cause);
}

std::string sentence(const core::Failure& failure, Names names) {
  const auto& cause = failure.cause;
  const auto subject = named(cause.subject, names);
  if (is_stop(failure)) return "stopped; the next cycle resumes where it stopped";
  switch (failure.kind) {
    case core::FailureKind::refused_entry:
      return "entry " + subject + " of the listing is refused: " + reason(cause);
    case core::FailureKind::no_space:
      if (number(cause, "needed")) return does_not_fit(cause, names);
      break;
    case core::FailureKind::quarantined:
      return subject + " is quarantined; the next try is tomorrow: " + reason(cause);
    case core::FailureKind::lost:
    case core::FailureKind::damaged:
    case core::FailureKind::other:
      break;
  }
  return sentence(cause, names);
}

std::string sentence(const std::optional<core::Failure>& failure) {
  return failure ? sentence(*failure) : std::string();
}

std::string reason(const core::CycleReport& report, Names names) {
  const auto failure = core::failure(report);
  return failure ? sentence(*failure, names) : std::string();
}

std::string sentence(const core::Problem& problem, Names names) {
  const auto& cause = problem.cause;
  if (problem.code == ProblemCode::cycle_failed && cause == core::Cause{})
    return "the last cycle could not be recorded";
  if (problem.code == ProblemCode::empty_listing) return cause.detail + "; the mirror was left as it is";
  if (problem.code == ProblemCode::catalogue_unreadable) return "the catalogue cannot be read: " + reason(cause);
  if (!has_parts(cause)) return sentence(cause, names);
  switch (problem.code) {
    case ProblemCode::late_delta:
      return late_delta(cause);
    case ProblemCode::catalogue_rebuilt:
      return "the catalogue was damaged and was rebuilt; the damaged one is " + cause.subject;
    case ProblemCode::settings_refused:
      return settings_refused(cause);
    case ProblemCode::repair_failed:
      return sentence(core::hindrance_of(cause), named(cause.subject, names), reason(cause)) + and_more(cause);
    case ProblemCode::channel_failing:
      return channel_failing(cause);
    case ProblemCode::consumer_behind:
      return consumer_behind(cause);
    case ProblemCode::secret_refused:
      return secret_refused(cause);
    case ProblemCode::secret_expired:
      return secret_expired(cause);
    case ProblemCode::secret_expires:
      return secret_expires(cause);
    case ProblemCode::key_revoked:
      return key_refused(cause);
    case ProblemCode::key_idle:
      return key_idle(cause);
    case ProblemCode::disk_forecast:
      return disk_forecast(cause);
    case ProblemCode::quarantined_file:
      return quarantined(cause, names);
    case ProblemCode::low_space:
      if (number(cause, "needed")) return does_not_fit(cause, names) + and_more(cause);
      break;
    case ProblemCode::catalogue_unreadable:
    case ProblemCode::empty_listing:
    case ProblemCode::cycle_failed:
    case ProblemCode::missing_files:
    case ProblemCode::damaged_file:
    case ProblemCode::refused_entry:
      break;
  }
  if (const auto cuts = number(cause, "cuts"))
    return "the last " + std::to_string(*cuts) +
           " cycles were cut off: the process was killed, or the machine lost its power";
  return sentence(cause, names) + and_more(cause);
}

namespace {

/// Two problems of one file may end together.
std::string_view what_it_was(ProblemCode code) {
  switch (code) {
    case ProblemCode::late_delta:
      return " (it was late)";
    case ProblemCode::damaged_file:
      return " (it was damaged or lost)";
    case ProblemCode::quarantined_file:
      return " (it was quarantined)";
    case ProblemCode::refused_entry:
      return " (its entry was refused)";
    case ProblemCode::low_space:
      return " (it did not fit)";
    default:
      return "";
  }
}

/// What ended it, if that is said instead of the problem itself.
std::optional<std::string> end_of(const core::Problem& problem) {
  const auto& cause = problem.cause;
  if (number(cause, replaced_field)) return "the cycle now fails for another reason; before: " + sentence(problem);
  if (problem.code == ProblemCode::secret_refused) return "resolved: the client secret is accepted";
  if (problem.code == ProblemCode::key_revoked) return "resolved: the API key is accepted";
  if (problem.code == ProblemCode::settings_refused && !cause.subject.empty())
    return "resolved: the daemon now uses the settings in " + cause.subject;
  if (const auto file = text(cause, "published"); !file.empty())
    return "resolved: " + core::short_name(std::string(file)) + " was published" +
           std::string(what_it_was(problem.code));
  if (const auto file = text(cause, "listed"); !file.empty())
    return "resolved: " + core::short_name(std::string(file)) + " was listed";
  if (const auto file = text(cause, "unlisted"); !file.empty())
    return core::short_name(std::string(file)) + " is no longer listed, so it is not waited for any more";
  return std::nullopt;
}

}  // namespace

core::Notice problem_notice(const core::Problem& problem, core::Stage stage, base::Time at, const NextTry& next) {
  const bool is_over = stage == core::Stage::over;
  core::Notice notice{.topic = core::Topic::warning, .code = std::string(name(problem.code))};
  notice.stage = stage;
  notice.at = at;
  notice.message = is_over ? resolved(problem) : sentence(problem);
  notice.fields = {{std::string(core::reason_field), sentence(problem, Names::paths)},
                   {"since", base::iso8601(problem.since)}};
  if (const auto brief = headline(problem); brief && !(is_over && end_of(problem)))
    notice.fields.push_back({std::string(core::headline_field), (is_over ? "resolved: " : "") + *brief});
  if (is_over) return notice;
  notice.urgency =
      core::severity(problem.code) == core::Severity::error ? core::Urgency::error : core::Urgency::warning;
  const auto what_to_do = next.at ? remedy(problem) + next_try(problem, next) : remedy_by_hand(problem);
  notice.fields.push_back({std::string(core::remedy_field), what_to_do});
  if (next.at && is_tried_by_cycle(problem)) notice.fields.push_back({"next_try", base::iso8601(*next.at)});
  return notice;
}

std::string resolved(const core::Problem& problem) {
  return end_of(problem).value_or("resolved: " + sentence(problem));
}

}  // namespace vtmirror::report
