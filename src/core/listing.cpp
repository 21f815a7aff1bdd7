#include "vtmirror/core/listing.hpp"

#include "core/file_name.hpp"
#include "vtmirror/base/encoding.hpp"
#include "vtmirror/base/json.hpp"
#include "vtmirror/base/result.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/base/url.hpp"

#include <boost/json/value.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

namespace vtmirror::core {
namespace {

namespace json = boost::json;
using base::Errc;
using base::Error;
using base::Result;

using base::JsonObject;

using std::chrono::seconds;

constexpr std::size_t longest_link = std::size_t{8} * 1'024;
constexpr seconds usual_lifetime{300};             // vtmirror-service(7) 8
constexpr std::int64_t longest_expires = 604'800;  // a week, the longest lifetime that a store signs

Error refused(const std::string& why) { return Error{Errc::protocol, why}; }

/// The first value of that parameter, decoded; empty if the link has none.
std::string parameter(std::string_view link, std::string_view key) {
  const auto question = link.find('?');
  if (question == std::string_view::npos) return {};
  std::string_view query = link.substr(question + 1);
  query = query.substr(0, query.find('#'));
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(pair.size() + 1, query.size()));
    const auto equals = std::min(pair.find('='), pair.size());
    if (!base::iequals(base::percent_decoded(pair.substr(0, equals)), key)) continue;
    return base::percent_decoded(pair.substr(std::min(equals + 1, pair.size())));
  }
  return {};
}

/// "20231207T110808Z" and "2023-12-07T110808Z".
std::optional<base::Time> signing_time(std::string text) {
  std::erase_if(text, [](char c) { return c == '-' || c == ':'; });
  if (text.size() != 16) return std::nullopt;
  const auto piece = [&text](std::size_t at, std::size_t count) { return text.substr(at, count); };
  const auto time =
      base::parse_time(piece(0, 4) + "-" + piece(4, 2) + "-" + piece(6, 5) + ":" + piece(11, 2) + ":" + piece(13, 3));
  return time ? std::optional{*time} : std::nullopt;
}

std::optional<seconds> signed_lifetime(std::string_view link) {
  const auto expires = base::parse_int(parameter(link, "X-Amz-Expires"));
  if (!expires || *expires < 1 || *expires > longest_expires) return std::nullopt;
  return seconds{*expires};
}

/// Checks the form of a download link. Its signature is checked by the store alone.
/// Ok if `link` is an https address (or http, if the rules allow it) with a host and without a user part, in
/// printable ASCII. Errors: protocol, with a reason that never quotes the link.
Result<void> check_link(std::string_view link, const ListingRules& rules) {
  if (link.empty()) return refused("the link is empty");
  if (link.size() > longest_link) return refused("the link is longer than 8 KiB");
  const auto url = base::parse_url(link);
  if (!url) return refused("the link " + url.error().detail);
  if (!url->tls && !rules.allow_http) return refused("the link is not https");
  if (url->user) return refused("the link has a user part");
  return {};
}

Error refused(std::string_view field, const std::string& why) {
  return Error{Errc::protocol, std::string{field} + ": " + why};
}

/// A member that could not be read. The entry contains no nested objects, so the path is a member of its own.
Error refused(const base::JsonFault& fault) {
  return refused(fault.path, fault.missing ? "it is missing" : "it is not " + fault.expected);
}

/// The name without the words that every name has: a secret that contains "vehicle" must not cost all files.
std::string own_part(std::string_view name) {
  std::string text(name);
  for (const std::string_view word : {"public", "bulk", "delta", "light", "vehicle", "year", "month", "day"})
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word)) text.replace(at, word.size(), "\n");
  return text;
}

