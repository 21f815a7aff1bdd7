#include "vtmirror/core/chain_json.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <optional>
#include <vector>

namespace vtmirror::core {
namespace {

namespace json = boost::json;

json::object member_of(const Held& file) {
  json::object member{{"kind", name(file.kind)}, {"name", file.name}, {"date", base::iso8601(file.date)}};
  member["size"] = file.size;
  if (!file.sha256.empty()) member["sha256"] = file.sha256;
  member["since"] = file.since;
  return member;
}

json::object member_of(const Missing& file, const std::string& detail) {
  json::object member{{"kind", name(file.kind)}, {"name", file.name}};
  member["date"] = file.date ? json::value(base::iso8601(*file.date)) : json::value();
  member["reason"] = name(file.reason);
  if (!detail.empty()) member["detail"] = detail;
  return member;
}

json::array dated(const std::vector<base::Date>& dates) {
  json::array days;
  for (const auto& date : dates) days.push_back(json::object{{"date", base::iso8601(date)}});
  return days;
}

json::array days_of(const std::vector<base::Date>& dates) {
  json::array days;
  for (const auto date : dates) days.push_back(json::string(base::iso8601(date)));
  return days;
}

json::value value_of(const std::optional<Continues>& continues) {
  if (!continues) return nullptr;
  const Continues& join = *continues;
  json::object member{{"after", join.after}};
  if (!join.sha256.empty()) member["sha256"] = join.sha256;
  member["generation"] = join.generation;
  member["contiguous"] = join.contiguous;
  member["reason"] = join.reason;
  member["assumes_absent"] = days_of(join.assumes_absent);
  return member;
}

}  // namespace

void put_chain(json::object& object, const Chain& chain, std::span<const std::string> details) {
  json::array files;
  for (const auto& file : chain.files) files.push_back(member_of(file));
  json::array missing;
  for (std::size_t i = 0; i < chain.missing.size(); ++i)
    missing.push_back(member_of(chain.missing[i], i < details.size() ? details[i] : std::string()));
  object["chain"] = std::move(files);
  object["complete"] = chain.complete;
  object["through"] = chain.through ? json::value(base::iso8601(*chain.through)) : json::value();
  object["missing"] = std::move(missing);
  object["absent_upstream"] = dated(chain.absent_upstream);
  object["unaccounted"] = dated(chain.unaccounted);
  object["continues"] = value_of(chain.continues);
}

}  // namespace vtmirror::core
