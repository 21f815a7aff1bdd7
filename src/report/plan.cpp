#include "vtmirror/report/plan.hpp"

#include "vtmirror/base/json.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/base/time.hpp"
#include "vtmirror/report/sentence.hpp"
#include "vtmirror/report/table.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <map>

namespace vtmirror::report {
namespace {

/// What the reason does not say. In a plan that was read from JSON, the words.
std::string detail_of(const core::Action& action) {
  const bool lost = action.reason == core::Reason::gone_from_disk || action.reason == core::Reason::damaged_on_disk;
  if (action.kind == core::ActionKind::refuse && lost && action.cause == core::Cause())
    return std::string(core::sentence(action.reason)) +
           "; the service no longer lists it, so it cannot be downloaded again";
  return reason(action.cause);
}

std::string reason(const core::Action& action) {
  std::string text(core::sentence(action.reason));
  if (action.durable > 0) text += " (" + base::human_size(action.durable) + ")";
  if (action.after_downloads) text += "; after the new files are published";
  const auto detail = detail_of(action);
  return detail.empty() ? text : text + ": " + detail;
}

/// A refused entry may have no size or date that can be trusted.
std::string day(base::Date date) { return date.ok() ? base::iso8601(date) : "-"; }

std::string totals(const core::Plan& plan) {
  std::map<core::ActionKind, int> counts;
  for (const auto& action : plan.actions) ++counts[action.kind];
  std::string text;
  for (const auto& [kind, count] : counts) {
    text += (text.empty() ? "" : ", ") + std::string(core::name(kind)) + ' ' + std::to_string(count);
  }
  if (text.empty()) text = "nothing listed";
  return text + "; " + (plan.nothing_to_fetch() ? "nothing" : base::human_size(plan.bytes_to_fetch())) +
         " to download\n";
}

boost::json::value text_or_null(std::string_view text) {
  return text.empty() ? boost::json::value() : boost::json::value(text);
}

boost::json::object object_of(const core::Action& action) {
  // Only the name of a refused entry is known.
  const bool is_file = action.reason != core::Reason::refused_by_checks;
  return {{"action", core::name(action.kind)},
          {"reason", core::name(action.reason)},
          {"kind", text_or_null(is_file ? core::name(action.file_kind) : "")},
          {"name", action.name},
          {"date", text_or_null(is_file ? base::iso8601(action.date) : "")},
          {"size", action.size},
          {"durable", action.durable},
          {"needs", action.needs},
          {"free", action.free},
          {"after_downloads", action.after_downloads},
          {"detail", text_or_null(detail_of(action))}};
}

core::Action action_of(const base::JsonObject& object) {
  core::Action action;
  if (const auto kind = core::action_named(object.text("action")))
    action.kind = *kind;
  else
    object.refuse("action", "a known action");
  if (const auto reason = core::reason_named(object.text("reason")))
    action.reason = *reason;
  else
    object.refuse("reason", "a known reason");
  const auto kind = object.optional_text("kind").value_or(core::name(core::Kind::bulk));
  action.file_kind = kind == core::name(core::Kind::delta) ? core::Kind::delta : core::Kind::bulk;
  if (kind != core::name(action.file_kind)) object.refuse("kind", "bulk, delta or null");
  action.name = object.text("name");
  action.date = object.optional_date("date").value_or(base::Date());
  action.size = object.integer("size");
  action.durable = object.integer("durable");
  action.needs = object.integer("needs");
  action.free = object.integer("free");
  action.after_downloads = object.flag("after_downloads");
  action.cause.detail = object.optional_text("detail").value_or("");
  return action;
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

std::string plan_json(const core::Plan& plan) {
  boost::json::array actions;
  for (const auto& action : plan.actions) actions.push_back(object_of(action));
  const boost::json::object json{{"bytes_to_fetch", plan.bytes_to_fetch()}, {"actions", std::move(actions)}};
  return boost::json::serialize(json) + '\n';
}

base::Result<core::Plan> parse_plan(std::string_view json) {
  const auto value = base::parse_json_object(json);
  if (!value) return base::Error{base::Errc::protocol, "the daemon's plan " + value.error().detail};
  const base::JsonObject object(*value);
  core::Plan plan;
  for (const auto& action : object.objects("actions")) plan.actions.push_back(action_of(action));
  if (const auto& fault = object.fault())
    return base::Error{base::Errc::protocol, "the daemon's plan: " + fault->sentence()};
  return plan;
}

}  // namespace vtmirror::report