Result<std::string> name_field(const JsonObject& entry, Kind kind, const ListingRules& rules) {
  std::string name(entry.text("filename"));
  if (entry.fault()) return refused(*entry.fault());
  auto checked = check_name(name);
  if (checked && !name.ends_with(".zip")) checked = Error{Errc::protocol, "the name does not end in .zip"};
  if (checked) checked = check_kind(name, kind);
  if (checked && rules.known != nullptr && rules.known->appear_in(own_part(name)))
    checked = Error{Errc::protocol, "the name contains a secret of this client"};
  if (!checked) return refused("filename", checked.error().detail);
  return name;
}

/// The size must be a whole number; nothing is guessed.
Result<std::int64_t> size_field(const JsonObject& entry) {
  const auto* const value = entry.find("fileSize");
  if (value != nullptr && value->is_uint64())
    return refused("fileSize", std::to_string(value->get_uint64()) + " bytes is not plausible");
  const auto size = entry.integer("fileSize", std::numeric_limits<std::int64_t>::min());
  if (entry.fault()) return refused(*entry.fault());
  if (size < 1) return refused("fileSize", std::to_string(size) + " bytes is not a file size");
  if (size > largest_file) return refused("fileSize", std::to_string(size) + " bytes is not plausible");
  return size;
}

Result<base::Date> date_field(const JsonObject& entry, std::string_view name) {
  const auto text = entry.text("fileCreatedOn");
  if (entry.fault()) return refused(*entry.fault());
  const auto date = base::parse_date(text);
  if (!date) return refused("fileCreatedOn", date.error().detail);
  if (const auto agreed = check_dates(name, *date); !agreed) return agreed.error();
  return *date;
}

Result<base::Secret> link_field(const JsonObject& entry, const ListingRules& rules) {
  base::Secret secret{std::string(entry.text("downloadUrl"))};
  if (entry.fault()) return refused(*entry.fault());
  if (const auto checked = check_link(secret.reveal(), rules); !checked) {
    return refused("downloadUrl", checked.error().detail);
  }
  return secret;
}

/// One file entry of the listing, field by field. An entry that is returned has passed every check that does not
/// involve other entries. Errors: protocol, with the field and what is wrong with it. Never quotes a link.
Result<Entry> read_entry(const boost::json::value& json, Kind kind, const ListingRules& rules) {
  if (!json.is_object()) return Error{Errc::protocol, "the entry is not an object"};
  const JsonObject entry(json);
  auto name = name_field(entry, kind, rules);
  if (!name) return name.error();
  const auto size = size_field(entry);
  if (!size) return size.error();
  const auto date = date_field(entry, *name);
  if (!date) return date.error();
  auto link = link_field(entry, rules);
  if (!link) return link.error();
  return Entry{kind, *std::move(name), *size, *date, *std::move(link)};
}

constexpr std::size_t most_entries = 1'000;

Error unusable(const std::string& why) { return Error{Errc::protocol, "the listing " + why}; }

Result<const json::array*> array_member(const base::JsonObject& listing, Kind kind) {
  const std::string key(name(kind));
  const auto& array = listing.array(key);
  const auto& fault = listing.fault();
  if (!fault) return &array;
  if (fault->missing) return unusable("lacks \"" + key + "\"");
  return unusable("has a \"" + key + "\" that is not " + fault->expected);
}

/// The names accepted so far, compared without case: a mirror may be moved to a case-insensitive file system.
class TakenNames {
 public:
  /// Ok, and recorded, if no other name is equal to it, below it or above it.
  Result<void> add(std::string_view name) {
    const std::string lowered = base::lower(name);
    if (files_.contains(lowered)) return Error{Errc::protocol, "filename: the same name is listed twice"};
    if (directories_.contains(lowered))
      return Error{Errc::protocol, "filename: another entry's directory has this name"};
    const auto above = directories_of(lowered);
    for (const std::string& directory : above) {
      if (files_.contains(directory))
        return Error{Errc::protocol, "filename: one of its directories is another entry's file"};
    }
    directories_.insert(above.begin(), above.end());
    files_.insert(lowered);
    return {};
  }

