#include "vtmirror/report/sentence.hpp"

#include "report/and_more.hpp"
#include "report/secret_sentence.hpp"
#include "vtmirror/core/listing.hpp"
#include "vtmirror/core/request.hpp"
#include "vtmirror/report/problem_facts.hpp"

#include <optional>
#include <string>
#include <string_view>

// What a problem is in the few words that a telephone shows of a subject.

namespace vtmirror::report {
namespace {

using core::ProblemCode;

/// "HTTP 404", where the detail also names the request, or a member of the file; empty where it is not known apart.
std::optional<std::string> why_of(const core::Cause& cause) {
  const auto words = core::why(cause);
  return words.empty() ? std::nullopt : std::optional<std::string>(words);
}

std::optional<std::string> of_credentials(const core::Cause& cause) {
  auto words = why_of(cause);
  if (words && is_past_expiry(cause)) *words += "; its expiry date was " + std::string(text(cause, "expires_on"));
  return words;
}

std::optional<std::string> of_request(const core::Cause& cause, const std::string& request) {
  if (core::diagnosis(cause) == base::Diagnosis::clock_differs)
    return "this machine's clock may be wrong (" + request + ": HTTP " + std::to_string(cause.status) + ')';
  auto words = why_of(cause);
  if (words) words->insert(0, request + " failed: ");
  return words;
}

/// The file, then the cause: the store's host and a damaged member's name are long. Version 0.1.0 kept a damage with
/// that name.
std::optional<std::string> of_file(const core::Problem& problem) {
  const auto& cause = problem.cause;
  const auto file = core::short_name(cause.subject);
  const auto status = "HTTP " + std::to_string(cause.status);
  if (problem.code == ProblemCode::quarantined_file && !core::is_deadly(cause))
    return file + " is damaged (" + why_of(cause).value_or(reason(cause)) + ')' + and_more(cause);
  if (cause.status == 0) return std::nullopt;
  if (core::diagnosis(cause) == base::Diagnosis::clock_differs)
    return file + ": this machine's clock may be wrong (the store answered " + status + ')' + and_more(cause);
  return file + ": the store answered " + status + and_more(cause);
}

}  // namespace

std::optional<std::string> headline(const core::Problem& problem) {
  const auto& cause = problem.cause;
  if (facts_of(problem.code).refused == Refused::credential) return of_credentials(cause);
  if (const auto request = core::request_of(text(cause, "request")))
    return of_request(cause, std::string(core::name(*request)));
  const bool of_store = problem.code == ProblemCode::missing_files || problem.code == ProblemCode::quarantined_file;
  if (!of_store || !cause.code || !core::read_name(cause.subject)) return std::nullopt;
  return of_file(problem);
}

}  // namespace vtmirror::report
