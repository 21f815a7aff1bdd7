// The content of a generation, and of one that a version with sentences in it has stored.

#include "core/field_json.hpp"
#include "vtmirror/core/chain.hpp"

#include <boost/json/serialize.hpp>

namespace vtmirror::core {
namespace {

/// How a cause begins. The sentences that stood in its place do not begin so.
constexpr std::string_view cause_begin = R"({"cause":)";
constexpr std::string_view undated = " undated";
constexpr std::string_view why_field = "why";

/// On one line, without why: the detail says so too, and an older version did not keep it apart.
std::string text_of(const Cause& cause) {
  boost::json::object fields;
  for (const auto& field : cause.fields)
    if (field.key != why_field) fields[field.key] = value_of(field);
  boost::json::object object{{"cause", cause.code ? name(*cause.code) : std::string_view()}};
  object["detail"] = cause.detail;
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

/// What stands before, between and after the causes.
std::vector<std::string_view> around_causes(std::string_view content) {
  std::vector<std::string_view> parts;
  for (auto begin = content.find(cause_begin); begin != content.npos; begin = content.find(cause_begin)) {
    auto end = content.find('\n', begin);
    if (content.substr(begin, end - begin).ends_with(undated)) end -= undated.size();
    parts.push_back(content.substr(0, begin));
    content.remove_prefix(end);
  }
  parts.push_back(content);
  return parts;
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
  if (stored == content) return true;
  const auto parts = around_causes(content);
  if (parts.size() == 1 || stored.find(cause_begin) != stored.npos) return false;
  if (!stored.starts_with(parts.front())) return false;
  stored.remove_prefix(parts.front().size());
  for (auto part = parts.begin() + 1; part != parts.end(); ++part) {
    const auto place = stored.find(*part);
    if (place == stored.npos) return false;
    // Words of more than one line would hide what another line says.
    const auto words = stored.substr(0, place);
    if (words.find('\n') != words.npos || words.ends_with(undated)) return false;
    stored.remove_prefix(place + part->size());
  }
  return stored.empty();
}

}  // namespace vtmirror::core