 private:
  static std::vector<std::string> directories_of(std::string_view name) {
    std::vector<std::string> directories;
    for (auto slash = name.find('/'); slash != std::string_view::npos; slash = name.find('/', slash + 1)) {
      directories.emplace_back(name.substr(0, slash));
    }
    return directories;
  }

  std::set<std::string> files_;
  std::set<std::string> directories_;
};

std::string masked(const std::string& text, const ListingRules& rules) {
  return rules.known == nullptr ? text : rules.known->masked(text);
}

/// The day of an entry that is refused, from what of it can be read. A name that states its day in the service's form
/// outranks the date beside it: such an entry names one day, and no other file has its name.
std::optional<base::Date> day_of(const json::value& entry) {
  const base::JsonObject object(entry);
  if (const auto named = read_name(object.text("filename"))) return named->date;
  const auto created = base::parse_date(object.text("fileCreatedOn"));
  return created ? std::optional(*created) : std::nullopt;
}

/// By which a refused entry is known again in a later listing. The position of an entry without a name is next week
/// another day's.
std::string name_of_refused(const json::value& entry, Kind kind, std::size_t position, std::optional<base::Date> day,
                            const ListingRules& rules) {
  auto shown = masked(base::printable(base::JsonObject(entry).text("filename")), rules);
  if (!shown.empty()) return shown;
  const std::string array(name(kind));
  return day ? array + " of " + base::iso8601(*day) : array + "[" + std::to_string(position) + "]";
}

void read_entries(const json::array& entries, Kind kind, const ListingRules& rules, TakenNames& taken,
                  Listing& listing) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    auto entry = read_entry(entries[i], kind, rules);
    const Result<void> checked = entry ? taken.add(entry->name) : Result<void>{entry.error()};
    if (checked) {
      listing.entries.push_back(*std::move(entry));
    } else {
      const auto day = day_of(entries[i]);
      auto why = masked(checked.error().detail, rules);
      listing.refused.push_back({kind, name_of_refused(entries[i], kind, i, day, rules), std::move(why), day});
    }
  }
}

auto load_order(const Entry& entry) { return std::tie(entry.kind, entry.date, entry.name); }

}  // namespace

std::string_view name(Kind kind) noexcept { return kind == Kind::bulk ? "bulk" : "delta"; }

Result<Listing> parse_listing(std::string_view text, const ListingRules& rules) {
  if (text.size() > largest_listing) return unusable("is larger than 4 MiB");
  const auto document = base::parse_json_object(text, {.any_bytes = true});
  if (!document) return unusable(document.error().detail);
  const base::JsonObject object(*document);
  const auto bulk = array_member(object, Kind::bulk);
  if (!bulk) return bulk.error();
  const auto delta = array_member(object, Kind::delta);
  if (!delta) return delta.error();
  if ((*bulk)->size() + (*delta)->size() > most_entries) return unusable("has more than 1,000 files");

  Listing listing;
  TakenNames taken;
  read_entries(**bulk, Kind::bulk, rules, taken, listing);
  read_entries(**delta, Kind::delta, rules, taken, listing);
  std::sort(listing.entries.begin(), listing.entries.end(),
            [](const Entry& a, const Entry& b) { return load_order(a) < load_order(b); });
  return listing;
}

seconds link_lifetime(std::string_view link, std::optional<base::Time> server_now) {
  const auto lifetime = signed_lifetime(link);
  if (!lifetime) return usual_lifetime;
  const auto signed_at = signing_time(parameter(link, "X-Amz-Date"));
  if (!signed_at) return std::min(*lifetime, usual_lifetime);
  if (!server_now) return *lifetime;
  const auto left = std::chrono::floor<seconds>(*signed_at + *lifetime - *server_now);
  return std::clamp(left, seconds{0}, *lifetime);
}

base::Milliseconds link_usable_for(seconds lifetime) {
  const base::Milliseconds whole = lifetime;
  return whole - std::min<base::Milliseconds>(seconds(10), whole / 5);
}

}  // namespace vtmirror::core
