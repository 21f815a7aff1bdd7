#include "vtmirror/report/pruning.hpp"

#include "report/answer.hpp"
#include "report/hindrance.hpp"
#include "report/json_value.hpp"
#include "vtmirror/base/json.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/core/cause_json.hpp"
#include "vtmirror/core/hindrance.hpp"
#include "vtmirror/core/history.hpp"
#include "vtmirror/report/advice.hpp"
#include "vtmirror/report/forecast.hpp"
#include "vtmirror/report/plan.hpp"
#include "vtmirror/report/sentence.hpp"
#include "vtmirror/report/table.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <utility>

namespace vtmirror::report {
namespace {

/// The bytes of a removed file stay readable for programs that read an older manifest, and for consumers.
constexpr char when_free[] =
    "the space is free 24 hours after a removal, or later, when consumers.lease ends, if `vtmirror next` gave the file "
    "in an answer that is not acknowledged: until then programs that load the files still find them";

/// Empty if nothing was public.
std::string when_it_is_free(const core::Pruning& pruning) {
  return std::ranges::any_of(pruning.removals, core::removes_public_file) ? std::string("; ") + when_free : "";
}

/// In a line of its own.
std::string what_to_do(const core::Failure& failure) {
  if (core::is_stop(failure)) return {};
  const bool stays = failure.cause.code == base::Errc::io;
  const auto words = stays ? std::string(advice_on(core::Hindrance::stays)) : advice(failure.cause);
  return words.empty() ? words : '\n' + words;
}

std::int64_t bytes_of(const core::Pruning& pruning) {
  std::int64_t bytes = 0;
  for (const auto& action : pruning.removals) bytes += action.size;
  return bytes;
}

std::string files_of(const core::Pruning& pruning) { return base::counted(std::ssize(pruning.removals), "file"); }

/// A directory that cannot be read; null if there is none.
const core::Cause* unread_in(const core::Pruning& pruning) {
  const auto is_unread = [](const core::Failure& failure) {
    return core::hindrance_of(failure.cause) == core::Hindrance::unread_directory;
  };
  const auto found = std::ranges::find_if(pruning.failures, is_unread);
  return found == pruning.failures.end() ? nullptr : &found->cause;
}

std::string nothing_to_remove(const core::Pruning& pruning) {
  if (const auto* directory = unread_in(pruning))
    return "nothing is removed: " + sentence({.code = core::ProblemCode::repair_failed, .cause = *directory}) + '\n' +
           std::string(advice_on(core::Hindrance::unread_directory));
  const auto& outlook = pruning.outlook;
  if (outlook.keep_cycles == 0) return "nothing to remove: mirror.keep_cycles is 0, which keeps every chain";
  return "nothing to remove: mirror.keep_cycles keeps " + base::counted(outlook.keep_cycles, "chain") +
         ", and never less than one that is complete";
}

/// Only of a file that is named as the service names them the day is known.
std::string day_of(const core::Action& action) { return action.date.ok() ? base::iso8601(action.date) : std::string(); }

boost::json::object object_of(const core::Action& action) {
  return {{"name", action.name},
          {"kind", action.date.ok() ? boost::json::value(core::name(action.file_kind)) : boost::json::value(nullptr)},
          {"date", text_or_null(day_of(action))},
          {"size", action.size},
          {"reason", core::name(action.reason)}};
}

/// An older daemon says only the sentence.
core::Failure failure_in(const base::JsonObject& fields) {
  const auto reason = std::string(fields.text("reason"));
  const auto cause = core::cause_in(fields);
  if (!cause) return {.cause = {.detail = reason}};
  auto failure = core::failure_of(core::error_of(*cause), cause->subject);
  failure.cause = *cause;
  return failure;
}

core::Action removal_of(const base::JsonObject& fields) {
  core::Action action{.kind = core::ActionKind::prune};
  read_file(fields, action);
  return action;
}

}  // namespace

std::string removals_text(const core::Pruning& pruning, std::size_t width) {
  Table table({{"KIND"}, {"DATE"}, {"SIZE", Align::right}, {"NAME"}, {"REASON"}});
  for (const auto& action : pruning.removals) {
    const bool dated = action.date.ok();
    table.add({dated ? std::string(core::name(action.file_kind)) : "-", dated ? day_of(action) : "-",
               base::human_size(action.size), base_name(action.name), std::string(sentence(action.reason))});
  }
  std::string text = table.rows() == 0
                         ? nothing_to_remove(pruning) + '\n'
                         : table.flowing_text(width) + '\n' + files_of(pruning) + " to remove, " +
                               base::human_size(bytes_of(pruning)) + " to free" + when_it_is_free(pruning) + '\n';
  text += "the disk has " + base::human_size(pruning.outlook.free) + " free; it " + lasts(pruning.outlook) + '\n';
  const auto savings = would_free(pruning.outlook);
  return savings.empty() ? text : text + savings + '\n';
}

std::string removed_line(const core::Action& action) {
  return "removed " + core::short_name(action.name) + " (" + base::human_size(action.size) +
         "): " + std::string(sentence(action.reason));
}

std::string pruned_summary(const core::Pruning& pruning) {
  const bool nothing_due = pruning.failures.empty() || unread_in(pruning) != nullptr;
  if (pruning.removals.empty() && nothing_due) return nothing_to_remove(pruning);
  auto text = "removed " + files_of(pruning) + ", " + base::human_size(bytes_of(pruning));
  if (pruning.failures.empty()) return text + when_it_is_free(pruning);
  const auto& first = pruning.failures.front();
  text += "; " + base::counted(std::ssize(pruning.failures), "file") + " could not be removed: " + sentence(first);
  return text + when_it_is_free(pruning) + what_to_do(first);
}

std::string pruning_json(const core::Pruning& pruning, bool done) {
  boost::json::array removals;
  for (const auto& action : pruning.removals) removals.push_back(object_of(action));
  boost::json::array failures;
  for (const auto& failure : pruning.failures)
    failures.push_back(boost::json::object{{"name", text_or_null(failure.cause.subject)},
                                           {"reason", sentence(failure)},
                                           {"cause", core::cause_json(failure.cause)}});
  const boost::json::object json{{"schema", answer_schema},         {"done", done},
                                 {"bytes", bytes_of(pruning)},      {"removals", std::move(removals)},
                                 {"failures", std::move(failures)}, {"forecast", forecast_json(pruning.outlook)}};
  return boost::json::serialize(json) + '\n';
}

base::Result<core::Pruning> parse_pruning(std::string_view json) {
  return read_answer(json, "the daemon's answer", [](const base::JsonObject& fields) {
    core::Pruning pruning;
    for (const auto& action : fields.objects("removals")) pruning.removals.push_back(removal_of(action));
    for (const auto& failure : fields.objects("failures")) pruning.failures.push_back(failure_in(failure));
    pruning.outlook = parse_forecast(fields.object("forecast"));
    return pruning;
  });
}

}  // namespace vtmirror::report
