#include "vtmirror/report/missing.hpp"

#include "vtmirror/report/days.hpp"
#include "vtmirror/report/sentence.hpp"

namespace vtmirror::report {

std::string_view phrase(core::MissingReason reason) {
  switch (reason) {
    case core::MissingReason::not_downloaded:
      return "not downloaded yet";
    case core::MissingReason::refused:
      return "its entry in the listing was refused";
    case core::MissingReason::quarantined:
      return "quarantined";
    case core::MissingReason::damaged:
      return "damaged on disk";
    case core::MissingReason::lost:
      return "lost from disk";
    case core::MissingReason::does_not_fit:
      return "no room on the disk";
  }
  return {};
}

std::string detail(const core::Missing& file) {
  // Its reason says all.
  if (file.reason == core::MissingReason::damaged) return {};
  auto cause = file.cause;
  cause.subject = file.name;
  return reason(cause);
}

std::string phrase(const core::Missing& file) {
  const auto more = detail(file);
  return std::string(phrase(file.reason)) + (more.empty() ? "" : ": " + more);
}

std::vector<std::string> lasting_details(const core::Chain& chain) {
  std::vector<std::string> details;
  for (auto file : chain.missing) {
    file.cause = core::lasting_cause(file);
    details.push_back(detail(file));
  }
  return details;
}

std::string unaccounted(const std::vector<base::Date>& days) { return "no listing covered " + days_words(days); }

}  // namespace vtmirror::report
