#include "vtmirror/report/plan_table.hpp"

#include "vtmirror/base/text.hpp"
#include "vtmirror/base/time.hpp"
#include "vtmirror/report/table.hpp"

#include <map>

namespace vtmirror::report {
namespace {

std::string reason(const core::Action& action) {
  std::string text(core::sentence(action.reason));
  if (action.durable > 0) text += " (" + base::human_size(action.durable) + ")";
  if (action.after_downloads) text += "; once the new files are here";
  return action.detail.empty() ? text : text + ": " + action.detail;
}

/// An entry that was refused may have no size and no date that could be believed.
std::string day(base::Date date) { return date.ok() ? base::iso8601(date) : "-"; }

std::string totals(const core::Plan& plan) {
  std::map<core::ActionKind, int> counts;
  for (const auto& action : plan.actions) ++counts[action.kind];
  std::string text;
  for (const auto& [kind, count] : counts) {
    text += (text.empty() ? "" : ", ") + std::string(core::name(kind)) + ' ' + std::to_string(count);
  }
  if (text.empty()) text = "nothing listed";
  return text + "; " + (plan.nothing_to_fetch() ? "nothing" : base::human_size(plan.bytes_to_fetch())) + " to fetch\n";
}

}  // namespace

std::string plan_text(const core::Plan& plan, std::size_t width) {
  Table table({{"ACTION"}, {"KIND"}, {"DATE"}, {"SIZE", Align::right}, {"NAME"}, {"REASON"}});
  for (const auto& action : plan.actions) {
    table.add({std::string(core::name(action.kind)), std::string(core::name(action.file_kind)), day(action.date),
               base::human_size(action.size), action.name.substr(action.name.rfind('/') + 1), reason(action)});
  }
  return (table.rows() == 0 ? "" : table.flowing_text(width) + '\n') + totals(plan);
}

}  // namespace vtmirror::report
