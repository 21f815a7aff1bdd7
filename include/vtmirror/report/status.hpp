// The daemon's status as a value (vtmirror-api(7)), its JSON, written and parsed, and its table. Pure. Never contains a
// secret.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/base/time.hpp"
#include "vtmirror/core/daemon_state.hpp"
#include "vtmirror/core/forecast.hpp"
#include "vtmirror/core/history.hpp"
#include "vtmirror/core/problem.hpp"
#include "vtmirror/ports/journal.hpp"
#include "vtmirror/report/days.hpp"
#include "vtmirror/report/verification.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::report {

struct ProblemStatus {
  std::string code;  ///< the name of a `ProblemCode`, perhaps one that only a newer daemon knows
  base::Time since{};
  std::string message;   ///< its sentence
  std::string advice{};  ///< what to do about it; empty from an older daemon
  core::Severity severity = core::Severity::warning;
  std::string subject{};                 ///< the file, day, setting or channel; empty: null
  std::optional<base::Time> next_try{};  ///< empty: not known, or nothing is tried
  friend bool operator==(const ProblemStatus&, const ProblemStatus&) = default;
};

/// A consumer, and how far it is.
struct ConsumerStatus {
  std::string name;
  base::Time created{};
  base::Time asked{};          ///< when it asked last
  std::string acknowledged{};  ///< its last ticket; empty before the first
  std::optional<base::Time> acknowledged_at{};
  std::optional<base::Date> through{};       ///< the date of the last file that it has loaded
  std::optional<base::Time> behind_since{};  ///< when the first file came that it has not loaded; empty: none
  std::int64_t files = 0;                    ///< that it has to load
  std::int64_t bytes = 0;                    ///< of these files, as they are on disk
  std::string ticket{};                      ///< of the answer that it has not acknowledged; empty if there is none
  std::optional<base::Time> offered_at{};    ///< when that answer was given
  friend bool operator==(const ConsumerStatus&, const ConsumerStatus&) = default;
};

struct DownloadStatus {
  std::string name;           ///< the listed path
  std::int64_t size = 0;      ///< bytes, as listed
  std::int64_t received = 0;  ///< bytes that are held, including those of earlier attempts
  std::int64_t rate = 0;      ///< bytes a second
  int connections = 0;
  int attempt = 1;
  friend bool operator==(const DownloadStatus&, const DownloadStatus&) = default;
};

struct CycleStatus {
  base::Time started{};
  int files = 0;                            ///< to download in this cycle
  int done = 0;                             ///< of these, published
  std::int64_t bytes = 0;                   ///< of all files to download
  std::int64_t received = 0;                ///< of these, bytes that are held
  std::int64_t rate = 0;                    ///< bytes a second, of all files together
  std::optional<std::chrono::seconds> eta;  ///< time left; empty while no rate is known
  std::vector<DownloadStatus> downloads;    ///< in the plan's order
  int published = 0;                        ///< of the finished files
  std::int64_t fetched = 0;                 ///< bytes downloaded in this cycle
  ports::Step step = ports::Step::downloading;
  std::optional<ports::Asking> asking{};
  friend bool operator==(const CycleStatus&, const CycleStatus&) = default;
};

struct LastCycleStatus {
  base::Time started{};
  base::Time finished{};
  core::Outcome outcome = core::Outcome::failed;
  int files = 0;
  std::int64_t bytes = 0;
  std::string error;  ///< for people; empty: null
  // What of its first failure is decided by. Empty if it is complete or was stopped, and of an older daemon.
  std::optional<base::Errc> code{};  ///< of the error behind it
  /// What the service or the issuer calls it, or the name of what this program found out about it.
  std::string service_code{};
  std::optional<core::ProblemCode> problem{};  ///< the problem that it is
  std::string advice{};                        ///< what to do about it; empty from an older daemon
  friend bool operator==(const LastCycleStatus&, const LastCycleStatus&) = default;
};

struct Status {
  std::string version;
  core::State state = core::State::starting;
  base::Time since{};
  std::optional<base::Time> next_wake;
  std::optional<LastCycleStatus> last_cycle;
  std::optional<CycleStatus> cycle;
  struct Mirror {
    std::string directory;
    std::int64_t files = 0;  ///< published files
    std::int64_t bytes = 0;  ///< of these files
    std::int64_t free = 0;   ///< bytes that are free on the mirror's disk
    /// 0: nothing was published yet. Empty: not known, because the catalogue cannot be read or is being rebuilt.
    std::optional<std::int64_t> generation{};
    std::int64_t quarantined = 0;  ///< files in the quarantine, which `files` does not count
    std::int64_t quarantined_bytes = 0;
    std::optional<core::Outlook> outlook{};  ///< empty: an older daemon, or the disk could not be asked
    friend bool operator==(const Mirror&, const Mirror&) = default;
  } mirror;
  struct ChainStatus {
    bool complete = false;
    std::optional<base::Date> through;
    std::vector<std::string> missing;
    std::vector<base::Date> absent_upstream;
    std::vector<base::Date> unaccounted{};  ///< none from an older daemon
    friend bool operator==(const ChainStatus&, const ChainStatus&) = default;
  } chain;
  core::SecretStatus secret;
  struct ApiKeyStatus {
    std::optional<base::Time> last_used;
    std::optional<base::Time> revoked_after;
    friend bool operator==(const ApiKeyStatus&, const ApiKeyStatus&) = default;
  } api_key;
  std::vector<ConsumerStatus> consumers{};  ///< by name
  std::vector<ProblemStatus> problems;
  std::optional<VerificationStatus> verification{};  ///< that somebody asked for; none from an older daemon
  friend bool operator==(const Status&, const Status&) = default;
};

/// A problem as the status shows it. `next_wake`: when the next cycle starts, which tries again what it can.
ProblemStatus problem_status(const core::Problem& problem, const std::optional<base::Time>& next_wake);

/// The JSON of GET /v1/status, keys in the order of vtmirror-api(7).
std::string status_json(const Status& status);
/// Errors: protocol. Unknown keys are skipped, so that an older client reads a newer daemon.
base::Result<Status> parse_status(std::string_view json);

/// Only the object `last_cycle`, as the event `cycle` carries it. `cycle` is the number that POST /v1/sync returned; 0
/// of a command without a daemon.
std::string last_cycle_json(const LastCycleStatus& cycle, std::int64_t number = 0);
/// Errors: protocol.
base::Result<LastCycleStatus> parse_last_cycle(std::string_view json);

struct TableLook {
  int width = 80;  ///< 0: unlimited
  bool colour = false;
  /// The reader's UTC offset at that instant. Without it, times are shown in UTC and marked so.
  UtcOffset utc_offset{};
  bool utf8 = false;  ///< bars grow by an eighth of a column
};
/// "idle; next wake-up tomorrow 08:03 (in 14h)": the table's first line, without wrapping and colour.
std::string status_headline(const Status& status, base::Time now, const TableLook& look);
/// The same without what is wrong and how far away it is, for the log: "next wake-up tomorrow 08:03".
std::string wake_words(const Status& status, base::Time now, const TableLook& look);
/// The output of `vtmirror status`: what the daemon is doing, what the mirror holds, what is wrong and what to do about
/// it. `now` is for times such as "in 3h" and "2 days ago".
std::string status_table(const Status& status, base::Time now, const TableLook& look);

}  // namespace vtmirror::report
