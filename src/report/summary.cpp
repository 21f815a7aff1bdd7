#include "vtmirror/report/summary.hpp"

#include "vtmirror/base/text.hpp"
#include "vtmirror/report/advice.hpp"

#include <chrono>
#include <string_view>

namespace vtmirror::report {

double average_rate(std::int64_t bytes, base::Milliseconds took) noexcept {
  return took.count() <= 0 ? 0 : static_cast<double>(bytes) * 1000 / static_cast<double>(took.count());
}

std::string summary(const core::CycleReport& report) {
  const auto took = base::human_duration(std::chrono::round<std::chrono::seconds>(report.took));
  std::string text(core::name(report.outcome));
  if (report.outcome == core::Outcome::complete && report.files == 0) {
    text += ": nothing new, in " + took;
  } else {
    text += ": " + std::to_string(report.files) + (report.files == 1 ? " file, " : " files, ");
    text += base::human_size(report.bytes) + " in " + took;
  }
  if (report.bytes > 0 && report.took.count() > 0) {
    text += ", " + base::human_size(static_cast<std::int64_t>(average_rate(report.bytes, report.took))) + "/s";
  }
  if (report.refused > 0) text += ", " + std::to_string(report.refused) + " refused";
  const auto reason = core::reason(report);
  if (reason.empty()) return text;
  text += "; " + reason;
  const auto code = code_of(reason);
  const auto what_to_do = code ? advice(*code, reason) : std::string_view();
  return what_to_do.empty() ? text : text + "; " + std::string(what_to_do);
}

}  // namespace vtmirror::report
