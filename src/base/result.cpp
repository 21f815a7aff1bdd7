#include "vtmirror/base/result.hpp"

#include <algorithm>
#include <stdexcept>

namespace vtmirror::base {

std::string_view name(Errc code) noexcept {
  switch (code) {
    case Errc::cancelled:
      return "cancelled";
    case Errc::timed_out:
      return "timed_out";
    case Errc::unreachable:
      return "unreachable";
    case Errc::tls:
      return "tls";
    case Errc::http_status:
      return "http_status";
    case Errc::protocol:
      return "protocol";
    case Errc::unauthorised:
      return "unauthorised";
    case Errc::forbidden:
      return "forbidden";
    case Errc::rate_limited:
      return "rate_limited";
    case Errc::link_refused:
      return "link_refused";
    case Errc::empty_listing:
      return "empty_listing";
    case Errc::changed_upstream:
      return "changed_upstream";
    case Errc::integrity:
      return "integrity";
    case Errc::no_space:
      return "no_space";
    case Errc::io:
      return "io";
    case Errc::catalogue:
      return "catalogue";
    case Errc::catalogue_busy:
      return "catalogue_busy";
    case Errc::catalogue_damaged:
      return "catalogue_damaged";
    case Errc::config:
      return "config";
    case Errc::locked:
      return "locked";
  }
  return "unknown";
}

std::optional<Errc> errc_of(std::string_view word) noexcept {
  for (int code = static_cast<int>(Errc::cancelled); code <= static_cast<int>(Errc::locked); ++code)
    if (name(static_cast<Errc>(code)) == word) return static_cast<Errc>(code);
  return std::nullopt;
}

std::string_view name(Diagnosis diagnosis) noexcept {
  switch (diagnosis) {
    case Diagnosis::none:
      return "none";
    case Diagnosis::clock_differs:
      return "clock_differs";
    case Diagnosis::unknown_authority:
      return "unknown_authority";
    case Diagnosis::other_host:
      return "other_host";
    case Diagnosis::outside_its_time:
      return "outside_its_time";
    case Diagnosis::web_page:
      return "web_page";
    case Diagnosis::proxy_failed:
      return "proxy_failed";
    case Diagnosis::proxy_login:
      return "proxy_login";
    case Diagnosis::other_version:
      return "other_version";
    case Diagnosis::died_in_checks:
      return "died_in_checks";
    case Diagnosis::open_files:
      return "open_files";
    case Diagnosis::open_files_of_machine:
      return "open_files_of_machine";
    case Diagnosis::linked_directory:
      return "linked_directory";
    case Diagnosis::not_as_published:
      return "not_as_published";
    case Diagnosis::obstructed_file:
      break;
  }
  return "obstructed_file";
}

Diagnosis diagnosis_of(std::string_view word) noexcept {
  for (int number = 1; number <= static_cast<int>(Diagnosis::obstructed_file); ++number)
    if (name(static_cast<Diagnosis>(number)) == word) return static_cast<Diagnosis>(number);
  return Diagnosis::none;
}

std::string Error::message() const {
  if (!detail.empty()) return detail;
  if (status != 0) return "HTTP " + std::to_string(status);
  std::string words{name(code)};
  std::ranges::replace(words, '_', ' ');
  return words;
}

namespace {

/// "timed_out: no byte from ...": for programmers.
std::string coded(const Error& error) {
  const bool has_more = !error.detail.empty() || error.status != 0;
  return std::string(name(error.code)) + (has_more ? ": " + error.message() : "");
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Error& error) { return out << coded(error); }

void throw_exception_from_error(const Error& error, const boost::source_location& where) {
  throw std::logic_error("value() of an error, " + coded(error) + ", at " + where.to_string());
}

}  // namespace vtmirror::base
