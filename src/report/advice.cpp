#include "vtmirror/report/advice.hpp"

#include "report/request_advice.hpp"
#include "vtmirror/core/listing.hpp"
#include "vtmirror/core/request.hpp"
#include "vtmirror/core/space.hpp"
#include "vtmirror/report/sentence.hpp"

#include <algorithm>
#include <cstddef>

namespace vtmirror::report {
namespace {

using base::Errc;

constexpr int not_found = 404;
constexpr int gone = 410;
constexpr int first_server_error = 500;
constexpr int unavailable = 503;

/// A bulk file is downloaded again once a day, unless somebody asks for it.
std::string advice_on_damage(const core::Cause& cause) {
  const auto file = core::read_name(cause.subject);
  if (core::is_deadly(cause))
    return "see in `journalctl -k` whether the memory was used up; a cycle of the next day downloads and checks it "
           "once more, `vtmirror sync` does so now";
  if (!file) return std::string(advice(Errc::integrity));
  const std::string report =
      "; if it stays damaged, report it to the service with the reason, which is in .vtmirror/quarantine";
  if (file->kind == core::Kind::delta) return "the next cycle downloads it again" + report;
  return "a cycle of the next day downloads it again, `vtmirror sync` does so now" + report;
}

}  // namespace

std::string_view advice(Errc code, std::string_view service_code) noexcept {
  if (const auto known = advice_on_code(service_code); !known.empty()) return known;
  const auto known = advice_on_diagnosis(base::diagnosis_of(service_code));
  return known.empty() ? advice(code) : known;
}

bool is_to_wait_for(const core::Cause& cause) {
  if (cause.code == Errc::empty_listing) return true;
  return core::request_of(core::text(cause, "request")) && core::diagnosis(cause) == base::Diagnosis::none &&
         (cause.code == Errc::rate_limited || (cause.code == Errc::http_status && cause.status >= first_server_error));
}

std::string advice(const core::Cause& cause, Again again) {
  if (!cause.code) return {};
  if (*cause.code == Errc::no_space) return std::string(advice_on_space(cause));
  if (const auto request = core::request_of(core::text(cause, "request")))
    return advice_on_request(cause, *request, again);
  if (const auto known = advice_on_answer(cause); !known.empty()) return std::string(known);
  if (cause.code == Errc::empty_listing && again == Again::by_hand)
    return "run this again later; if the listing stays empty, report it to the service";
  if (cause.subject.empty()) return std::string(advice(*cause.code));
  switch (*cause.code) {
    case Errc::integrity:
      return advice_on_damage(cause);
    case Errc::rate_limited:
      return cause.status == unavailable
                 ? "no action needed: the next cycle tries again; if the store stays busy or down, ask the service"
                 : "no action needed: the next cycle tries again, with fewer connections; if it continues, lower "
                   "download.connections_max";
    case Errc::http_status:
      if (cause.status >= first_server_error)
        return "no action needed: the next cycle tries again; if the store's error stays, report it to the service";
      break;
    case Errc::link_refused:
      if (cause.status == not_found || cause.status == gone)
        return "the store does not have the file that the service lists: the next cycle tries again; if it continues, "
               "report it to the service";
      break;
    case Errc::timed_out:
    case Errc::unreachable:
      return "check this machine's network and service.proxy: the store is another host than the service";
    case Errc::protocol:
      return "check whether a proxy or a login page answers in place of the store; if not, report it to the service";
    default:
      break;
  }
  return std::string(advice(*cause.code));
}

std::string_view advice_on_space(const core::Cause& cause) noexcept {
  if (core::is_due_to_reserve(cause))
    return "make room under mirror.directory, set mirror.keep_cycles, or lower mirror.reserve";
  if (core::number(cause, "needed"))
    return "make room under mirror.directory, or set mirror.keep_cycles; a lower mirror.reserve would not be enough";
  return advice(Errc::no_space);
}

std::string advice_on_unwritable(const std::string& key, bool read_only) {
  return (read_only ? "the file system there is mounted read-only: `dmesg` says why; remount it, or set another "
                    : "give this process's user write access, or set another ") +
         key;
}

std::string_view advice(Errc code) noexcept {
  switch (code) {
    case Errc::cancelled:
      return "run `vtmirror sync` again: it resumes where it stopped";
    case Errc::timed_out:
    case Errc::unreachable:
      return "check this machine's network, the addresses under [service] and service.proxy";
    case Errc::tls:
      return "if the certificate comes from a private authority, set service.ca_file; check this machine's clock";
    case Errc::unauthorised:
    case Errc::forbidden:
      return "check credentials.client_id, the client secret and the API key; an expired secret or a revoked key needs "
             "a support request";
    case Errc::rate_limited:
      return "no action needed: it is tried again after a while; check that nothing else uses the same client ID and "
             "API key so often";
    case Errc::link_refused:
      return "the store refuses links that are new: the next cycle tries again; if it continues, check any proxy "
             "between this machine and the store, and ask the service";
    case Errc::integrity:
      return "the next cycle downloads it again, a bulk file only on the next day; `vtmirror sync` downloads it now; "
             "if it "
             "stays damaged, report it to the service with the reason, which is in .vtmirror/quarantine";
    case Errc::no_space:
      return "make room on that disk: the space of files that mirror.keep_cycles or `vtmirror prune` removes becomes "
             "free after 24 hours, or when consumers.lease ends if `vtmirror next` gave them and nobody acknowledged";
    case Errc::io:
      return "check the disk, whether it is mounted read-only, and who may write to mirror.directory";
    case Errc::catalogue:
      return "check the file that mirror.catalogue names";
    case Errc::catalogue_busy:
      return "another program holds the catalogue's lock, perhaps a backup: end it, or run this again after it";
    case Errc::catalogue_damaged:
      return "`vtmirror run` and `vtmirror sync` move it aside and make a new one from the files on disk, and so do "
             "`verify`, `prune` and `adopt`";
    case Errc::config:
      // The error's own text says what to do: `vtmirror config check` sees only the file.
      return {};
    case Errc::locked:
      return "wait for it to end, or stop it";
    case Errc::http_status:
    case Errc::protocol:
      return "check the addresses under [service]; if they are right, the service is at fault: try later";
    case Errc::empty_listing:
      return "no action needed: the listing is requested again; if it stays empty, report it to the service";
    case Errc::changed_upstream:
      return "run `vtmirror sync` again";
  }
  return {};
}

std::string error_lines(const base::Error& error) {
  auto text = error.detail.empty() ? reason(error, {}) : error.detail;
  if (error.code == Errc::locked) text = "the mirror is " + text;
  auto cause = core::cause_of(error);
  if (error.met) cause.code = error.met;
  const auto what_to_do = advice(cause, Again::by_hand);
  if (!what_to_do.empty()) text += '\n' + std::string(what_to_do);
  std::string lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find('\n', begin), text.size());
    lines += "vtmirror: " + text.substr(begin, end - begin) + '\n';
    begin = end + 1;
  }
  return lines;
}

