// The commands, which `run` calls: each takes the arguments, does its work and returns the exit status. Also the
// configuration that they work with, and what is known of a daemon that does not answer them.
#pragma once

#include "cli/arguments.hpp"
#include "vtmirror/base/result.hpp"
#include "vtmirror/report/advice.hpp"
#include "vtmirror/report/status.hpp"
#include "vtmirror/settings/config.hpp"
#include "vtmirror/settings/load.hpp"
#include "vtmirror/wiring/state_owner.hpp"

#include <optional>

namespace vtmirror::cli {

/// The settings that the arguments select, with paths resolved. Every mistake is printed on stderr. Errors: config; io,
/// if the file could not be read and the settings are not at fault.
base::Result<settings::ReadConfig> load_or_report(const Arguments& arguments, const settings::Environment& environment);

/// Root's process becomes the user of the state directory (wiring/state_owner.hpp) and says so on stderr. Empty if the
/// command may continue; otherwise the exit status, with the reason printed. Secret files are read before.
std::optional<ExitStatus> become_owner(const settings::Config& config, wiring::Missing missing = wiring::Missing::made);

/// `vtmirror config init`: asks on the terminal for what no option gives, writes settings and secrets, and tests them.
ExitStatus init_config(const Arguments& arguments, const settings::Environment& environment);

/// Also checks the secret files, as far as this user can read them; with `online`, tests what they say against the
/// service.
ExitStatus check_config(const Arguments& arguments, const settings::Environment& environment);
ExitStatus show_config(const Arguments& arguments, const settings::Environment& environment);

/// `vtmirror changes`: asks the daemon, or reads the catalogue if no daemon answers.
ExitStatus changes(const Arguments& arguments, const settings::Environment& environment);

/// `vtmirror cat`: the contents of a held file, of one member of it, or of the whole chain, on stdout. Needs no lock.
/// `failed` if not all of it was printed, for whatever reason; a closed pipe ends the process by SIGPIPE.
ExitStatus cat(const Arguments& arguments, const settings::Config& config);
// The commands of consumers: each asks the daemon, and works on the catalogue if no daemon answers.

ExitStatus next(const Arguments& arguments, const settings::Environment& environment);
ExitStatus acknowledge(const Arguments& arguments, const settings::Environment& environment);
/// Lists the consumers, or drops the one that the arguments name.
ExitStatus consumers(const Arguments& arguments, const settings::Environment& environment);
/// `done` when the chain is complete through the day; `failed` after the time.
ExitStatus wait(const Arguments& arguments, const settings::Environment& environment);

/// The commands that only read the catalogue: files, coverage, history. They work while another process writes it.
ExitStatus answer(const Arguments& arguments, const settings::Config& config, const settings::Environment& environment);

/// `vtmirror notify test`: sends a test notification to every configured channel and prints one line for each.
/// Needs no daemon and no lock, because it does not open the mirror.
/// `done` if every delivery succeeded, or no channel is configured; `failed` otherwise.
ExitStatus test_channels(const Arguments& arguments, const settings::Config& config,
                         const settings::Environment& environment);

/// `vtmirror run`: the daemon, in the foreground.
ExitStatus run_daemon(const Arguments& arguments, const settings::Config& config,
                      const settings::Environment& environment);

// `vtmirror secret rotate` and `secret set`: change the client secret, with a running daemon or without one.
// Promises that no secret is printed, and that a running daemon is asked to reload.

/// `config` has no mistakes, and its paths are resolved.
ExitStatus rotate_secret(const Arguments& arguments, const settings::Config& config,
                         const settings::Environment& environment);
ExitStatus set_secret(const Arguments& arguments, const settings::Config& config,
                      const settings::Environment& environment);

/// `vtmirror secret status`: which client secret is in use and why, its age and expiry, the warnings sent, and the API
/// key's last use. Never prints any part of a secret.
/// `config` has no mistakes, and its paths are resolved.
ExitStatus secret_status(const Arguments& arguments, const settings::Config& config,
                         const settings::Environment& environment);

/// Who asked which daemon when none answers: from the command line, the environment and the settings files that exist,
/// which may be another user's and need not be readable. `report::advice` says what to do then. `error`: of a request
/// that no daemon answered (`client::is_absent`), or of settings that could not be read.
report::Unanswered unanswered(const base::Error& error, const Arguments& arguments,
                              const settings::Environment& environment, bool is_root);

/// Prints on stderr why the daemon's answer is missing, and what to do about it; returns `no_daemon` if none answers,
/// or else `failed`.
ExitStatus fail_unanswered(const base::Error& error, const Arguments& arguments,
                           const settings::Environment& environment);

// `vtmirror status`: the daemon's status as a table, as JSON, as a monitoring plugin's line, or live.
// Works without a readable settings file.

ExitStatus status(const Arguments& arguments, const settings::Environment& environment);

/// Whether the log of `--watch` gets a line for `now` after one for `before`: for each file, change of state and
/// problem, but not for each megabyte.
bool is_worth_a_line(const report::Status& before, const report::Status& now);

/// `vtmirror verify`: reads held files again, here or by the daemon that holds the mirror.
/// `config` has no mistakes, and its paths are resolved. `failed` if anything is wrong and was not repaired.
ExitStatus verify(const Arguments& arguments, const settings::Config& config, const settings::Environment& environment);

/// `vtmirror adopt DIR`: takes the files of a folder into the mirror. Needs no service and no secret, and no daemon may
/// hold the mirror. `done` if every file with a name of the service is held at the end; `failed` otherwise.
ExitStatus adopt(const Arguments& arguments, const settings::Config& config, const settings::Environment& environment);

/// `vtmirror prune`: removes what the policy no longer keeps, or, with --dry-run, prints it. If a daemon holds the
/// mirror, the daemon does it.
ExitStatus prune(const Arguments& arguments, const settings::Config& config, const settings::Environment& environment);

/// `vtmirror sync`: one cycle now, or, with --dry-run, what it would do.
/// `config` has no mistakes, and its paths are resolved.
ExitStatus sync(const Arguments& arguments, const settings::Config& config, const settings::Environment& environment);

}  // namespace vtmirror::cli
