#include "simulator/script.hpp"

#include "simulator/fields.hpp"

#include <boost/json/value.hpp>

namespace vtmirror::simulator {
namespace json = boost::json;
namespace {

void read_deflated(Fields& fields, Script& script) {
  std::string word = "some";
  if (fields.find("deflated") == nullptr) return;
  fields.read("deflated", word);
  if (word != "none" && word != "some" && word != "all") fields.refuse("deflated", "\"none\", \"some\" or \"all\"");
  script.deflated = word == "none" ? Deflated::none : word == "all" ? Deflated::all : Deflated::some;
}

void read_array(Fields& fields, std::string_view name, json::array& place) {
  const json::value* value = fields.find(name);
  if (value == nullptr) return;
  if (!value->is_array()) return fields.refuse(name, "an array");
  place = value->get_array();
}

base::Result<void> read_extra(Fields& fields, Script& script) {
  const json::value* value = fields.find("extra_entries");
  if (value == nullptr) return {};
  if (!value->is_object()) return base::Error{base::Errc::config, "\"extra_entries\" must be an object"};
  script.extra_bulk.clear();
  script.extra_delta.clear();
  Fields inner(value->get_object());
  read_array(inner, "bulk", script.extra_bulk);
  read_array(inner, "delta", script.extra_delta);
  return inner.finish();
}

base::Result<void> read_fault_list(Fields& fields, Script& script) {
  json::array list;
  if (fields.find("faults") == nullptr) return {};
  read_array(fields, "faults", list);
  auto faults = read_faults(list);
  if (!faults) return faults.error();
  script.faults = std::move(*faults);
  return {};
}

void read_plain(Fields& fields, Script& script) {
  fields.read("seed", script.seed);
  fields.read("bulk_bytes", script.bulk_bytes);
  fields.read("delta_bytes", script.delta_bytes);
  fields.read("bulk_sparse_bytes", script.bulk_sparse_bytes);
  fields.read("token_seconds", script.token_seconds);
  fields.read("link_seconds", script.link_seconds);
  fields.read("bulk_weekday_offset", script.bulk_weekday_offset);
  fields.read("absent", script.absent);
  fields.read("late", script.late);
  fields.read("republish", script.republish);
  fields.read("sizes", script.sizes);
  fields.read("listing_raw", script.listing_raw);
  fields.read("secret_expired", script.secret_expired);
  fields.read("api_key_revoked", script.api_key_revoked);
  fields.read("credentials_method", script.credentials_method);
  fields.read("credentials_key_property", script.credentials_key_property);
}

}  // namespace

base::Result<Script> merge(Script script, std::string_view text) {
  const auto object = parse_object(text);
  if (!object) return object.error();
  Fields fields(*object);
  read_plain(fields, script);
  read_deflated(fields, script);
  const auto extra = read_extra(fields, script);
  if (!extra) return extra.error();
  const auto faults = read_fault_list(fields, script);
  if (!faults) return faults.error();
  const auto finished = fields.finish();
  if (!finished) return finished.error();
  return script;
}

}  // namespace vtmirror::simulator
