#include "vtmirror/report/verification.hpp"

#include "report/answer.hpp"
#include "report/json_value.hpp"
#include "report/request_advice.hpp"
#include "vtmirror/base/json.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/core/cause_json.hpp"
#include "vtmirror/report/cycle_words.hpp"
#include "vtmirror/report/missing.hpp"
#include "vtmirror/report/sentence.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <utility>

namespace vtmirror::report {
namespace {

using core::Verdict;

std::string_view standing(Verdict verdict) {
  switch (verdict) {
    case Verdict::whole:
      return " is whole";
    case Verdict::mended:
      return " is whole again";
    case Verdict::damaged:
      return " is damaged: ";
    case Verdict::lost:
      return " is lost: ";
    case Verdict::unread:
      return " was not read: ";
    case Verdict::gone:
      break;
  }
  return " is no longer published";
}

/// As the sentence and the JSON have it.
std::chrono::seconds seconds_of(const core::VerificationReport& report) {
  return std::chrono::ceil<std::chrono::seconds>(report.took);
}

bool needs_repair(Verdict verdict) { return verdict == Verdict::damaged || verdict == Verdict::lost; }

void add(std::string& text, std::int64_t count, const std::string& one, const std::string& several) {
  if (count == 0) return;
  text += (text.empty() ? "" : ", ") + std::to_string(count) + ' ' + (count == 1 ? one : several);
}

std::int64_t count_of(const core::VerificationReport& report, Verdict verdict) {
  return std::ranges::count_if(report.findings, [verdict](const core::Finding& finding) {
    return finding.verdict == verdict && !finding.repaired;
  });
}

std::string findings_of(const core::VerificationReport& report) {
  std::string text;
  add(text, count_of(report, Verdict::damaged), "is damaged", "are damaged");
  add(text, count_of(report, Verdict::lost), "is lost", "are lost");
  add(text, count_of(report, Verdict::unread), "was not read", "were not read");
  const auto repaired = std::ranges::count_if(report.findings, &core::Finding::repaired);
  add(text, repaired, "was damaged or lost and was downloaded again", "were damaged or lost and were downloaded again");
  add(text, count_of(report, Verdict::mended), "is whole again", "are whole again");
  return text;
}

/// What a person must do comes first, if it keeps a cycle from the download.
std::string outlook(const core::Finding& finding) {
  const auto diagnosis = core::diagnosis(finding.cause);
  const bool barred = diagnosis == base::Diagnosis::obstructed_file || diagnosis == base::Diagnosis::linked_directory;
  const auto first = barred ? std::string(advice_on_diagnosis(diagnosis)) + "; " : std::string();
  if (!finding.listed) return first + std::string(advice_on_unlisted);
  return first + (barred ? "then the next cycle downloads it again" : "the next cycle downloads it again");
}

std::string missing_of(const core::Chain& chain) {
  const auto& first = chain.missing.front();
  const auto more = std::ssize(chain.missing) - 1;
  return core::short_name(first.name) + " is missing (" + std::string(phrase(first.reason)) + ")" +
         (more > 0 ? ", and " + base::counted(more, "more file") : "");
}

}  // namespace

std::string sentence(const core::Finding& finding) {
  auto text = core::short_name(finding.name) + std::string(standing(finding.verdict));
  if (finding.verdict == Verdict::unread) return text + reason(finding.cause);
  if (!needs_repair(finding.verdict)) return text;
  return text + reason(finding.cause) + "; " + outlook(finding);
}

std::string summary(const core::VerificationReport& report) {
  if (report.files == 0)
    return report.left == 0 ? "no file was verified"
                            : "no file was verified; stopped before " + base::counted(report.left, "file");
  auto text = "verified " + base::counted(report.files, "file") + " (" + base::human_size(report.bytes) + ") in " +
              base::human_duration(seconds_of(report)) + ": ";
  const auto found = findings_of(report);
  text += found.empty() ? (report.files == 1 ? "it is whole" : "all are whole") : found;
  if (report.left > 0) text += "; stopped before " + base::counted(report.left, "more file");
  return text;
}

std::string chain_summary(const core::VerificationReport& report) {
  if (!report.chain) return {};
  const auto& chain = *report.chain;
  const auto through = chain.through ? base::day_and_month(*chain.through) : std::string();
  if (chain.complete) return "the chain to load is complete through " + through;
  if (chain.missing.empty()) return chain.files.empty() ? "" : "the chain to load ends on " + through;
  if (chain.files.empty()) return "there is no chain to load: " + missing_of(chain);
  return "the chain to load is not complete and ends on " + through + ": " + missing_of(chain);
}

VerificationStatus verification_status(const ports::CycleProgress& progress) {
  return {.started = progress.started,
          .files = progress.files,
          .done = progress.done,
          .bytes = progress.bytes,
          .read = progress.received};
}

std::string progress_words(const VerificationStatus& verification) {
  return std::to_string(verification.done) + " of " + base::counted(verification.files, "file") + ", " +
         percent_words(verification.read, verification.bytes) + " of " + base::human_size(verification.bytes);
}

std::string verifying_json(std::int64_t number, const ports::CycleProgress& progress) {
  boost::json::object json{
      {"schema", answer_schema},   {"verification", number}, {"started", base::iso8601(progress.started)},
      {"files", progress.files},   {"done", progress.done},  {"bytes", progress.bytes},
      {"read", progress.received}, {"file", nullptr}};
  if (!progress.downloads.empty()) {
    const auto& row = progress.downloads.front();
    json["file"] = boost::json::object{{"name", row.name}, {"size", row.size}, {"read", row.received}};
  }
  return boost::json::serialize(json) + '\n';
}

namespace {

ports::CycleProgress progress_of(const base::JsonObject& json) {
  ports::CycleProgress progress;
  progress.started = json.time("started");
  progress.files = json.count("files");
  progress.done = json.count("done");
  progress.bytes = json.integer("bytes");
  progress.received = json.integer("read");
  if (const auto file = json.optional_object("file")) {
    auto& row = progress.downloads.emplace_back();
    row.name = std::string(file->text("name"));
    row.size = file->integer("size");
    row.received = row.fetched = file->integer("read");
    row.phase = ports::DownloadProgress::Phase::fetching;
    row.connections = 1;  // to the disk
  }
  return progress;
}

}  // namespace

base::Result<ports::CycleProgress> parse_verifying(std::string_view json) {
  return read_answer(json, "the daemon's answer", progress_of);
}

std::int64_t verification_number(std::string_view text) {
  const auto document = base::parse_json_object(text);
  return document ? base::JsonObject(*document).integer("verification") : 0;
}

std::string verification_json(std::int64_t number, const core::VerificationReport& report,
                              const base::Result<void>& ended) {
  boost::json::array findings;
  for (const auto& finding : report.findings)
    findings.push_back(boost::json::object{{"name", finding.name},
                                           {"size", finding.size},
                                           {"state", core::name(finding.verdict)},
                                           {"reason", text_or_null(reason(finding.cause))},
                                           {"cause", core::cause_json(finding.cause)},
                                           {"listed", finding.listed},
                                           {"repaired", finding.repaired}});
  const bool clean = ended.has_value() && core::is_clean(report);
  const boost::json::object json{
      {"schema", answer_schema},
      {"verification", number},
      {"clean", clean},
      {"files", report.files},
      {"left", report.left},
      {"bytes", report.bytes},
      {"seconds", seconds_of(report).count()},
      {"findings", std::move(findings)},
      {"summary", summary(report)},
      {"chain", text_or_null(chain_summary(report))},
      {"error", ended ? boost::json::value() : boost::json::value(ended.error().message())},
      {"cause", ended ? boost::json::value() : core::cause_json(core::whole_cause_of(ended.error()))}};
  return boost::json::serialize(json) + '\n';
}

namespace {

core::Finding finding_of(const base::JsonObject& json) {
  core::Finding finding;
  finding.name = std::string(json.text("name"));
  finding.size = json.integer("size");
  finding.verdict = core::verdict_named(json.text("state")).value_or(Verdict::unread);
  const auto reason = json.optional_text("reason");
  finding.cause = core::cause_in(json).value_or(core::Cause{.detail = std::string(reason.value_or(""))});
  finding.listed = json.flag("listed");
  finding.repaired = json.flag("repaired");
  return finding;
}

VerificationEnd end_of(const base::JsonObject& json) {
  VerificationEnd end;
  end.number = json.integer("verification");
  end.clean = json.flag("clean");
  if (const auto error = json.optional_text("error"))
    end.stopped_by = core::cause_in(json).value_or(core::Cause{.detail = std::string(*error)});
  end.summary = std::string(json.text("summary"));
  end.chain = std::string(json.optional_text("chain").value_or(""));
  end.left = json.count("left");
  for (const auto& finding : json.objects("findings")) end.findings.push_back(finding_of(finding));
  return end;
}

}  // namespace

base::Result<VerificationEnd> parse_verification(std::string_view json) {
  return read_answer(json, "the daemon's answer", end_of);
}

}  // namespace vtmirror::report
