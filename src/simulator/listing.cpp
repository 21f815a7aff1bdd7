#include "simulator/listing.hpp"

#include "simulator/calendar.hpp"

#include "vtmirror/base/json.hpp"
#include "vtmirror/base/url.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace vtmirror::simulator {
namespace json = boost::json;
namespace {

std::string link_to(const State& state, std::string_view name, base::Time now) {
  base::Url link = base::parse_url(state.addresses.store).value();
  link.target = "/" + std::string(name);
  return link.text() + "?" +
         sign_link(state.link_key, link.authority(), link.target, now, std::chrono::seconds(state.script.link_seconds));
}

void append_extra(json::array& entries, const json::array& extra, const State& state, base::Time now) {
  for (json::value each : extra) {
    const base::JsonObject entry(each);
    const auto name = entry.optional_text("filename");
    if (name && entry.text("downloadUrl") == "@sign") each.get_object()["downloadUrl"] = link_to(state, *name, now);
    entries.push_back(std::move(each));
  }
}

}  // namespace

std::string listing_text(const State& state, base::Time now) {
  if (state.script.listing_raw) return *state.script.listing_raw;
  json::array bulk;
  json::array delta;
  for (const File& file : listed_files(state.script, state.today)) {
    json::object entry;
    entry["filename"] = file.name;
    entry["downloadUrl"] = link_to(state, file.name, now);
    entry["fileSize"] = file.recipe.bytes;
    entry["fileCreatedOn"] = base::iso8601(file.date);
    (file.kind == Kind::bulk ? bulk : delta).push_back(std::move(entry));
  }
  append_extra(bulk, state.script.extra_bulk, state, now);
  append_extra(delta, state.script.extra_delta, state, now);
  json::object listing;
  listing["bulk"] = std::move(bulk);
  listing["delta"] = std::move(delta);
  return json::serialize(listing);
}

}  // namespace vtmirror::simulator
