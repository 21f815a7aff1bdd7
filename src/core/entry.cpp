#include "core/entry.hpp"

#include "core/file_name.hpp"
#include "vtmirror/base/json.hpp"
#include "vtmirror/base/known_secrets.hpp"
#include "vtmirror/base/url.hpp"

#include <limits>
#include <optional>
#include <string_view>
#include <utility>

namespace vtmirror::core {
namespace {

using base::JsonObject;
using base::Result;

constexpr std::size_t longest_link = std::size_t{8} * 1'024;

/// Why a field was refused; empty if it was not.
using Refusal = std::optional<Refused>;

Refused refused(EntryCheck check, std::string_view member, const std::string& words) {
  return {.failed = {.check = check, .member = std::string(member)}, .words = std::string(member) + ": " + words};
}

/// A member that could not be read. The entry contains no nested objects, so the path is a member of its own.
Refused refused(const base::JsonFault& fault) {
  if (fault.missing) return refused(EntryCheck::presence, fault.path, "it is missing");
  return refused(EntryCheck::type, fault.path, "it is not " + fault.expected);
}

base::Error wrong(const std::string& why) { return base::Error{base::Errc::protocol, why}; }

/// Checks the form of a download link. Its signature is checked by the store alone.
/// Ok if `link` is an https address (or http, if the rules allow it) with a host and without a user part, in
/// printable ASCII. Errors: protocol, with a reason that never quotes the link.
Result<void> check_link(std::string_view link, const ListingRules& rules) {
  if (link.empty()) return wrong("the link is empty");
  if (link.size() > longest_link) return wrong("the link is longer than 8 KiB");
  const auto url = base::parse_url(link);
  if (!url) return wrong("the link " + url.error().detail);
  if (!url->tls && !rules.allow_http) return wrong("the link is not https");
  if (url->user) return wrong("the link has a user part");
  return {};
}

/// The name without the words that every name has: a secret that contains "vehicle" must not cost all files.
std::string own_part(std::string_view name) {
  std::string text(name);
  for (const std::string_view word : {"public", "bulk", "delta", "light", "vehicle", "year", "month", "day"})
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word)) text.replace(at, word.size(), "\n");
  return text;
}

Refusal read_name(const JsonObject& json, const ListingRules& rules, Entry& entry) {
  constexpr std::string_view member = "filename";
  entry.name = json.text(member);
  if (json.fault()) return refused(*json.fault());
  if (const auto checked = check_name(entry.name); !checked)
    return refused(EntryCheck::name, member, checked.error().detail);
  if (!entry.name.ends_with(".zip")) return refused(EntryCheck::name, member, "the name does not end in .zip");
  if (const auto checked = check_kind(entry.name, entry.kind); !checked)
    return refused(EntryCheck::kind, member, checked.error().detail);
  if (rules.known != nullptr && rules.known->appear_in(own_part(entry.name)))
    return refused(EntryCheck::secret, member, "the name contains a secret of this client");
  return std::nullopt;
}

/// The size must be a whole number; nothing is guessed.
Refusal read_size(const JsonObject& json, Entry& entry) {
  constexpr std::string_view member = "fileSize";
  const auto of = [member](auto size, std::string_view what) {
    return refused(EntryCheck::size, member, std::to_string(size) + " bytes is not " + std::string(what));
  };
  const auto* const value = json.find(member);
  if (value != nullptr && value->is_uint64()) return of(value->get_uint64(), "plausible");
  entry.size = json.integer(member, std::numeric_limits<std::int64_t>::min());
  if (json.fault()) return refused(*json.fault());
  if (entry.size < 1) return of(entry.size, "a file size");
  if (entry.size > largest_file) return of(entry.size, "plausible");
  return std::nullopt;
}

Refusal read_date(const JsonObject& json, Entry& entry) {
  constexpr std::string_view member = "fileCreatedOn";
  const auto text = json.text(member);
  if (json.fault()) return refused(*json.fault());
  const auto date = base::parse_date(text);
  if (!date) return refused(EntryCheck::day, member, date.error().detail);
  entry.date = *date;
  const auto agreed = check_dates(entry.name, *date);
  // The words name both members.
  if (!agreed) return Refused{{EntryCheck::days, std::string(member)}, agreed.error().detail};
  return std::nullopt;
}

Refusal read_link(const JsonObject& json, const ListingRules& rules, Entry& entry) {
  constexpr std::string_view member = "downloadUrl";
  entry.link = base::Secret(std::string(json.text(member)));
  if (json.fault()) return refused(*json.fault());
  const auto checked = check_link(entry.link.reveal(), rules);
  if (!checked) return refused(EntryCheck::link, member, checked.error().detail);
  return std::nullopt;
}

}  // namespace

std::variant<Entry, Refused> read_entry(const boost::json::value& json, Kind kind, const ListingRules& rules) {
  if (!json.is_object()) return Refused{{EntryCheck::object}, "the entry is not an object"};
  const JsonObject object(json);
  Entry entry{.kind = kind, .name = {}, .link = {}};
  if (auto refusal = read_name(object, rules, entry)) return *std::move(refusal);
  if (auto refusal = read_size(object, entry)) return *std::move(refusal);
  if (auto refusal = read_date(object, entry)) return *std::move(refusal);
  if (auto refusal = read_link(object, rules, entry)) return *std::move(refusal);
  return entry;
}

}  // namespace vtmirror::core
