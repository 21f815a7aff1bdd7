// The words of `core/consumer.hpp`, and its values as they are stored. Both must never change.
#include "vtmirror/core/consumer.hpp"

#include "vtmirror/base/json.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace vtmirror::core {
namespace {

namespace json = boost::json;

constexpr std::array actions{
    std::pair{LoadAction::none, std::string_view("none")}, std::pair{LoadAction::append, std::string_view("append")},
    std::pair{LoadAction::reload, std::string_view("reload")}, std::pair{LoadAction::wait, std::string_view("wait")}};

constexpr std::array reasons{std::pair{LoadReason::nothing_new, std::string_view("nothing_new")},
                             std::pair{LoadReason::more, std::string_view("more")},
                             std::pair{LoadReason::late, std::string_view("late")},
                             std::pair{LoadReason::first, std::string_view("first")},
                             std::pair{LoadReason::other_session, std::string_view("other_session")},
                             std::pair{LoadReason::replaced, std::string_view("replaced")},
                             std::pair{LoadReason::misplaced, std::string_view("misplaced")},
                             std::pair{LoadReason::gap, std::string_view("gap")},
                             std::pair{LoadReason::was_not_absent, std::string_view("was_not_absent")},
                             std::pair{LoadReason::assumes_absent, std::string_view("assumes_absent")},
                             std::pair{LoadReason::due, std::string_view("due")},
                             std::pair{LoadReason::nothing_held, std::string_view("nothing_held")},
                             std::pair{LoadReason::missing, std::string_view("missing")},
                             std::pair{LoadReason::not_known, std::string_view("not_known")}};

template <class Value, std::size_t N>
std::string_view word_of(const std::array<std::pair<Value, std::string_view>, N>& words, Value value) noexcept {
  const auto* const found = std::ranges::find_if(words, [value](const auto& each) { return each.first == value; });
  return found == words.end() ? std::string_view() : found->second;
}

template <class Value, std::size_t N>
std::optional<Value> value_of(const std::array<std::pair<Value, std::string_view>, N>& words,
                              std::string_view word) noexcept {
  const auto* const found = std::ranges::find_if(words, [word](const auto& each) { return each.second == word; });
  return found == words.end() ? std::nullopt : std::optional(found->first);
}

json::object object_of(const Held& file) {
  return {{"kind", name(file.kind)}, {"name", file.name},     {"date", base::iso8601(file.date)},
          {"size", file.size},       {"sha256", file.sha256}, {"since", file.since}};
}

json::array array_of(const std::vector<Held>& files) {
  json::array array;
  for (const auto& file : files) array.push_back(object_of(file));
  return array;
}

json::array array_of(const std::vector<base::Date>& days) {
  json::array array;
  for (const auto day : days) array.push_back(json::string(base::iso8601(day)));
  return array;
}

json::value value_or_null(const std::optional<base::Date>& day) {
  return day ? json::value(base::iso8601(*day)) : json::value();
}

json::object object_of(const Position& position) {
  json::object object{{"session", position.session}, {"generation", position.generation}};
  object["start"] = base::iso8601(position.start);
  object["bulk"] = position.bulk ? json::value(object_of(*position.bulk)) : json::value();
  object["deltas"] = array_of(position.deltas);
  object["assumed"] = array_of(position.assumed);
  object["through"] = value_or_null(position.through);
  if (position.reloaded) object["reloaded"] = base::iso8601(*position.reloaded);
  return object;
}

json::object object_of(const LoadWhy& why) {
  json::object object{{"reason", name(why.reason)}, {"file", why.file}, {"day", value_or_null(why.day)}};
  object["count"] = why.count;
  if (why.missing) object["missing"] = name(*why.missing);
  return object;
}

Held held_of(const base::JsonObject& object) {
  return {.kind = object.text("kind") == name(Kind::bulk) ? Kind::bulk : Kind::delta,
          .name = std::string(object.text("name")),
          .date = object.date("date"),
          .size = object.integer("size"),
          .sha256 = std::string(object.text("sha256")),
          .since = object.integer("since")};
}

std::vector<Held> files_of(const base::JsonObject& object, std::string_view key) {
  std::vector<Held> files;
  for (const auto& file : object.objects(key)) files.push_back(held_of(file));
  return files;
}

Position position_of(const base::JsonObject& object) {
  Position position{.session = std::string(object.text("session")),
                    .generation = object.integer("generation"),
                    .start = object.date("start")};
  if (const auto bulk = object.optional_object("bulk")) position.bulk = held_of(*bulk);
  position.deltas = files_of(object, "deltas");
  position.assumed = object.dates("assumed");
  position.through = object.optional_date("through");
  position.reloaded = object.optional_time("reloaded");
  return position;
}

LoadWhy why_of(const base::JsonObject& object) {
  LoadWhy why{.file = std::string(object.text("file")), .day = object.optional_date("day")};
  why.reason = load_reason_named(object.text("reason")).value_or(LoadReason::more);
  why.count = object.integer("count");
  if (const auto missing = object.optional_text("missing")) why.missing = missing_reason_named(*missing);
  return why;
}

base::Error fault_of(const base::JsonFault& fault) { return {base::Errc::protocol, fault.sentence()}; }

}  // namespace

std::string_view name(LoadAction action) noexcept { return word_of(actions, action); }
std::optional<LoadAction> load_action_named(std::string_view word) noexcept { return value_of(actions, word); }
std::string_view name(LoadReason reason) noexcept { return word_of(reasons, reason); }
std::optional<LoadReason> load_reason_named(std::string_view word) noexcept { return value_of(reasons, word); }

std::string text_of(const Position& position) { return json::serialize(object_of(position)); }

base::Result<Position> parse_position(std::string_view text) {
  const auto parsed = base::parse_json_object(text);
  if (!parsed) return parsed.error();
  const base::JsonObject object(*parsed);
  auto position = position_of(object);
  if (object.fault()) return fault_of(*object.fault());
  return position;
}

std::string text_of(const Offer& offer) {
  json::object object{{"action", name(offer.action)}, {"why", object_of(offer.why)}, {"files", array_of(offer.files)}};
  object["through"] = value_or_null(offer.through);
  object["assumes_absent"] = array_of(offer.assumes_absent);
  object["after"] = object_of(offer.after);
  return json::serialize(object);
}

base::Result<Offer> parse_offer(std::string_view text) {
  const auto parsed = base::parse_json_object(text);
  if (!parsed) return parsed.error();
  const base::JsonObject object(*parsed);
  Offer offer{.action = load_action_named(object.text("action")).value_or(LoadAction::none)};
  offer.why = why_of(object.object("why"));
  offer.files = files_of(object, "files");
  offer.through = object.optional_date("through");
  offer.assumes_absent = object.dates("assumes_absent");
  offer.after = position_of(object.object("after"));
  if (object.fault()) return fault_of(*object.fault());
  return offer;
}

}  // namespace vtmirror::core
