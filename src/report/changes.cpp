#include "vtmirror/report/changes.hpp"

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

std::optional<std::string_view> text_of(const boost::json::object& object, std::string_view key) {
  const auto* const value = object.if_contains({key.data(), key.size()});
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return std::string_view(value->get_string());
}

std::optional<ChangeKind> kind_of(std::string_view word) {
  for (const auto kind : kinds) {
    if (catalogue::name(kind) == word) return kind;
  }
  return std::nullopt;
}

std::optional<Change> change_of(const boost::json::value& value) {
  const auto* const object = value.if_object();
  if (object == nullptr) return std::nullopt;
  const auto* const generation = object->if_contains("generation");
  const auto kind = kind_of(text_of(*object, "kind").value_or(""));
  const auto name = text_of(*object, "name");
  const auto at = base::parse_time(text_of(*object, "at").value_or(""));
  if (generation == nullptr || !generation->is_int64() || !kind || !name || at.has_error()) return std::nullopt;
  return Change{generation->get_int64(), *kind, std::string(*name), *at};
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
  const base::Error wrong_form{base::Errc::protocol, "the daemon's answer is no list of changes"};
  boost::json::error_code failure;
  const auto value = boost::json::parse({json.data(), json.size()}, failure);
  if (failure || !value.is_array()) return wrong_form;
  std::vector<Change> changes;
  for (const auto& element : value.get_array()) {
    auto change = change_of(element);
    if (!change) return wrong_form;
    changes.push_back(std::move(*change));
  }
  return changes;
}

}  // namespace vtmirror::report
