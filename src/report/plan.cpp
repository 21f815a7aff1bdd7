#include "vtmirror/report/plan.hpp"

#include "report/answer.hpp"
#include "report/json_value.hpp"
#include "vtmirror/base/json.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/base/time.hpp"
#include "vtmirror/core/space.hpp"
#include "vtmirror/report/sentence.hpp"
#include "vtmirror/report/table.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace vtmirror::report {
namespace {

std::string reason(const core::Action& action) {
  std::string text(sentence(action.reason));
  if (action.durable > 0) text += " (" + base::human_size(action.durable) + ")";
  if (action.after_downloads) text += "; after the new files are published";
  const auto more = detail(action);
  return more.empty() ? text : text + ": " + more;
}

/// What a refused entry says of its kind and size cannot be trusted.
bool is_refused_entry(const core::Action& action) { return action.reason == core::Reason::refused_by_checks; }
std::string kind(const core::Action& action) {
  return is_refused_entry(action) ? "-" : std::string(core::name(action.file_kind));
}
std::string size(const core::Action& action) { return is_refused_entry(action) ? "-" : base::human_size(action.size); }
std::string day(base::Date date) { return date.ok() ? base::iso8601(date) : "-"; }

/// What is planned for files that are not downloaded.
constexpr std::array<std::pair<core::ActionKind, const char*>, 6> others{
    {{core::ActionKind::adopt, " to adopt"},
     {core::ActionKind::keep, " to keep"},
     {core::ActionKind::skip, " to skip"},
     {core::ActionKind::refuse, " to refuse"},
     {core::ActionKind::prune, " to remove"},
     {core::ActionKind::drop_partial, " unfinished to remove"}}};

std::string totals(const core::Plan& plan) {
  if (plan.actions.empty()) return "nothing listed; nothing to download\n";
  std::map<core::ActionKind, int> counts;
  for (const auto& action : plan.actions) ++counts[action.kind];
  using enum core::ActionKind;
  const int files = counts[fetch] + counts[resume] + counts[fetch_again];
  auto text = plan.nothing_to_fetch()
                  ? std::string("nothing to download")
                  : base::counted(files, "file") + " to download, " + base::human_size(plan.bytes_to_fetch());
  const char* before = "; ";
  for (const auto& [kind, what] : others) {
    if (counts[kind] == 0) continue;
    text += before + std::to_string(counts[kind]) + what;
    before = ", ";
  }
  return text + '\n';
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
          {"free", std::max<std::int64_t>(0, action.free)},
          {"short_by", core::shortfall(action.needs, action.free)},
          {"after_downloads", action.after_downloads},
          {"detail", text_or_null(detail(action))}};
}

core::Action action_of(const base::JsonObject& object) {
  core::Action action;
  if (const auto kind = core::action_named(object.text("action")))
    action.kind = *kind;
  else
    object.refuse("action", "a known action");
  read_file(object, action);
  action.durable = object.integer("durable");
  action.needs = object.integer("needs");
  // With a reserve that is in use itself, less than nothing is left for the file.
  action.free = action.needs > 0 ? action.needs - object.integer("short_by") : object.integer("free");
  action.after_downloads = object.flag("after_downloads");
  action.cause.detail = object.optional_text("detail").value_or("");
  return action;
}

}  // namespace

void read_file(const base::JsonObject& fields, core::Action& action) {
  if (const auto reason = core::reason_named(fields.text("reason")))
    action.reason = *reason;
  else
    fields.refuse("reason", "a known reason");
  const auto kind = fields.optional_text("kind").value_or(core::name(core::Kind::bulk));
  action.file_kind = kind == core::name(core::Kind::delta) ? core::Kind::delta : core::Kind::bulk;
  if (kind != core::name(action.file_kind)) fields.refuse("kind", "bulk, delta or null");
  action.name = fields.text("name");
  action.date = fields.optional_date("date").value_or(base::Date());
  action.size = fields.integer("size");
}

std::string_view sentence(core::Reason reason) noexcept {
  switch (reason) {
    case core::Reason::not_held:
      return "new file";
    case core::Reason::partly_fetched:
      return "partly downloaded";
    case core::Reason::size_changed:
      return "listed with another size now";
    case core::Reason::date_changed:
      return "listed with another date now";
    case core::Reason::replaced_in_store:
      return "the store has another edition of it now";
    case core::Reason::gone_from_disk:
      return "in the catalogue, but no longer on disk";
    case core::Reason::damaged_on_disk:
      return "it was found damaged on disk";
    case core::Reason::failed_checks:
      return "the copy on disk failed the checks";
    case core::Reason::not_in_catalogue:
      return "on disk with the listed size, but not in the catalogue";
    case core::Reason::back_on_disk:
      return "it was lost, and is on disk again";
    case core::Reason::held_and_unchanged:
      return "up to date";
    case core::Reason::does_not_fit:
      return "does not fit into the free space";
    case core::Reason::was_quarantined:
      return "it was quarantined, and is downloaded again";
    case core::Reason::quarantined:
      return "downloaded twice and damaged both times; the next try is tomorrow";
    case core::Reason::refused_by_checks:
      return "its entry in the listing failed the checks";
    case core::Reason::beyond_keep_cycles:
      return "in an older chain than mirror.keep_cycles keeps";
    case core::Reason::not_listed_any_more:
      return "unfinished and no longer listed";
    case core::Reason::quarantine_over:
      return "in the quarantine for longer than mirror.quarantine keeps it";
    case core::Reason::day_to_come:
      return "of a day that is still to come";
  }
  return {};
}

std::string detail(const core::Action& action) {
  auto cause = action.cause;
  cause.subject = action.name;
  return reason(cause);
}

namespace {

/// "fetch again"
std::string action_words(core::ActionKind kind) {
  if (kind == core::ActionKind::drop_partial) return "remove";
  std::string words(core::name(kind));
  std::ranges::replace(words, '_', ' ');
  return words;
}

/// `name_of` says what a file is called.
Table table_of(const core::Plan& plan, std::string (*name_of)(std::string_view)) {
  Table table({{"ACTION"},
               {"KIND", Align::left, 1},
               {"DATE", Align::left, 2},
               {"SIZE", Align::right, 3},
               {"NAME"},
               {"REASON"}});
  for (const auto& action : plan.actions) {
    table.add({action_words(action.kind), kind(action), day(action.date), size(action), name_of(action.name),
               reason(action)});
  }
  return table;
}

}  // namespace

std::string plan_text(const core::Plan& plan, std::size_t width) {
  const auto named = table_of(plan, base_name);
  const bool is_whole = named.narrowed(width, true).columns() == named.columns();
  const auto table = is_whole ? named : table_of(plan, title_of).narrowed(width, true);
  return (table.rows() == 0 ? "" : table.flowing_text(width) + '\n') + totals(plan);
}

std::string plan_json(const core::Plan& plan) {
  boost::json::array actions;
  for (const auto& action : plan.actions) actions.push_back(object_of(action));
  const boost::json::object json{
      {"schema", answer_schema}, {"bytes_to_fetch", plan.bytes_to_fetch()}, {"actions", std::move(actions)}};
  return boost::json::serialize(json) + '\n';
}

base::Result<core::Plan> parse_plan(std::string_view json) {
  return read_answer(json, "the daemon's plan", [](const base::JsonObject& fields) {
    core::Plan plan;
    for (const auto& action : fields.objects("actions")) plan.actions.push_back(action_of(action));
    return plan;
  });
}

}  // namespace vtmirror::report
