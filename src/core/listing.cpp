#include "vtmirror/core/listing.hpp"

#include "core/entry.hpp"
#include "core/file_name.hpp"
#include "vtmirror/base/json.hpp"
#include "vtmirror/base/text.hpp"

#include <algorithm>
#include <set>
#include <tuple>

namespace vtmirror::core {
namespace {

namespace json = boost::json;
using base::Errc;
using base::Error;
using base::Result;

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
  Result<void> take(std::string_view name) {
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

/// The name of an entry in messages.
std::string shown_name(const json::value& entry, Kind kind, std::size_t position) {
  const std::string shown = base::printable(base::JsonObject(entry).text("filename"));
  return shown.empty() ? std::string{name(kind)} + "[" + std::to_string(position) + "]" : shown;
}

void read_entries(const json::array& entries, Kind kind, const ListingRules& rules, TakenNames& taken,
                  Listing& listing) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    auto entry = read_entry(entries[i], kind, rules);
    const Result<void> checked = entry ? taken.take(entry->name) : Result<void>{entry.error()};
    if (checked) {
      listing.entries.push_back(*std::move(entry));
    } else {
      listing.refused.push_back({shown_name(entries[i], kind, i), checked.error().detail});
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

}  // namespace vtmirror::core
