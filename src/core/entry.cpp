#include "core/entry.hpp"

#include "core/file_name.hpp"
#include "core/link.hpp"
#include "vtmirror/base/json.hpp"

#include <limits>
#include <string_view>

namespace vtmirror::core {
namespace {

using base::Errc;
using base::Error;
using base::JsonObject;
using base::Result;

Error refused(std::string_view field, const std::string& why) {
  return Error{Errc::protocol, std::string{field} + ": " + why};
}

/// A member that could not be read. The entry contains no nested objects, so the path is a member of its own.
Error refused(const base::JsonFault& fault) {
  return refused(fault.path, fault.missing ? "it is missing" : "it is not " + fault.expected);
}

Result<std::string> name_field(const JsonObject& entry, Kind kind) {
  std::string name(entry.text("filename"));
  if (entry.fault()) return refused(*entry.fault());
  auto checked = check_name(name);
  if (checked && !name.ends_with(".zip")) checked = Error{Errc::protocol, "the name does not end in .zip"};
  if (checked) checked = check_kind(name, kind);
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

}  // namespace

Result<Entry> read_entry(const boost::json::value& json, Kind kind, const ListingRules& rules) {
  if (!json.is_object()) return Error{Errc::protocol, "the entry is not an object"};
  const JsonObject entry(json);
  auto name = name_field(entry, kind);
  if (!name) return name.error();
  const auto size = size_field(entry);
  if (!size) return size.error();
  const auto date = date_field(entry, *name);
  if (!date) return date.error();
  auto link = link_field(entry, rules);
  if (!link) return link.error();
  return Entry{kind, *std::move(name), *size, *date, *std::move(link)};
}

}  // namespace vtmirror::core
