#include "vtmirror/core/listing.hpp"

#include "core/entry.hpp"
#include "vtmirror/base/encoding.hpp"
#include "vtmirror/base/json.hpp"
#include "vtmirror/base/result.hpp"
#include "vtmirror/base/text.hpp"

#include <boost/json/value.hpp>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>

namespace vtmirror::core {
namespace {

namespace json = boost::json;
using base::Errc;
using base::Error;
using base::Result;

using base::JsonObject;

using std::chrono::seconds;

constexpr seconds usual_lifetime{300};             // vtmirror-service(7) 8
constexpr std::int64_t longest_expires = 604'800;  // a week, the longest lifetime that a store signs

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
  /// Recorded, if no other name is equal to it, below it or above it; otherwise returns what is in the way.
  std::optional<Refused> add(std::string_view name) {
    const std::string lowered = base::lower(name);
    if (files_.contains(lowered)) return taken("the same name is listed twice");
    if (directories_.contains(lowered)) return taken("another entry's directory has this name");
    const auto above = directories_of(lowered);
    for (const std::string& directory : above)
      if (files_.contains(directory)) return taken("one of its directories is another entry's file");
    directories_.insert(above.begin(), above.end());
    files_.insert(lowered);
    return std::nullopt;
  }

 private:
  static Refused taken(const std::string& words) { return {{EntryCheck::unique, "filename"}, "filename: " + words}; }
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
    auto read = read_entry(entries[i], kind, rules);
    if (auto* const entry = std::get_if<Entry>(&read)) {
      auto refused = taken.add(entry->name);
      if (!refused) {
        listing.entries.push_back(std::move(*entry));
        continue;
      }
      read = *std::move(refused);
    }
    const auto& refused = std::get<Refused>(read);
    const auto day = day_of(entries[i]);
    listing.refused.push_back(
        {kind, name_of_refused(entries[i], kind, i, day, rules), masked(refused.words, rules), day, refused.failed});
  }
}

/// `newest`, or a later day that days without a gap lead to. If all entries are later, the clock is wrong: they count
/// if no other clock has confirmed it, or if they begin as a listing does, with a bulk file and its day's delta.
base::Date last_of_the_run(const Listing& listing, base::Date newest, bool is_confirmed) {
  std::set<base::Date> days;
  for (const Entry& entry : listing.entries) days.insert(entry.date);
  auto at = days.upper_bound(newest);
  if (at == days.end()) return newest;
  if (at == days.begin()) {
    const auto has = [&listing, day = *at](Kind kind) {
      return std::ranges::any_of(listing.entries,
                                 [=](const Entry& entry) { return entry.kind == kind && entry.date == day; });
    };
    if (is_confirmed && !(has(Kind::bulk) && has(Kind::delta))) return newest;
    newest = *at++;
  }
  for (; at != days.end() && base::days_between(*std::prev(at), *at) == 1; ++at) newest = *at;
  return newest;
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

Listing without_links(Listing listing) {
  for (Entry& entry : listing.entries) entry.link = {};
  return listing;
}

base::Date newest_day(base::Time now) { return std::chrono::floor<std::chrono::days>(now) + std::chrono::days(1); }

std::string still_to_come(base::Date day) { return "its day, " + base::iso8601(day) + ", is still to come"; }

void refuse_days_to_come(Listing& listing, base::Time now, std::optional<base::Time> server_now) {
  const auto newest =
      last_of_the_run(listing, newest_day(std::max(now, server_now.value_or(now))), server_now.has_value());
  listing.newest = newest;
  const auto is_later = [newest](const auto& entry) { return entry.date > newest; };
  for (const Entry& entry : listing.entries)
    if (is_later(entry)) listing.refused.push_back({entry.kind, entry.name, {}, entry.date});
  std::erase_if(listing.entries, is_later);
  for (RefusedEntry& entry : listing.refused) {
    if (!entry.date || *entry.date <= newest) continue;
    entry.failed = {EntryCheck::to_come, "fileCreatedOn"};
    entry.why = still_to_come(*entry.date);
  }
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