namespace {

std::string as_root(const Unanswered& unanswered, const std::string& command) {
  return (unanswered.is_root ? "`" : "`sudo ") + command + '`';
}

std::string begin_with_settings(const Unanswered& unanswered) {
  const std::string init = "vtmirror config init";
  if (!unanswered.settings.empty())
    return "there is no settings file " + unanswered.settings + ": make it with `" + init + " --output " +
           unanswered.settings + "`, or give another with --config";
  const std::string begin = "there are no settings yet: begin with `" + init + '`';
  return unanswered.is_root ? begin : begin + ", or for a server with `sudo " + init + '`';
}

std::string start(const Unanswered& unanswered) {
  const std::string with = "start it with ";
  const std::string socket = ", or give its socket with --socket";
  switch (unanswered.daemon) {
    case AskedDaemon::none:
      return begin_with_settings(unanswered);
    case AskedDaemon::system:
      return with + unit_command(unanswered, "start") + socket +
             (unanswered.is_root ? "" : "; for a mirror of your own, begin with `vtmirror config init`");
    case AskedDaemon::own:
      return with + unit_command(unanswered, "start") + ", or in the foreground with `vtmirror run`" + socket;
    case AskedDaemon::named:
      return with + "`vtmirror run --config " + unanswered.settings + '`' + socket;
    case AskedDaemon::unknown:
      return "that is the default socket, because a mistake in " + unanswered.settings +
             " hides the one that it names: see `vtmirror config check --config " + unanswered.settings + '`' + socket;
    case AskedDaemon::other:
      break;
  }
  return "start its daemon, or give another socket with --socket";
}

std::string restart(const Unanswered& unanswered) {
  switch (unanswered.daemon) {
    case AskedDaemon::system:
      return "see " + as_root(unanswered, "journalctl -u vtmirror") + " for what it does, or restart it with " +
             unit_command(unanswered, "restart");
    case AskedDaemon::own:
      return "see `journalctl --user -u vtmirror` for what it does, or restart it with " +
             unit_command(unanswered, "restart");
    case AskedDaemon::none:
    case AskedDaemon::named:
    case AskedDaemon::unknown:
    case AskedDaemon::other:
      break;
  }
  return "see its log for what it does, or end it and start it again";
}

}  // namespace

std::string unit_command(const Unanswered& unanswered, const std::string& verb) {
  if (unanswered.daemon == AskedDaemon::system) return as_root(unanswered, "systemctl " + verb + " vtmirror");
  return unanswered.daemon == AskedDaemon::own ? "`systemctl --user " + verb + " vtmirror`" : std::string();
}

std::string advice(const Unanswered& unanswered) { return unanswered.hangs ? restart(unanswered) : start(unanswered); }

}  // namespace vtmirror::report
