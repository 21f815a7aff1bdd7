#include "vtmirror/report/changes.hpp"

#include "report/json_value.hpp"
#include "vtmirror/base/json.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/report/table.hpp"

#include <boost/json.hpp>

#include <optional>
#include <utility>

namespace vtmirror::report {
namespace {

using core::Change;
using core::ChangeKind;

core::FileEdition edition_of(const base::JsonObject& object) {
  return {.date = object.date("date"),
          .size = object.integer("size"),
          .sha256 = std::string(object.optional_text("sha256").value_or(""))};
}

/// Empty if a member is missing or has the wrong type.
std::optional<Change> change_of(const boost::json::value& value) {
  const base::JsonObject change(value);
  const auto kind = core::change_kind(change.text("change"));
  if (kind == ChangeKind::reset) {
    Change reset{.generation = change.integer("generation"), .kind = *kind, .name = "", .at = change.time("at")};
    reset.session = change.text("session");
    return change.fault() ? std::nullopt : std::optional(reset);
  }
  Change read{change.integer("generation"), kind.value_or(ChangeKind::published), std::string(change.text("name")),
              change.time("at")};
  const auto file_kind = change.text("kind");
  read.file_kind = file_kind == core::name(core::Kind::bulk) ? core::Kind::bulk : core::Kind::delta;
  read.file = edition_of(change);
  if (const auto before = change.optional_object("before")) read.before = edition_of(*before);
  if (!kind || file_kind != core::name(read.file_kind) || change.fault()) return std::nullopt;
  return read;
}

void add(boost::json::object& object, const core::FileEdition& file) {
  object["date"] = base::iso8601(file.date);
  object["size"] = file.size;
  if (!file.sha256.empty()) object["sha256"] = file.sha256;
}

boost::json::object object_of(const Change& change) {
  if (change.kind == ChangeKind::reset)
    return {{"generation", change.generation},
            {"change", core::name(change.kind)},
            {"session", change.session},
            {"at", base::iso8601(change.at)}};
  boost::json::object object{{"generation", change.generation},
                             {"change", core::name(change.kind)},
                             {"name", change.name},
                             {"at", base::iso8601(change.at)},
                             {"kind", core::name(change.file_kind)}};
  add(object, change.file);
  object["before"] = nullptr;
  if (change.before) add(object["before"].emplace_object(), *change.before);
  return object;
}

/// `name_of` says what a file is called.
Table table_of(const std::vector<Change>& changes, const UtcOffset& offset, std::string (*name_of)(std::string_view)) {
  Table table({{"GENERATION", Align::right},
               {"CHANGE"},
               {"AT", Align::left, 4},
               {"KIND", Align::left, 1},
               {"DATE", Align::left, 3},
               {"SIZE", Align::right, 2},
               {"NAME"}});
  for (const auto& change : changes) {
    table.add({std::to_string(change.generation), std::string(core::name(change.kind)), local_time(change.at, offset),
               std::string(core::name(change.file_kind)), base::iso8601(change.file.date),
               base::human_size(change.file.size), base::printable(name_of(change.name), 1'024)});
  }
  return table;
}

}  // namespace

std::string changes_text(const std::vector<Change>& changes, std::size_t width, const UtcOffset& offset) {
  if (changes.size() == 1 && changes.front().kind == ChangeKind::reset)
    return "reset: this mirror, which is at generation " + std::to_string(changes.front().generation) +
           ", does not know what has changed since then\nload the chain again, from the bulk file: see `vtmirror "
           "coverage`\n";
  const auto whole = table_of(changes, offset, base_name);
  return whole.fits(width) ? whole.text(0) : table_of(changes, offset, title_of).narrowed(width).text(0);
}

std::string changes_json(const std::vector<Change>& changes, const std::string& session) {
  boost::json::array array;
  for (const auto& change : changes) array.push_back(object_of(change));
  const boost::json::object answer{{"schema", answer_schema}, {"session", session}, {"changes", std::move(array)}};
  return boost::json::serialize(answer) + '\n';
}

base::Result<std::vector<Change>> parse_changes(std::string_view json) {
  const base::Error wrong_form{base::Errc::protocol, "the daemon's answer is not a list of changes"};
  const auto document = base::parse_json(json);
  const auto* answer = document ? document->if_object() : nullptr;
  const auto* list = answer != nullptr ? answer->if_contains("changes") : nullptr;
  if (list == nullptr || !list->is_array()) return wrong_form;
  std::vector<Change> changes;
  for (const auto& element : list->get_array()) {
    auto change = change_of(element);
    if (!change) return wrong_form;
    changes.push_back(std::move(*change));
  }
  return changes;
}

}  // namespace vtmirror::report
