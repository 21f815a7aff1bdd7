#include "vtmirror/report/status.hpp"

#include <boost/json.hpp>

namespace vtmirror::report {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

value text(const std::optional<base::Time>& time) { return time ? value(base::iso8601(*time)) : value(nullptr); }
value text(const std::optional<base::Date>& date) { return date ? value(base::iso8601(*date)) : value(nullptr); }
value text_or_null(const std::string& words) { return words.empty() ? value(nullptr) : value(words); }

object object_of(const LastCycleStatus& cycle) {
  return {{"started", base::iso8601(cycle.started)},
          {"finished", base::iso8601(cycle.finished)},
          {"outcome", cycle.outcome},
          {"files", cycle.files},
          {"bytes", cycle.bytes},
          {"error", text_or_null(cycle.error)},
          {"code", cycle.code ? value(base::name(*cycle.code)) : value(nullptr)},
          {"service_code", text_or_null(cycle.service_code)},
          {"problem", cycle.problem ? value(core::name(*cycle.problem)) : value(nullptr)}};
}

object object_of(const DownloadStatus& download) {
  return {{"name", download.name},
          {"size", download.size},
          {"received", download.received},
          {"rate", download.rate},
          {"connections", download.connections},
          {"attempt", download.attempt}};
}

object object_of(const CycleStatus& cycle) {
  object result{{"started", base::iso8601(cycle.started)},
                {"files", cycle.files},
                {"done", cycle.done},
                {"bytes", cycle.bytes},
                {"received", cycle.received},
                {"rate", cycle.rate},
                {"eta", nullptr}};
  if (cycle.eta) result["eta"] = std::int64_t{cycle.eta->count()};
  auto& downloads = result["downloads"].emplace_array();
  for (const auto& download : cycle.downloads) downloads.emplace_back(object_of(download));
  return result;
}

object object_of(const Status::Mirror& mirror) {
  return {{"directory", mirror.directory},
          {"files", mirror.files},
          {"bytes", mirror.bytes},
          {"free", mirror.free},
          {"generation", mirror.generation}};
}

object object_of(const Status::ChainStatus& chain) {
  object result{{"complete", chain.complete}, {"through", text(chain.through)}};
  auto& missing = result["missing"].emplace_array();
  for (const auto& file : chain.missing) missing.emplace_back(file);
  auto& absent = result["absent_upstream"].emplace_array();
  for (const auto& day : chain.absent_upstream) absent.emplace_back(base::iso8601(day));
  return result;
}

object object_of(const core::SecretStatus& secret) {
  object result{{"expires_on", text(secret.expires_on)}, {"estimated", secret.estimated}, {"days_left", nullptr}};
  if (secret.days_left) result["days_left"] = *secret.days_left;
  auto& warned = result["warned"].emplace_array();
  for (const int days : secret.warned) warned.emplace_back(days);
  return result;
}

array array_of(const std::vector<ProblemStatus>& problems) {
  array result;
  for (const auto& problem : problems) {
    result.emplace_back(
        object{{"code", problem.code}, {"since", base::iso8601(problem.since)}, {"message", problem.message}});
  }
  return result;
}

}  // namespace

std::string status_json(const Status& status) {
  object result{{"version", status.version},
                {"state", core::name(status.state)},
                {"since", base::iso8601(status.since)},
                {"next_wake", text(status.next_wake)},
                {"last_cycle", nullptr},
                {"cycle", nullptr}};
  if (status.last_cycle) result["last_cycle"] = object_of(*status.last_cycle);
  if (status.cycle) result["cycle"] = object_of(*status.cycle);
  result["mirror"] = object_of(status.mirror);
  result["chain"] = object_of(status.chain);
  result["secret"] = object_of(status.secret);
  result["api_key"] = {{"last_used", text(status.api_key.last_used)},
                       {"revoked_after", text(status.api_key.revoked_after)}};
  result["problems"] = array_of(status.problems);
  return boost::json::serialize(result);
}

std::string last_cycle_json(const LastCycleStatus& cycle, std::int64_t number) {
  auto json = object_of(cycle);
  if (number > 0) json["cycle"] = number;
  return boost::json::serialize(json);
}

}  // namespace vtmirror::report
