#include "vtmirror/report/changes.hpp"

#include "vtmirror/base/json.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/report/table.hpp"

#include <boost/json.hpp>

#include <array>
#include <optional>

namespace vtmirror::report {
namespace {

using catalogue::Change;
using catalogue::ChangeKind;

constexpr std::array kinds{ChangeKind::published, ChangeKind::superseded, ChangeKind::removed};

std::optional<ChangeKind> kind_of(std::string_view word) {
  for (const auto kind : kinds) {
    if (catalogue::name(kind) == word) return kind;
  }
  return std::nullopt;
}

/// Empty if a member is missing or has the wrong type.
std::optional<Change> change_of(const boost::json::value& value) {
  const base::JsonObject change(value);
  const auto kind = kind_of(change.text("kind"));
  Change read{change.integer("generation"), kind.value_or(ChangeKind::published), std::string(change.text("name")),
              change.time("at")};
  if (!kind || change.fault()) return std::nullopt;
  return read;
}

}  // namespace

std::string changes_text(const std::vector<Change>& changes, std::size_t width) {
  Table table({{"GENERATION", Align::right}, {"CHANGE"}, {"AT"}, {"NAME"}});
  for (const auto& change : changes) {
    table.add({std::to_string(change.generation), std::string(catalogue::name(change.kind)), base::iso8601(change.at),
               base::printable(change.name.substr(change.name.rfind('/') + 1), 1'024)});
  }
  return table.text(width);
}

std::string changes_json(const std::vector<Change>& changes) {
  boost::json::array array;
  for (const auto& change : changes) {
    array.push_back(boost::json::object{{"generation", change.generation},
                                        {"kind", catalogue::name(change.kind)},
                                        {"name", change.name},
                                        {"at", base::iso8601(change.at)}});
  }
  return boost::json::serialize(array) + '\n';
}

base::Result<std::vector<Change>> parse_changes(std::string_view json) {
  const base::Error wrong_form{base::Errc::protocol, "the daemon's answer is not a list of changes"};
  const auto document = base::parse_json(json);
  if (!document || !document->is_array()) return wrong_form;
  std::vector<Change> changes;
  for (const auto& element : document->get_array()) {
    auto change = change_of(element);
    if (!change) return wrong_form;
    changes.push_back(std::move(*change));
  }
  return changes;
}

}  // namespace vtmirror::report
