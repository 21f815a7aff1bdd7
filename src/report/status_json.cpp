#include "vtmirror/report/status.hpp"

#include "report/answer.hpp"
#include "report/json_value.hpp"
#include "vtmirror/base/json.hpp"
#include "vtmirror/report/forecast.hpp"
#include "vtmirror/report/sentence.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <limits>

namespace vtmirror::report {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

object object_of(const LastCycleStatus& cycle) {
  return {{"started", base::iso8601(cycle.started)},
          {"finished", base::iso8601(cycle.finished)},
          {"outcome", core::name(cycle.outcome)},
          {"files", cycle.files},
          {"bytes", cycle.bytes},
          {"error", text_or_null(cycle.error)},
          {"code", cycle.code ? value(base::name(*cycle.code)) : value(nullptr)},
          {"service_code", text_or_null(cycle.service_code)},
          {"problem", cycle.problem ? value(core::name(*cycle.problem)) : value(nullptr)},
          {"advice", text_or_null(cycle.advice)}};
}

object object_of(const Status::Mirror& mirror) {
  return {{"directory", mirror.directory},
          {"files", mirror.files},
          {"bytes", mirror.bytes},
          {"free", mirror.free},
          {"generation", mirror.generation ? boost::json::value(*mirror.generation) : boost::json::value()},
          {"quarantined", mirror.quarantined},
          {"quarantined_bytes", mirror.quarantined_bytes},
          {"forecast", mirror.outlook ? value(forecast_json(*mirror.outlook)) : value(nullptr)}};
}

object object_of(const Status::ChainStatus& chain) {
  object result{{"complete", chain.complete}, {"through", text_or_null(chain.through)}};
  auto& missing = result["missing"].emplace_array();
  for (const auto& file : chain.missing) missing.emplace_back(file);
  auto& absent = result["absent_upstream"].emplace_array();
  for (const auto& day : chain.absent_upstream) absent.emplace_back(base::iso8601(day));
  auto& unaccounted = result["unaccounted"].emplace_array();
  for (const auto& day : chain.unaccounted) unaccounted.emplace_back(base::iso8601(day));
  return result;
}

object object_of(const core::SecretStatus& secret) {
  object result{
      {"expires_on", text_or_null(secret.expires_on)}, {"estimated", secret.estimated}, {"days_left", nullptr}};
  if (secret.days_left) result["days_left"] = *secret.days_left;
  auto& warned = result["warned"].emplace_array();
  for (const int days : secret.warned) warned.emplace_back(days);
  return result;
}

constexpr std::string_view error_name = "error";
std::string_view severity_name(core::Severity severity) {
  return severity == core::Severity::error ? error_name : "warning";
}

object object_of(const VerificationStatus& verification) {
  return {{"started", base::iso8601(verification.started)},
          {"files", verification.files},
          {"done", verification.done},
          {"bytes", verification.bytes},
          {"read", verification.read}};
}

array array_of(const std::vector<ProblemStatus>& problems) {
  array result;
  for (const auto& problem : problems) {
    result.emplace_back(object{{"code", problem.code},
                               {"severity", severity_name(problem.severity)},
                               {"subject", text_or_null(problem.subject)},
                               {"since", base::iso8601(problem.since)},
                               {"message", problem.message},
                               {"advice", problem.advice},
                               {"next_try", text_or_null(problem.next_try)}});
  }
  return result;
}

}  // namespace

std::string status_json(const Status& status) {
  object result{{"schema", answer_schema},
                {"version", status.version},
                {"state", core::name(status.state)},
                {"since", base::iso8601(status.since)},
                {"next_wake", text_or_null(status.next_wake)},
                {"last_cycle", nullptr},
                {"cycle", nullptr}};
  if (status.last_cycle) result["last_cycle"] = object_of(*status.last_cycle);
  if (status.cycle) result["cycle"] = cycle_object(*status.cycle);
  result["mirror"] = object_of(status.mirror);
  result["chain"] = object_of(status.chain);
  result["secret"] = object_of(status.secret);
  result["api_key"] = {{"last_used", text_or_null(status.api_key.last_used)},
                       {"revoked_after", text_or_null(status.api_key.revoked_after)}};
  auto& consumers = result["consumers"].emplace_array();
  for (const auto& consumer : status.consumers) consumers.emplace_back(object_of(consumer));
  result["problems"] = array_of(status.problems);
  result["verification"] = status.verification ? value(object_of(*status.verification)) : value(nullptr);
  return boost::json::serialize(result);
}

std::string last_cycle_json(const LastCycleStatus& cycle, std::int64_t number) {
  object json{{"schema", answer_schema}};
  for (const auto& member : object_of(cycle)) json.insert(member);
  json["cycle"] = number;
  return boost::json::serialize(json);
}

