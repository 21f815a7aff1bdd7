#include "mirror/manifest.hpp"

#include "mirror/own_names.hpp"
#include "mirror/text_file.hpp"
#include "vtmirror/base/json.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/core/chain_json.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace vtmirror::mirror {
namespace {

namespace json = boost::json;

void stamp(json::object& object, std::string_view key, const std::optional<base::Time>& time) {
  if (time) object[key] = base::iso8601(*time);
}

json::object object_of(const ports::Manifest& manifest) {
  json::object object{{"schema", core::manifest_schema},
                      {"session", manifest.edition.session},
                      {"generation", manifest.edition.generation},
                      {"published_at", nullptr}};
  if (manifest.edition.at != base::Time()) object["published_at"] = base::iso8601(manifest.edition.at);
  stamp(object, "checked_at", manifest.checked_at);
  stamp(object, "next_check", manifest.next_check);
  stamp(object, "stale_after", manifest.stale_after);
  core::put_chain(object, manifest.chain, manifest.details);
  return object;
}

std::string on_one_line(const json::value& value) {
  std::string text;
  if (value.is_array()) {
    for (const auto& part : value.get_array()) text += (text.empty() ? "" : ", ") + on_one_line(part);
    return "[" + text + "]";
  }
  if (!value.is_object()) return json::serialize(value);
  for (const auto& [key, part] : value.get_object())
    text += (text.empty() ? "{" : ", ") + json::serialize(key) + ": " + on_one_line(part);
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

namespace {

bool is_digest(std::string_view text) {
  constexpr std::size_t length = 64;
  return text.size() == length && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

void read_member(const base::JsonObject& member, ports::Remains& remains) {
  core::Held file;
  file.name = member.text("name");
  file.kind = member.text("kind") == core::name(core::Kind::bulk) ? core::Kind::bulk : core::Kind::delta;
  file.size = member.integer("size");
  file.since = member.optional_integer("since").value_or(0);
  const auto digest = member.text("sha256");
  if (is_digest(digest)) file.sha256 = digest;
  const auto date = base::parse_date(member.text("date"));
  if (!date || !core::check_name(file.name)) return;
  file.date = *date;
  remains.chain.push_back(std::move(file));
}

core::Missing read_missing(const base::JsonObject& member) {
  core::Missing file{.name = std::string(member.text("name"))};
  file.kind = member.text("kind") == core::name(core::Kind::bulk) ? core::Kind::bulk : core::Kind::delta;
  if (const auto date = base::parse_date(member.optional_text("date").value_or(""))) file.date = *date;
  file.reason = core::missing_reason_named(member.text("reason")).value_or(core::MissingReason::not_downloaded);
  file.cause.detail = member.optional_text("detail").value_or("");
  return file;
}

core::Continues read_join(const base::JsonObject& member) {
  core::Continues join{.after = std::string(member.text("after")), .sha256 = {}};
  const auto digest = member.optional_text("sha256").value_or("");
  if (is_digest(digest)) join.sha256 = digest;
  join.generation = member.integer("generation");
  join.contiguous = member.flag("contiguous");
  constexpr std::string_view absent = "absent";
  const auto reason = member.text("reason");
  if (const auto standing = core::standing_named(reason)) join.reason = name(*standing);
  if (reason == absent) join.reason = absent;
  join.assumes_absent = member.dates("assumes_absent");
  return join;
}

/// Used if the manifest cannot be read: "current" points to ".vtmirror/current-42", or "current-42-2".
std::int64_t generation_of_current(const Tree& tree) {
  const auto target = tree.link_target(own::current);
  if (!target || !*target) return 0;
  const auto leaf = base::leaf_of(**target);
  if (!leaf.starts_with(own::current_prefix)) return 0;
  const auto number = leaf.substr(own::current_prefix.size());
  const auto generation = base::parse_int(number.substr(0, number.find('-')));
  return generation ? *generation : 0;
}

}  // namespace

void read_manifest(std::string_view text, ports::Remains& remains) {
  const auto document = base::parse_json_object(text);
  if (!document) return;
  const base::JsonObject manifest(*document);
  remains.generation = std::max(remains.generation, manifest.integer("generation"));
  if (const auto at = manifest.optional_time("published_at")) remains.published_at = *at;
  for (const auto& member : manifest.objects("chain")) read_member(member, remains);
  for (const auto& member : manifest.objects("missing")) remains.missing.push_back(read_missing(member));
  remains.complete = manifest.flag("complete");
  if (const auto session = manifest.optional_text("session")) remains.session = *session;
  for (const auto& member : manifest.objects("absent_upstream")) remains.absent_upstream.push_back(member.date("date"));
  // A manifest of version 0.1.0 has none.
  if (manifest.find("unaccounted") != nullptr)
    for (const auto& member : manifest.objects("unaccounted")) remains.unaccounted.push_back(member.date("date"));
  // Schema 1 had a list of days.
  if (remains.absent_upstream.empty()) remains.absent_upstream = manifest.dates("absent_upstream");
  if (const auto join = manifest.optional_object("continues"); join && join->find("reason") != nullptr)
    remains.continues = read_join(*join);
  std::ranges::sort(remains.absent_upstream);
  std::ranges::sort(remains.unaccounted);
}

void read_sums(std::string_view text, ports::Remains& remains) {
  constexpr std::size_t digest = 64;
  constexpr std::string_view gap = "  ";
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.size() <= digest + gap.size() || line.substr(digest, gap.size()) != gap) continue;
    const auto name = line.substr(digest + gap.size());
    if (is_digest(line.substr(0, digest)) && core::check_name(name))
      remains.sums.emplace_back(std::string(name), std::string(line.substr(0, digest)));
  }
}

namespace {

base::Result<std::optional<std::string>> text_of_ours(const Tree& tree, std::string_view path) {
  if (is_not_ours(tree, path)) return std::optional<std::string>();
  return read_text(tree, path);
}

}  // namespace

base::Result<ports::Remains> read_remains(const Tree& tree) {
  ports::Remains remains;
  remains.generation = generation_of_current(tree);
  const auto manifest = text_of_ours(tree, own::manifest);
  if (!manifest) return manifest.error();
  if (*manifest) read_manifest(**manifest, remains);
  const auto sums = text_of_ours(tree, own::sums);
  if (!sums) return sums.error();
  if (*sums) read_sums(**sums, remains);
  return remains;
}

}  // namespace vtmirror::mirror
