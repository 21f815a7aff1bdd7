// Advice for a person in one sentence: about an error, or about a daemon that does not answer. Also an error printed
// as lines. Pure.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/core/problem.hpp"

#include <string>
#include <string_view>

namespace vtmirror::report {

/// Empty if the only remedy is to try again.
std::string_view advice(base::Errc code) noexcept;
/// The same, also by the status's `service_code`, which is more exact: the code of the service or the issuer, or what
/// was found out.
std::string_view advice(base::Errc code, std::string_view service_code) noexcept;

/// Whether something tries again what failed: a running daemon does, and nothing where a command failed by hand.
enum class Again { by_itself, by_hand };

/// The same, by all that is known: the request whose settings may be wrong, the HTTP status, and that the store
/// answered if the subject is a file.
std::string advice(const core::Cause& cause, Again again = Again::by_itself);
/// Whether nothing can be corrected here: the service or the issuer is busy or down, or lists no file.
bool is_to_wait_for(const core::Cause& cause);
/// What helps if there is no room on the disk. Names the reserve only if the file would fit without it.
std::string_view advice_on_space(const core::Cause& cause) noexcept;

/// Of a held file that is damaged or lost, and that no cycle can download.
inline constexpr std::string_view advice_on_unlisted =
    "it is not listed any more and cannot be downloaded again: restore it from a backup";

/// What helps where the place that the setting `key` names cannot be written, on a file system that is mounted
/// read-only or not.
std::string advice_on_unwritable(const std::string& key, bool read_only);

/// `remedy` where no daemon runs: without what a running one does by itself.
std::string remedy_by_hand(const core::Problem& problem);

/// What happened and what to do about it, as lines ("vtmirror: the mirror is held by ...").
std::string error_lines(const base::Error& error);

/// Whose daemon a command asked.
enum class AskedDaemon {
  none,    ///< there are no settings where the command looks for them, or nobody has filled them in
  system,  ///< the machine's service, with the settings in /etc
  own,     ///< an ordinary user's own, with the settings below the home directory
  named,   ///< of a settings file elsewhere, which the user named
  other,   ///< of a socket that the user named: its settings are not known
  unknown  ///< of settings with a mistake that hides which socket they name
};

struct Unanswered {
  AskedDaemon daemon = AskedDaemon::system;
  bool is_root = false;
  bool hangs = false;      ///< something accepts connections there, and sent no answer in time
  std::string settings{};  ///< the file that the user named, or that has the mistake; empty for the default places
  friend bool operator==(const Unanswered&, const Unanswered&) = default;
};

/// What to do when no daemon answers a command, in one sentence: how the daemon in question is started, that it hangs,
/// or that nothing has been set up yet. The caller finds out whose daemon was asked.
std::string advice(const Unanswered& unanswered);

/// "`sudo systemctl reload vtmirror`": what `verb` does to the unit of that daemon. Empty if none runs it, or if it is
/// not known which.
std::string unit_command(const Unanswered& unanswered, const std::string& verb);

}  // namespace vtmirror::report
