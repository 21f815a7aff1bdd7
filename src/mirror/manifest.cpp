#include "mirror/manifest.hpp"

#include "vtmirror/base/json.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace vtmirror::mirror {
namespace {

namespace json = boost::json;

json::object member_of(const core::Held& file) {
  json::object member{{"kind", core::name(file.kind)}, {"name", file.name}, {"date", base::iso8601(file.date)}};
  member["size"] = file.size;
  if (!file.sha256.empty()) member["sha256"] = file.sha256;
  return member;
}

json::value continues_of(const core::Chain& chain) {
  if (!chain.continues) return nullptr;
  return json::object{{"after", chain.continues->after}, {"contiguous", chain.continues->contiguous}};
}

json::object object_of(const ports::Manifest& manifest) {
  const core::Chain& chain = manifest.chain;
  json::array files;
  for (const auto& file : chain.files) files.push_back(member_of(file));
  json::array missing;
  for (const auto& name : chain.missing) missing.push_back(json::string(name));
  json::array absent;
  for (const auto& date : chain.absent_upstream) absent.push_back(json::string(base::iso8601(date)));
  json::value through;
  if (chain.through) through = base::iso8601(*chain.through);
  return {{"schema", 1},
          {"generation", manifest.generation},
          {"published_at", base::iso8601(manifest.published_at)},
          {"chain", std::move(files)},
          {"complete", chain.complete},
          {"through", std::move(through)},
          {"missing", std::move(missing)},
          {"absent_upstream", std::move(absent)},
          {"continues", continues_of(chain)}};
}

std::string on_one_line(const json::value& value) {
  if (!value.is_object()) return json::serialize(value);
  std::string text;
  for (const auto& [key, part] : value.get_object())
    text += (text.empty() ? "{" : ", ") + json::serialize(key) + ": " + json::serialize(part);
  return text.empty() ? "{}" : text + "}";
}

std::string on_lines(const json::array& array) {
  std::string text;
  for (const auto& value : array) text += (text.empty() ? "[\n    " : ",\n    ") + on_one_line(value);
  return text.empty() ? "[]" : text + "\n  ]";
}

}  // namespace

std::string manifest_text(const ports::Manifest& manifest) {
  std::string text;
  for (const auto& [key, value] : object_of(manifest)) {
    text += (text.empty() ? "{\n  " : ",\n  ") + json::serialize(key) + ": ";
    text += value.is_array() ? on_lines(value.get_array()) : on_one_line(value);
  }
  return text + "\n}\n";
}

std::optional<std::int64_t> manifest_generation_of(std::string_view text) {
  const auto document = base::parse_json_object(text);
  if (!document) return std::nullopt;
  return base::JsonObject(*document).optional_integer("generation");
}

std::string sums_text(const std::vector<core::Held>& held) {
  std::vector<const core::Held*> files;
  for (const auto& file : held)
    if (!file.sha256.empty()) files.push_back(&file);
  std::sort(files.begin(), files.end(), [](const auto* a, const auto* b) { return a->name < b->name; });
  std::string text;
  for (const auto* file : files) text += file->sha256 + "  " + file->name + "\n";
  return text;
}

}  // namespace vtmirror::mirror