namespace {

using base::JsonObject;

core::State state_of(const JsonObject& fields) {
  const auto word = fields.text("state");
  for (const auto state : core::all_states) {
    if (core::name(state) == word) return state;
  }
  fields.refuse("state", "a known state");
  return {};
}

LastCycleStatus last_cycle_of(const JsonObject& fields) {
  LastCycleStatus cycle;
  cycle.started = fields.time("started");
  cycle.finished = fields.time("finished");
  const auto outcome = core::outcome_of(fields.text("outcome"));
  if (!outcome) fields.refuse("outcome", "complete, partial or failed");
  cycle.outcome = outcome.value_or(core::Outcome::failed);
  cycle.files = fields.count("files");
  cycle.bytes = fields.integer("bytes");
  cycle.error = fields.optional_text("error").value_or("");
  // An older daemon has none of them, and a newer one may have codes that are not known here.
  cycle.code = base::errc_of(fields.optional_text("code").value_or(""));
  cycle.service_code = fields.optional_text("service_code").value_or("");
  cycle.problem = core::problem_code(fields.optional_text("problem").value_or(""));
  cycle.advice = fields.optional_text("advice").value_or("");
  return cycle;
}

Status::Mirror mirror_of(const JsonObject& fields) {
  Status::Mirror mirror;
  mirror.directory = fields.text("directory");
  mirror.files = fields.integer("files");
  mirror.bytes = fields.integer("bytes");
  mirror.free = fields.integer("free");
  mirror.generation = fields.optional_integer("generation");
  mirror.quarantined = fields.optional_integer("quarantined").value_or(0);  // an older daemon sends neither
  mirror.quarantined_bytes = fields.optional_integer("quarantined_bytes").value_or(0);
  if (const auto forecast = fields.optional_object("forecast")) mirror.outlook = parse_forecast(*forecast);
  return mirror;
}

Status::ChainStatus chain_status_of(const JsonObject& fields) {
  Status::ChainStatus chain;
  chain.complete = fields.flag("complete");
  chain.through = fields.optional_date("through");
  for (const auto name : fields.texts("missing")) chain.missing.emplace_back(name);
  chain.absent_upstream = fields.dates("absent_upstream");
  if (fields.find("unaccounted") != nullptr) chain.unaccounted = fields.dates("unaccounted");
  return chain;
}

core::SecretStatus secret_of(const JsonObject& fields) {
  core::SecretStatus secret;
  secret.expires_on = fields.optional_date("expires_on");
  secret.estimated = fields.flag("estimated");
  secret.days_left = fields.optional_integer("days_left", std::numeric_limits<std::int64_t>::min());
  secret.warned = fields.counts("warned");
  return secret;
}

Status::ApiKeyStatus api_key_of(const JsonObject& fields) {
  Status::ApiKeyStatus key;
  key.last_used = fields.optional_time("last_used");
  key.revoked_after = fields.optional_time("revoked_after");
  return key;
}

VerificationStatus verification_of(const JsonObject& fields) {
  return {.started = fields.time("started"),
          .files = fields.count("files"),
          .done = fields.count("done"),
          .bytes = fields.integer("bytes"),
          .read = fields.integer("read")};
}

Status status_of(const JsonObject& fields) {
  Status status;
  status.version = fields.text("version");
  status.state = state_of(fields);
  status.since = fields.time("since");
  status.next_wake = fields.optional_time("next_wake");
  if (auto last = fields.optional_object("last_cycle")) status.last_cycle = last_cycle_of(*last);
  if (auto cycle = fields.optional_object("cycle")) status.cycle = parse_cycle(*cycle);
  status.mirror = mirror_of(fields.object("mirror"));
  status.chain = chain_status_of(fields.object("chain"));
  status.secret = secret_of(fields.object("secret"));
  status.api_key = api_key_of(fields.object("api_key"));
  if (fields.find("consumers") != nullptr)  // an older daemon sends none
    for (const auto& consumer : fields.objects("consumers")) status.consumers.push_back(consumer_status_of(consumer));
  for (const auto& problem : fields.objects("problems")) {
    auto& read = status.problems.emplace_back();
    read.code = problem.text("code");
    read.since = problem.time("since");
    read.message = problem.text("message");
    read.advice = problem.optional_text("advice").value_or("");
    // An older daemon sends none of these.
    const auto known = problem.optional_text("severity");
    read.severity = !known                 ? severity(read.code)
                    : *known == error_name ? core::Severity::error
                                           : core::Severity::warning;
    read.subject = problem.optional_text("subject").value_or("");
    read.next_try = problem.optional_time("next_try");
  }
  if (const auto verification = fields.optional_object("verification"))
    status.verification = verification_of(*verification);
  return status;
}

}  // namespace

base::Result<Status> parse_status(std::string_view json) {
  return read_answer(json, "the daemon's status", status_of, {.any_bytes = true});
}

base::Result<LastCycleStatus> parse_last_cycle(std::string_view json) {
  return read_answer(json, "the daemon's answer", [](const JsonObject& fields) { return last_cycle_of(fields); },
                     {.any_bytes = true});
}

}  // namespace vtmirror::report
