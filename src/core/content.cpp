// The content of a generation, and of one that an older version with words in it has stored.

#include "core/field_json.hpp"
#include "vtmirror/base/json.hpp"
#include "vtmirror/core/chain.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>

namespace vtmirror::core {
namespace {

/// How a cause begins. The sentences that stood in its place do not begin so.
constexpr std::string_view cause_begin = R"({"cause":)";
/// The same of a refused entry, whose cause has the check that it failed and no code.
constexpr std::string_view refusal_begin = R"({"cause":"","status":0,"fields":{"check":)";
constexpr std::string_view detail_member = "detail";
constexpr std::string_view undated = " undated";
constexpr std::string_view why_field = "why";

/// On one line, without words for people: neither the detail nor why, which is a part of it.
std::string text_of(const Cause& cause) {
  boost::json::object fields;
  for (const auto& field : cause.fields)
    if (field.key != why_field) fields[field.key] = value_of(field);
  boost::json::object object{{"cause", cause.code ? name(*cause.code) : std::string_view()}};
  object["status"] = cause.status;
  object["fields"] = std::move(fields);
  return boost::json::serialize(object);
}

/// The reasons after which older versions had a sentence.
bool had_words(MissingReason reason) {
  return reason == MissingReason::refused || reason == MissingReason::quarantined || reason == MissingReason::damaged;
}

void add(std::string& text, std::string_view part) { text.append(part).push_back('\n'); }

void add(std::string& text, const Held& file) {
  add(text, std::string(name(file.kind)) + ' ' + file.name + ' ' + base::iso8601(file.date) + ' ' +
                std::to_string(file.size) + ' ' + file.sha256 + ' ' + std::to_string(file.since));
}

void add(std::string& text, const Missing& file) {
  text += "missing " + file.name + ' ' + std::string(name(file.reason)) + ' ';
  if (had_words(file.reason)) text += text_of(lasting_cause(file));
  add(text, file.date ? std::string_view() : undated);
}

void add(std::string& text, const std::vector<base::Date>& days) {
  for (const auto day : days) add(text, base::iso8601(day));
}

/// A cause as the version before stored it, with its detail, is the same without it. Of an entry that it refused, it
/// knew no more than that.
bool is_same_cause(std::string_view stored, std::string_view cause) {
  if (stored == cause || !stored.starts_with(cause_begin)) return true;
  const auto json = base::parse_json_object(stored, {.any_bytes = true});
  if (!json) return false;
  boost::json::object bare;
  for (const auto& member : *json)
    if (member.key() != detail_member) bare.emplace(member.key(), member.value());
  const auto without_words = boost::json::serialize(bare);
  return without_words == cause || (without_words == text_of(Cause()) && cause.starts_with(refusal_begin));
}

/// `stored` may have words in the place of the cause.
bool is_same_line(std::string_view stored, std::string_view line) {
  const auto begin = line.find(cause_begin);
  if (stored == line || begin == line.npos) return stored == line;
  const std::string_view end = line.ends_with(undated) ? undated : std::string_view();
  if (stored.size() < begin + end.size() || stored.substr(0, begin) != line.substr(0, begin)) return false;
  if (stored.ends_with(undated) != line.ends_with(undated)) return false;
  const auto between = [&](std::string_view text) { return text.substr(begin, text.size() - begin - end.size()); };
  return is_same_cause(between(stored), between(line));
}

std::string_view take_line(std::string_view& text) {
  const auto line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}

}  // namespace

std::string content_of(const Chain& chain, const std::vector<Held>& lost) {
  std::string text;
  add(text, chain.complete ? "complete" : "not complete");
  for (const auto& file : chain.files) add(text, file);
  for (const auto& file : chain.missing) add(text, file);
  add(text, "absent");
  add(text, chain.absent_upstream);
  if (!chain.unaccounted.empty()) add(text, "unaccounted");
  add(text, chain.unaccounted);
  if (const auto& join = chain.continues) {
    add(text, "continues " + join->after + ' ' + join->sha256 + ' ' + std::to_string(join->generation) + ' ' +
                  std::string(join->reason) + (join->contiguous ? " contiguous" : ""));
    add(text, join->assumes_absent);
  }
  add(text, "lost");
  for (const auto& file : lost) add(text, file.name);
  return text;
}

bool is_same_content(std::string_view stored, std::string_view content) {
  if (std::ranges::count(stored, '\n') != std::ranges::count(content, '\n')) return false;
  while (!content.empty() || !stored.empty())
    if (!is_same_line(take_line(stored), take_line(content))) return false;
  return true;
}

}  // namespace vtmirror::core
