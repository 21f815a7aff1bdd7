// What to do when no daemon answers a command, in one sentence: how the daemon in question is started, that it hangs,
// or that nothing has been set up yet. Pure: the caller finds out whose daemon was asked.
#pragma once

#include <string>

namespace vtmirror::report {

/// Whose daemon a command asked.
enum class AskedDaemon {
  none,    ///< there are no settings where the command looks for them, or nobody has filled them in
  system,  ///< the machine's service, with the settings in /etc
  own,     ///< an ordinary user's own, with the settings below the home directory
  named,   ///< of a settings file elsewhere, which the user named
  other,   ///< of a socket that the user named: its settings are not known
};

struct Unanswered {
  AskedDaemon daemon = AskedDaemon::system;
  bool is_root = false;
  bool hangs = false;      ///< something accepts connections there, and sent no answer in time
  std::string settings{};  ///< the file that the user named; empty for the default places
  friend bool operator==(const Unanswered&, const Unanswered&) = default;
};

std::string advice(const Unanswered& unanswered);

/// "`sudo systemctl reload vtmirror`": what `verb` does to the unit of that daemon. Empty if none runs it, or if it is
/// not known which.
std::string unit_command(const Unanswered& unanswered, const std::string& verb);

}  // namespace vtmirror::report
