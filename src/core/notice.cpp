#include "vtmirror/core/notice.hpp"

#include "core/field_json.hpp"
#include "vtmirror/base/json.hpp"
#include "vtmirror/base/text.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <optional>

namespace vtmirror::core {

std::string_view name(Urgency urgency) noexcept {
  switch (urgency) {
    case Urgency::info:
      return "info";
    case Urgency::warning:
      return "warning";
    case Urgency::error:
      break;
  }
  return "error";
}

std::string_view name(Stage stage) noexcept {
  switch (stage) {
    case Stage::single:
      return "single";
    case Stage::began:
      return "began";
    case Stage::over:
      break;
  }
  return "over";
}

std::chrono::seconds delivery_pause(int failed_attempts, std::optional<std::chrono::seconds> asked) {
  std::chrono::seconds pause = std::chrono::minutes(1);
  for (int n = 1; n < failed_attempts && pause < longest_delivery_pause; ++n) pause *= 3;
  return std::min(std::max(pause, asked.value_or(pause)), longest_delivery_pause);
}

Notice published_notice(const FileRecord& file, std::int64_t generation) {
  Notice notice{.topic = Topic::published, .code = std::string(name(Topic::published))};
  notice.message = short_name(file.name) + " is published (" + base::human_size(file.size) + ", generation " +
                   std::to_string(generation) + ")";
  notice.at = file.published_at;
  notice.fields = {{"file", file.name},
                   {"kind", std::string(name(file.kind))},
                   {"date", base::iso8601(file.date)},
                   {"bytes", file.size},
                   {"sha256", file.sha256},
                   {"generation", generation}};
  return notice;
}

namespace {

/// "delta 18 Nov added", "3 files added"
std::string what_happened(const std::vector<std::string>& names, const std::string& verb) {
  return (names.size() == 1 ? short_name(names.front()) : base::counted(std::ssize(names), "file")) + ' ' + verb;
}

std::string sentence_of(const ChainNews& news, const Chain& now) {
  std::string text = "no files to load";
  if (!now.files.empty())
    text = "the chain to load ends with " + short_name(now.files.back().name) +
           (now.complete ? " and is complete" : " and is not complete");
  text += " (generation " + std::to_string(news.generation) + ')';
  std::string more;
  const auto add = [&more](const std::vector<std::string>& names, const std::string& verb) {
    if (!names.empty()) more += (more.empty() ? ": " : ", ") + what_happened(names, verb);
  };
  add(news.added, "added");
  add(news.replaced, "replaced");
  add(news.removed, "removed");
  return text + more;
}

}  // namespace

Notice chain_notice(std::span<const Held> before, const Chain& now, const Edition& edition, base::Time at) {
  ChainNews news{.session = edition.session, .generation = edition.generation, .complete = now.complete};
  news.through = now.through;
  for (const Held& file : now.files) {
    const auto known = std::ranges::find(before, file.name, &Held::name);
    if (known == before.end())
      news.added.push_back(file.name);
    else if (!(*known == file))
      news.replaced.push_back(file.name);
  }
  for (const Held& file : before)
    if (std::ranges::find(now.files, file.name, &Held::name) == now.files.end()) news.removed.push_back(file.name);
  Notice notice{.topic = Topic::chain, .code = std::string(name(Topic::chain))};
  notice.at = at;
  notice.message = sentence_of(news, now);
  notice.chain = std::move(news);
  return notice;
}

namespace {

using boost::json::object;
using boost::json::value;

constexpr std::array urgencies{Urgency::info, Urgency::warning, Urgency::error};
constexpr std::array stages{Stage::single, Stage::began, Stage::over};

constexpr std::array<std::string_view, 8> own_keys{"schema", "id", "event", "code", "level", "stage", "at", "message"};

/// The value in `all` with that name.
template <class Word, std::size_t count>
std::optional<Word> word_of(const std::array<Word, count>& all, std::string_view text) {
  const auto found = std::find_if(all.begin(), all.end(), [text](Word word) { return name(word) == text; });
  return found == all.end() ? std::nullopt : std::optional(*found);
}

std::vector<NoticeField> fields_of(const object& members) {
  std::vector<NoticeField> fields;
  for (const auto& member : members) {
    if (std::find(own_keys.begin(), own_keys.end(), std::string_view(member.key())) != own_keys.end()) continue;
    if (auto field = field_of(member)) fields.push_back(std::move(*field));
  }
  return fields;
}

boost::json::array array_of(const std::vector<std::string>& names) {
  boost::json::array array;
  for (const auto& name : names) array.push_back(boost::json::string(name));
  return array;
}

void put(object& json, const ChainNews& news) {
  json["session"] = news.session;
  json["generation"] = news.generation;
  json["complete"] = news.complete;
  json["through"] = news.through ? value(base::iso8601(*news.through)) : value();
  json["added"] = array_of(news.added);
  json["replaced"] = array_of(news.replaced);
  json["removed"] = array_of(news.removed);
}

std::vector<std::string> names_of(const base::JsonObject& json, std::string_view key) {
  const auto texts = json.texts(key);
  return {texts.begin(), texts.end()};
}

ChainNews news_of(const base::JsonObject& json) {
  ChainNews news{.session = std::string(json.text("session")), .generation = json.integer("generation")};
  news.complete = json.flag("complete");
  if (const auto day = base::parse_date(json.optional_text("through").value_or(""))) news.through = *day;
  news.added = names_of(json, "added");
  news.replaced = names_of(json, "replaced");
  news.removed = names_of(json, "removed");
  return news;
}

base::Error not_a_notice(const std::string& why) {
  return {.code = base::Errc::protocol, .detail = "not a notice: " + why};
}

}  // namespace

std::string notice_json(const Notice& notice) {
  object json{{"schema", 1}};
  if (!notice.id.empty()) json["id"] = notice.id;
  json["event"] = name(notice.topic);
  json["code"] = notice.code;
  json["level"] = name(notice.urgency);
  if (notice.stage != Stage::single) json["stage"] = name(notice.stage);
  json["at"] = base::iso8601(notice.at);
  json["message"] = notice.message;
  for (const auto& field : notice.fields) json.emplace(field.key, value_of(field));
  if (notice.chain) put(json, *notice.chain);
  return boost::json::serialize(json);
}

base::Result<Notice> parse_notice(std::string_view text) {
  const auto document = base::parse_json_object(text, {.any_bytes = true});
  if (!document) return not_a_notice("it " + document.error().detail);
  const base::JsonObject json(*document);
  const auto topic = topic_of(json.text("event"));
  const auto urgency = word_of(urgencies, json.text("level"));
  const auto stage_word = json.text("stage");
  const auto stage = stage_word.empty() ? Stage::single : word_of(stages, stage_word);
  const auto at = base::parse_time(json.text("at"));
  if (!topic || !urgency || !stage) return not_a_notice("event, level or stage is unknown");
  if (at.has_error()) return not_a_notice("at is not a time");
  Notice notice{.topic = *topic, .code = std::string(json.text("code"))};
  notice.urgency = *urgency;
  notice.stage = *stage;
  notice.message = json.text("message");
  notice.at = *at;
  if (*topic == Topic::chain)
    notice.chain = news_of(json);
  else
    notice.fields = fields_of(*document);
  notice.id = json.text("id");
  return notice;
}

}  // namespace vtmirror::core
