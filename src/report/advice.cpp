#include "vtmirror/report/advice.hpp"

#include "vtmirror/core/space.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace vtmirror::report {
namespace {

using base::Errc;

/// What issuer (RFC 6749 5.2) and service call the mistake, and the setting that is wrong then.
struct Known {
  std::string_view service_code;
  std::string_view advice;
};
constexpr std::array known_codes{
    Known{"unauthorized_client", "check credentials.client_id, and the tenant in service.token_url"},
    Known{"invalid_scope", "check service.scope"},
    Known{
        "invalid_client",
        "check credentials.client_id and the client secret; an expired secret needs a support request to the service"},
    Known{"FB-03", "check the API key; a revoked one needs a support request to the service"},
    Known{"NF-02", "check service.base_url and service.listing_path"},
    Known{"RL-01", "the day's allowance of requests is used up; it is renewed tomorrow"},
};

constexpr int not_found = 404;
constexpr int gone = 410;
constexpr int first_server_error = 500;
constexpr int unavailable = 503;

}  // namespace

std::string_view advice(Errc code, std::string_view service_code) noexcept {
  const auto known = std::ranges::find(known_codes, service_code, &Known::service_code);
  if (known != known_codes.end()) return known->advice;
  // A daemon that could not do what it was asked for reports an error of its own.
  return advice(base::errc_of(service_code).value_or(code));
}

std::string_view advice(const core::Cause& cause) noexcept {
  if (!cause.code) return {};
  const bool is_of_store = !cause.subject.empty();
  switch (*cause.code) {
    case Errc::no_space:
      return advice_on_space(cause);
    case Errc::rate_limited:
      if (cause.status == unavailable)
        return is_of_store ? "the store is busy or down: the next cycle tries again; if it continues, ask the service"
                           : "the service is busy or down: try again later; if it continues, ask the service";
      break;
    case Errc::http_status:
      if (is_of_store && cause.status >= first_server_error)
        return "the store answers with an error: the next cycle tries again; if it continues, ask the service";
      break;
    case Errc::link_refused:
      if (cause.status == not_found || cause.status == gone)
        return "the store does not have the file that the service lists: the next cycle tries again; if it continues, "
               "ask the service";
      break;
    default:
      break;
  }
  return advice(*cause.code, core::text(cause, "service_code"));
}

std::string_view advice_on_space(const core::Cause& cause) noexcept {
  if (core::is_due_to_reserve(cause))
    return "make room under mirror.directory, set mirror.keep_cycles, or lower mirror.reserve";
  if (core::number(cause, "needed"))
    return "make room under mirror.directory, or set mirror.keep_cycles; a lower mirror.reserve would not be enough";
  return advice(Errc::no_space);
}

std::string_view advice(Errc code) noexcept {
  switch (code) {
    case Errc::cancelled:
      return "run `vtmirror sync` again: it resumes where it stopped";
    case Errc::timed_out:
    case Errc::unreachable:
      return "check the network, the addresses under [service] and service.proxy, then run it again";
    case Errc::tls:
      return "if the certificate comes from a private authority, set service.ca_file; check this machine's clock";
    case Errc::unauthorised:
    case Errc::forbidden:
      return "check credentials.client_id, the client secret and the API key; an expired secret or a revoked key needs "
             "a support request";
    case Errc::rate_limited:
      return "the service asks for fewer requests: wait some minutes";
    case Errc::link_refused:
      return "check this machine's clock and any proxy between it and the store";
    case Errc::integrity:
      return "`vtmirror sync` downloads it again; if it fails again, report it to the service";
    case Errc::no_space:
      return "make room on that disk";
    case Errc::io:
      return "check the disk, and who may write to mirror.directory";
    case Errc::catalogue:
      return "check mirror.catalogue, and that no newer vtmirror has used it";
    case Errc::catalogue_busy:
      return "another program holds the catalogue's lock, perhaps a backup: end it, or run this again after it";
    case Errc::catalogue_damaged:
      return "`vtmirror run` and `vtmirror sync` move it aside and make a new one from the files on disk";
    case Errc::config:
      // The error's own text says what to do: `vtmirror config check` sees only the file.
      return {};
    case Errc::locked:
      return "wait for it to end, or stop it";
    case Errc::http_status:
    case Errc::protocol:
      return "check the addresses under [service]; if they are right, the service is at fault: try later";
    case Errc::empty_listing:
      return "nothing was changed; if it happens again, ask the service";
    case Errc::changed_upstream:
      return "run `vtmirror sync` again";
  }
  return {};
}

std::string tell(const base::Error& error) {
  auto text = error.detail.empty() ? error.message() : error.detail;
  if (error.code == Errc::locked) text = "the mirror is " + text;
  const auto what_to_do = advice(core::cause_of(error));
  if (!what_to_do.empty()) text += '\n' + std::string(what_to_do);
  std::string lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find('\n', begin), text.size());
    lines += "vtmirror: " + text.substr(begin, end - begin) + '\n';
    begin = end + 1;
  }
  return lines;
}

}  // namespace vtmirror::report
