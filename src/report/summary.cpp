#include "vtmirror/report/summary.hpp"

#include "vtmirror/base/text.hpp"
#include "vtmirror/report/advice.hpp"
#include "vtmirror/report/sentence.hpp"

#include <chrono>
#include <string_view>

namespace vtmirror::report {
namespace {

std::string done_of(std::string_view outcome, int files, std::int64_t bytes, base::Milliseconds length) {
  const auto took = base::human_duration(std::chrono::round<std::chrono::seconds>(length));
  std::string text(outcome);
  if (outcome == core::name(core::Outcome::complete) && files == 0) {
    text += ": nothing new, in " + took;
  } else {
    text += ": " + std::to_string(files) + (files == 1 ? " file, " : " files, ");
    text += base::human_size(bytes) + " in " + took;
  }
  if (bytes > 0 && length.count() > 0)
    text += ", " + base::human_size(static_cast<std::int64_t>(average_rate(bytes, length))) + "/s";
  return text;
}

std::string next_step(base::Errc code, std::string_view service_code) {
  const auto what_to_do = advice(code, service_code);
  return what_to_do.empty() ? "" : "; " + std::string(what_to_do);
}

}  // namespace

double average_rate(std::int64_t bytes, base::Milliseconds took) noexcept {
  return took.count() <= 0 ? 0 : static_cast<double>(bytes) * 1000 / static_cast<double>(took.count());
}

std::string summary(const core::CycleReport& report) {
  auto text = done_of(core::name(report.outcome), report.files, report.bytes, report.took);
  if (report.refused > 0) text += ", " + std::to_string(report.refused) + " refused";
  const auto failure = core::failure(report);
  if (!failure) return text;
  text += "; " + sentence(*failure);
  // That it stopped is what was asked for.
  if (!failure->cause.code || core::is_stop(*failure)) return text;
  return text + next_step(*failure->cause.code, core::text(failure->cause, "service_code"));
}

std::string summary(const LastCycleStatus& cycle) {
  auto text = done_of(cycle.outcome, cycle.files, cycle.bytes, cycle.finished - cycle.started);
  if (!cycle.error.empty()) text += "; " + cycle.error;
  return cycle.code ? text + next_step(*cycle.code, cycle.service_code) : text;
}

}  // namespace vtmirror::report
