#include "core/entry.hpp"

#include "core/file_name.hpp"
#include "core/link.hpp"
#include "vtmirror/base/text.hpp"

#include <string_view>

namespace vtmirror::core {
namespace {

namespace json = boost::json;
using base::Errc;
using base::Error;
using base::Result;

Error refused(std::string_view field, const std::string& why) {
  return Error{Errc::protocol, std::string{field} + ": " + why};
}

Result<std::string> text_field(const json::object& entry, std::string_view field) {
  const auto* const value = entry.if_contains({field.data(), field.size()});
  if (!value) return refused(field, "it is missing");
  const auto* const text = value->if_string();
  if (!text) return refused(field, "it is not a text");
  return std::string{text->data(), text->size()};
}

Result<std::string> name_field(const json::object& entry, Kind kind) {
  auto name = text_field(entry, "filename");
  if (!name) return name;
  auto checked = check_name(*name);
  if (checked && !name->ends_with(".zip")) checked = Error{Errc::protocol, "the name does not end in .zip"};
  if (checked) checked = check_kind(*name, kind);
  if (!checked) return refused("filename", checked.error().detail);
  return name;
}

/// Texts, fractions and exponents are refused even where they mean a whole number: a size that is guessed is not
/// believed.
Result<std::int64_t> size_field(const json::object& entry) {
  const auto* const value = entry.if_contains("fileSize");
  if (!value) return refused("fileSize", "it is missing");
  if (value->is_uint64()) return refused("fileSize", std::to_string(value->get_uint64()) + " bytes is absurd");
  const auto* const size = value->if_int64();
  if (!size) return refused("fileSize", "it is not a whole number");
  if (*size < 1) return refused("fileSize", std::to_string(*size) + " bytes is no file");
  if (*size > largest_file) return refused("fileSize", std::to_string(*size) + " bytes is absurd");
  return *size;
}

Result<base::Date> date_field(const json::object& entry, std::string_view name) {
  const auto text = text_field(entry, "fileCreatedOn");
  if (!text) return text.error();
  const auto date = base::parse_date(*text);
  if (!date) return refused("fileCreatedOn", date.error().detail);
  if (const auto agreed = check_dates(name, *date); !agreed) return agreed.error();
  return *date;
}

Result<base::Secret> link_field(const json::object& entry, const ListingRules& rules) {
  auto link = text_field(entry, "downloadUrl");
  if (!link) return link.error();
  base::Secret secret{*std::move(link)};
  if (const auto checked = check_link(secret.reveal(), rules); !checked) {
    return refused("downloadUrl", checked.error().detail);
  }
  return secret;
}

}  // namespace

Result<Entry> read_entry(const json::value& json, Kind kind, const ListingRules& rules) {
  const auto* const object = json.if_object();
  if (!object) return Error{Errc::protocol, "the entry is not an object"};
  auto name = name_field(*object, kind);
  if (!name) return name.error();
  const auto size = size_field(*object);
  if (!size) return size.error();
  const auto date = date_field(*object, *name);
  if (!date) return date.error();
  auto link = link_field(*object, rules);
  if (!link) return link.error();
  return Entry{kind, *std::move(name), *size, *date, *std::move(link)};
}

}  // namespace vtmirror::core
