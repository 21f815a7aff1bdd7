#include "report/status_fields.hpp"
#include "vtmirror/core/json.hpp"
#include "vtmirror/report/status.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace vtmirror::report {
namespace {

constexpr std::array<std::string_view, 3> cycle_outcomes{"complete", "partial", "failed"};

core::State state_of(Fields& fields) {
  const auto word = fields.text("state");
  for (const auto state : core::all_states) {
    if (core::name(state) == word) return state;
  }
  fields.refuse("state", "a state that this program knows");
  return {};
}

LastCycleStatus last_cycle_of(Fields& fields) {
  LastCycleStatus cycle;
  cycle.started = fields.time("started");
  cycle.finished = fields.time("finished");
  cycle.outcome = fields.text("outcome");
  if (std::find(cycle_outcomes.begin(), cycle_outcomes.end(), cycle.outcome) == cycle_outcomes.end())
    fields.refuse("outcome", "complete, partial or failed");
  cycle.files = fields.count("files");
  cycle.bytes = fields.number("bytes");
  cycle.error = fields.text_or_null("error");
  return cycle;
}

DownloadStatus download_of(Fields& fields) {
  DownloadStatus download;
  download.name = fields.text("name");
  download.size = fields.number("size");
  download.received = fields.number("received");
  download.rate = fields.number("rate");
  download.connections = fields.count("connections");
  download.attempt = fields.count("attempt");
  return download;
}

CycleStatus cycle_of(Fields& fields) {
  CycleStatus cycle;
  cycle.started = fields.time("started");
  cycle.files = fields.count("files");
  cycle.done = fields.count("done");
  cycle.bytes = fields.number("bytes");
  cycle.received = fields.number("received");
  cycle.rate = fields.number("rate");
  if (const auto seconds = fields.number_or_null("eta", 0)) cycle.eta = std::chrono::seconds(*seconds);
  fields.objects("downloads", [&](Fields& download) { cycle.downloads.push_back(download_of(download)); });
  return cycle;
}

Status::Mirror mirror_of(Fields fields) {
  Status::Mirror mirror;
  mirror.directory = fields.text("directory");
  mirror.files = fields.number("files");
  mirror.bytes = fields.number("bytes");
  mirror.free = fields.number("free");
  mirror.generation = fields.number("generation");
  return mirror;
}

Status::ChainStatus chain_status_of(Fields fields) {
  Status::ChainStatus chain;
  chain.complete = fields.flag("complete");
  chain.through = fields.date_or_null("through");
  fields.elements("missing", [&](const boost::json::value& file) {
    if (!file.is_string()) return fields.refuse("missing", "a list of names");
    chain.missing.emplace_back(file.get_string());
  });
  fields.elements("absent_upstream", [&](const boost::json::value& day) {
    const auto date = base::parse_date(day.is_string() ? std::string_view(day.get_string()) : std::string_view());
    if (date.has_error()) return fields.refuse("absent_upstream", "a list of days");
    chain.absent_upstream.push_back(*date);
  });
  return chain;
}

core::SecretStatus secret_of(Fields fields) {
  core::SecretStatus secret;
  secret.expires_on = fields.date_or_null("expires_on");
  secret.estimated = fields.flag("estimated");
  secret.days_left = fields.number_or_null("days_left", std::numeric_limits<std::int64_t>::min());
  fields.elements("warned", [&](const boost::json::value& days) {
    const bool fits =
        days.is_int64() && days.get_int64() >= 0 && days.get_int64() <= std::int64_t{std::numeric_limits<int>::max()};
    if (!fits) return fields.refuse("warned", "a list of days before the expiry");
    secret.warned.push_back(static_cast<int>(days.get_int64()));
  });
  return secret;
}

Status::ApiKeyStatus api_key_of(Fields fields) {
  Status::ApiKeyStatus key;
  key.last_used = fields.time_or_null("last_used");
  key.revoked_after = fields.time_or_null("revoked_after");
  return key;
}

Status status_of(Fields& fields) {
  Status status;
  status.version = fields.text("version");
  status.state = state_of(fields);
  status.since = fields.time("since");
  status.next_wake = fields.time_or_null("next_wake");
  if (auto last = fields.object_or_null("last_cycle")) status.last_cycle = last_cycle_of(*last);
  if (auto cycle = fields.object_or_null("cycle")) status.cycle = cycle_of(*cycle);
  status.mirror = mirror_of(fields.object("mirror"));
  status.chain = chain_status_of(fields.object("chain"));
  status.secret = secret_of(fields.object("secret"));
  status.api_key = api_key_of(fields.object("api_key"));
  fields.objects("problems", [&](Fields& problem) {
    status.problems.push_back({problem.text("code"), problem.time("since"), problem.text("message")});
  });
  return status;
}

template <class T>
base::Result<T> parse(std::string_view json, T (*read)(Fields&)) {
  const auto value = core::read_json(json);
  if (value.has_error() || !value->is_object())
    return base::Error{base::Errc::protocol, "the daemon's answer is no JSON object"};
  std::optional<base::Error> error;
  Fields fields(&value->get_object(), "", error);
  auto result = read(fields);
  if (error) return *error;
  return result;
}

}  // namespace

base::Result<Status> parse_status(std::string_view json) { return parse(json, &status_of); }

base::Result<LastCycleStatus> parse_last_cycle(std::string_view json) { return parse(json, &last_cycle_of); }

}  // namespace vtmirror::report
