// The program's events, each reported once: to the journal, the terminal and the progress display.
// Never contains a secret or the query of a link.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/base/time.hpp"
#include "vtmirror/core/reconcile.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::ports {

enum class Level { debug, info, notice, warning, error };

/// Every kind of event. The names (`name`) are stable: metrics, hooks and the journal's catalogue use them.
enum class EventKind {
  cycle_started,
  listed,           ///< a listing was read
  request_retried,  ///< a request to the API or the token issuer failed and is retried
  entry_refused,    ///< an entry of the listing failed its checks
  planned,
  fetch_started,
  fetch_retried,  ///< a transfer broke and continues; with the reason and what is done
  fetch_failed,   ///< failed for this cycle
  checked,
  quarantined,
  published,
  adopted,
  superseded,
  pruned,
  space_low,
  recovered,  ///< something unfinished was found at start and repaired
  cycle_finished,
  problem_began,  ///< a problem began; it lasts until `problem_over`
  problem_over,
  notice_delivered,        ///< a channel delivered a notice
  notice_delayed,          ///< a channel failed and is retried
  notices_ended,           ///< a channel was removed from the settings; its waiting notices end
  hook_output,             ///< a line that a hook wrote
  secret_warned,           ///< the client secret expires soon
  secret_changed,          ///< another client secret is in use
  secret_rotation_failed,  ///< the daemon requested a new secret and did not get one
  catalogue_busy,          ///< another process holds the catalogue's lock, and what a cycle has to record waits
  damage_found,            ///< a held file was read again and is damaged or lost
  verified,                ///< held files were read again; with what was found
  consumer_forgotten,      ///< a consumer has not asked for `consumers.forget`, and was dropped
  fetch_progress,          ///< how far the download of a file is
  daemon_started,          ///< with its version and what it holds
  daemon_stopped,          ///< with the signal that ended it
  next_wake,               ///< when the next cycle starts; after each cycle and after the start
  settings_read,           ///< at start and on reload; refused settings too
};
inline std::string_view name(EventKind kind) noexcept {
  switch (kind) {
    case EventKind::cycle_started:
      return "cycle_started";
    case EventKind::listed:
      return "listed";
    case EventKind::request_retried:
      return "request_retried";
    case EventKind::entry_refused:
      return "entry_refused";
    case EventKind::planned:
      return "planned";
    case EventKind::fetch_started:
      return "fetch_started";
    case EventKind::fetch_retried:
      return "fetch_retried";
    case EventKind::fetch_failed:
      return "fetch_failed";
    case EventKind::checked:
      return "checked";
    case EventKind::quarantined:
      return "quarantined";
    case EventKind::published:
      return "published";
    case EventKind::adopted:
      return "adopted";
    case EventKind::superseded:
      return "superseded";
    case EventKind::pruned:
      return "pruned";
    case EventKind::space_low:
      return "space_low";
    case EventKind::recovered:
      return "recovered";
    case EventKind::cycle_finished:
      return "cycle_finished";
    case EventKind::problem_began:
      return "problem_began";
    case EventKind::problem_over:
      return "problem_over";
    case EventKind::notice_delivered:
      return "notice_delivered";
    case EventKind::notice_delayed:
      return "notice_delayed";
    case EventKind::notices_ended:
      return "notices_ended";
    case EventKind::hook_output:
      return "hook_output";
    case EventKind::secret_warned:
      return "secret_warned";
    case EventKind::secret_changed:
      return "secret_changed";
    case EventKind::secret_rotation_failed:
      return "secret_rotation_failed";
    case EventKind::catalogue_busy:
      return "catalogue_busy";
    case EventKind::damage_found:
      return "damage_found";
    case EventKind::verified:
      return "verified";
    case EventKind::consumer_forgotten:
      return "consumer_forgotten";
    case EventKind::fetch_progress:
      return "fetch_progress";
    case EventKind::daemon_started:
      return "daemon_started";
    case EventKind::daemon_stopped:
      return "daemon_stopped";
    case EventKind::next_wake:
      return "next_wake";
    case EventKind::settings_read:
      break;
  }
  return "settings_read";
}

struct Field {
  std::string_view key;  ///< "file", "bytes", "reason", ...: VTMIRROR_FILE and so on in the journal
  std::string value;
};

/// `message` is one line for people and complete in itself; `fields` repeat it for programs. They never contain
/// secrets.
struct Event {
  EventKind kind{};
  Level level = Level::info;
  std::string message;
  std::vector<Field> fields{};
};

class Journal {
 public:
  virtual ~Journal() = default;
  /// Called on the loop's thread, or before the loop runs. May block for as long as writing a line takes; a line that
  /// cannot be written is dropped.
  virtual void log(const Event& event) = 0;
};

/// The progress of one file.
struct DownloadProgress {
  std::string name;
  std::int64_t size = 0;
  std::int64_t received = 0;  ///< bytes that are held, including those of earlier attempts
  std::int64_t fetched = 0;   ///< bytes downloaded in this cycle
  int connections = 0;
  int attempt = 1;
  enum class Phase { waiting, fetching, checking, published, failed } phase = Phase::waiting;
};

/// A request for the listing, or for the token that it needs: under way, or in a pause before it is repeated.
struct Asking {
  base::Time since{};                 ///< when the listing was first asked for
  std::optional<base::Time> until{};  ///< when it is asked for again; empty while a request is under way
  std::string reason{};               ///< why there is a pause, for people; empty while a request is under way
  friend bool operator==(const Asking&, const Asking&) = default;
};

/// What a cycle does. Only the last step has files to show.
enum class Step { listing, comparing, downloading };

/// The progress of the running cycle. The agent keeps it up to date on the loop's thread, where displays may read it
/// between two steps.
struct CycleProgress {
  base::Time started{};
  int files = 0;              ///< to download in this cycle
  int done = 0;               ///< of these, published
  std::int64_t bytes = 0;     ///< of all files to download
  std::int64_t received = 0;  ///< of these, bytes that are held, including those of earlier cycles
  /// Of all files to download, in the plan's order. A deque: what a later listing adds leaves the others in place.
  std::deque<DownloadProgress> downloads;
  Step step = Step::downloading;
  std::optional<Asking> asking{};  ///< also while files are downloaded, whose links are renewed by it
};

}  // namespace vtmirror::ports
