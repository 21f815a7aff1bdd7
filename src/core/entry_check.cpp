#include "vtmirror/core/entry_check.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace vtmirror::core {
namespace {

constexpr std::string_view check_field = "check";
constexpr std::string_view member_field = "member";
constexpr std::string_view words_field = "words";

struct Word {
  EntryCheck check;
  std::string_view word;
};
constexpr std::array names{
    Word{EntryCheck::unknown, "unknown"}, Word{EntryCheck::object, "object"}, Word{EntryCheck::presence, "presence"},
    Word{EntryCheck::type, "type"},       Word{EntryCheck::name, "name"},     Word{EntryCheck::secret, "secret"},
    Word{EntryCheck::kind, "kind"},       Word{EntryCheck::size, "size"},     Word{EntryCheck::day, "day"},
    Word{EntryCheck::days, "days"},       Word{EntryCheck::link, "link"},     Word{EntryCheck::unique, "unique"},
    Word{EntryCheck::to_come, "to_come"},
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i].check != static_cast<EntryCheck>(i)) return false;
  return true;
}
static_assert(in_order(), "a value is the index of its row");

std::vector<Field> fields_of(const FailedCheck& failed) {
  std::vector<Field> fields;
  if (failed.check == EntryCheck::unknown) return fields;
  fields.push_back({std::string(check_field), std::string(name(failed.check))});
  if (!failed.member.empty()) fields.push_back({std::string(member_field), failed.member});
  return fields;
}

}  // namespace

std::string_view name(EntryCheck check) noexcept { return names[static_cast<std::size_t>(check)].word; }

std::optional<EntryCheck> entry_check_named(std::string_view word) noexcept {
  const auto* const row = std::ranges::find(names, word, &Word::word);
  return row == names.end() ? std::nullopt : std::optional(row->check);
}

Cause refusal(const FailedCheck& failed, std::string words, std::string subject) {
  return {.subject = std::move(subject), .detail = std::move(words), .fields = fields_of(failed)};
}

bool is_to_come(const Cause& cause) noexcept { return text(cause, check_field) == name(EntryCheck::to_come); }

std::string stored_refusal(const FailedCheck& failed, const std::string& words) {
  auto fields = fields_of(failed);
  if (fields.empty()) return words;
  fields.push_back({std::string(words_field), words});
  return fields_json(fields);
}

StoredRefusal read_refusal(const std::string& stored) {
  auto fields = parse_fields(stored);
  // An older version stored words, which are no JSON object.
  if (!fields) return {.failed = {}, .words = stored};
  const Cause read{.fields = *std::move(fields)};
  const auto check = entry_check_named(text(read, check_field));
  if (!check) return {.failed = {}, .words = stored};
  return {.failed = {.check = *check, .member = std::string(text(read, member_field))},
          .words = std::string(text(read, words_field))};
}

}  // namespace vtmirror::core
