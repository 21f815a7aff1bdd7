// What the mirror remembers: listings, files, unfinished files, cycles, changes. SQLite behind one class.
// Promises that what a call has returned success for survives a power cut (WAL, synchronous=FULL), and that a call is
// one transaction: all of it or nothing. Never holds a secret or a link. Used from one thread at a time.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/base/time.hpp"
#include "vtmirror/core/credential.hpp"
#include "vtmirror/core/files.hpp"
#include "vtmirror/core/health.hpp"
#include "vtmirror/core/history.hpp"
#include "vtmirror/core/notice.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::catalogue {

using core::Change;
using core::ChangeKind;
using core::CredentialRecord;
using core::CycleRecord;
using core::name;
using core::Outcome;
using Partial = core::PartialRecord;
using Quarantined = core::QuarantinedFile;
using core::SecretWarning;
using core::StoredListing;

/// Who is to be told of what.
struct Subscription {
  std::string name;  ///< stable over restarts, and no secret: "mail to ops@fleet.example", "webhook", ...
  std::vector<core::Topic> topics;
};

/// A notice that is still to be told to a channel.
struct Delivery {
  std::string channel;
  core::Notice notice;
  int attempts = 0;   ///< that failed
  base::Time due{};   ///< not before; of a notice that was never tried: when it became true
  std::string error;  ///< why the last attempt failed
};

/// A channel that nobody has set any more, while something waited for it.
struct EndedChannel {
  std::string name;
  std::int64_t deliveries = 0;   ///< that waited
  std::string successor{};       ///< who is told of them instead; empty: nobody
  std::int64_t handed_over = 0;  ///< of them; the rest ended untold
  friend bool operator==(const EndedChannel&, const EndedChannel&) = default;
};

/// What a mirror's directory says of itself, checked: for a catalogue that knows nothing.
struct Restored {
  std::int64_t generation = 0;
  base::Time at{};                      ///< of that generation
  std::vector<core::FileRecord> files;  ///< all that are public
  std::vector<base::Date> absent;       ///< days without a delta upstream
};

enum class Access {
  read_write,  ///< made where it is missing, migrated where it is older
  read_only,   ///< for the commands that only ask; the file must exist and have the program's schema
};

class Catalogue {
 public:
  /// `path` may be ":memory:". Errors: catalogue (newer than the program: says so and by how much; damaged; not
  /// SQLite), io.
  static base::Result<Catalogue> open(const std::string& path, Access access);
  ~Catalogue();
  Catalogue(Catalogue&&) noexcept;
  Catalogue& operator=(Catalogue&&) noexcept;

  base::Result<void> keep_listing(const std::vector<core::Listed>& files, base::Time at);
  base::Result<std::optional<StoredListing>> last_listing() const;

  base::Result<std::vector<core::FileRecord>> files() const;  ///< published now, by kind and date
  /// It was public, and was removed last.
  base::Result<bool> is_let_go(const std::string& name) const;
  base::Result<std::vector<Partial>> partials() const;
  base::Result<std::vector<Quarantined>> quarantined() const;

  /// Begins (or begins again) a partial; durable ranges as given.
  base::Result<void> keep_partial(const Partial& partial);
  /// The watermark: these bytes of `name` are synced to disk, and no others. Errors: catalogue, for a name without a
  /// partial and for bytes beyond its size.
  base::Result<void> keep_durable(const std::string& name, const core::RangeSet& durable);
  base::Result<void> forget_partial(const std::string& name);  ///< ok when there is none

  /// `file` is public from now on: its partial and a quarantine record of that name go, an older version is kept as
  /// superseded, the generation grows by one, and a `published` notice is queued. Returns the new generation.
  base::Result<std::int64_t> publish(const core::FileRecord& file);
  /// `name` is not public any more (pruned, or gone). Returns the new generation; where it was not public, nothing
  /// changes, the generation neither.
  base::Result<std::int64_t> remove(const std::string& name, base::Time at);
  base::Result<void> keep_quarantined(const Quarantined& file);  ///< its partial record goes in the same step

  base::Result<std::int64_t> generation() const;
  /// These files are public since that generation; tells nobody of them. Errors: catalogue, where any file was ever
  /// public here.
  base::Result<void> restore(const Restored& restored);
  /// Oldest first. A file that replaced another makes two changes of one generation: `superseded`, then `published`.
  base::Result<std::vector<Change>> changes_since(std::int64_t generation) const;

  base::Result<std::int64_t> begin_cycle(base::Time started);
  /// Records the end of the begun cycle `id`, and queues what is to be told of it; `finished` must be set, `started`
  /// stays as begun. Errors: catalogue, for a cycle never begun.
  base::Result<void> finish_cycle(const CycleRecord& cycle, const std::vector<core::Notice>& notices = {});
  base::Result<std::vector<CycleRecord>> history(int newest) const;  ///< newest first
  base::Result<std::optional<base::Time>> first_cycle() const;       ///< when the first one began
  base::Result<std::vector<core::Failure>> failures() const;         ///< of the last cycle that told any, or none

  base::Result<std::vector<core::Problem>> problems() const;  ///< by their codes
  /// These are the problems from now on, and no others; queues what is to be told of it.
  base::Result<void> keep_problems(const std::vector<core::Problem>& problems,
                                   const std::vector<core::Notice>& notices = {});

  /// Who is told of what is queued from now on; whoever queues need not know. A notice that nobody wants leaves
  /// nothing. What is still to be told to a channel that is not among them ends here, untold: the return value says how
  /// much. Where one channel of a kind (the name's first word) goes as one comes, it is the same one put right, by
  /// another address or command: that one is told of what waited, as far as it wants to be.
  base::Result<std::vector<EndedChannel>> set_channels(const std::vector<Subscription>& channels);
  /// `queued` is called after each transaction that has queued a notice, on the thread that made the call.
  void on_queued(std::function<void()> queued);
  base::Result<std::vector<Delivery>> deliveries() const;  ///< all that are still to be made, oldest notice first
  base::Result<std::optional<Delivery>> next_delivery(const std::string& channel, core::DeliveryOrder order) const;
  /// The notice `id` was told to `channel`, and goes with its last delivery; where the newest alone counts, older ones
  /// go too. The channel works: whatever else waits for it is due by `at`. Ok when there is no such delivery.
  base::Result<void> keep_delivered(const std::string& channel, const std::string& id, core::DeliveryOrder order,
                                    base::Time at);
  /// Those that failed more than once, and whose oldest notice that was tried is from before `until`; by name.
  base::Result<std::vector<core::FailingChannel>> failing_channels(base::Time until) const;
  /// An attempt failed; the next one is due then. Ok when there is no such delivery.
  base::Result<void> keep_undelivered(const std::string& channel, const std::string& id, base::Time due,
                                      const std::string& error);

  /// When a listing was last answered with both headers accepted (the API key was in use).
  base::Result<void> keep_key_use(base::Time at);
  base::Result<std::optional<base::Time>> last_key_use() const;

  /// Seen from `at` on, unless it is known already.
  base::Result<void> keep_credential(const std::string& fingerprint, base::Time at);
  base::Result<std::optional<CredentialRecord>> credential(const std::string& fingerprint) const;
  /// Refused since `at`, or since an earlier refusal that no acceptance followed. Errors: catalogue, for one unknown.
  base::Result<void> keep_refused(const std::string& fingerprint, base::Time at, const std::string& words);
  base::Result<void> keep_accepted(const std::string& fingerprint);
  base::Result<void> keep_warning(const std::string& fingerprint, const SecretWarning& warning, base::Time at,
                                  const std::vector<core::Notice>& notices = {});
  /// To be called before the request is sent, so that no crash makes two of it. Errors: catalogue, for one unknown.
  base::Result<void> keep_rotation_begun(const std::string& fingerprint, base::Time at);
  base::Result<void> keep_rotation_ended(const std::string& fingerprint, const std::string& words,
                                         const std::vector<core::Notice>& notices = {});
  /// The request was not sent, so that none was begun. Errors: catalogue, for one unknown.
  base::Result<void> keep_rotation_postponed(const std::string& fingerprint, const std::string& words,
                                             const std::vector<core::Notice>& notices = {});

  /// The damage that a call has found in the file, which is to be closed, moved aside and made anew (see rescue.hpp).
  const std::optional<base::Error>& damage() const;

 private:
  struct Body;
  explicit Catalogue(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

/// The schema version that this program writes.
int schema_version() noexcept;

}  // namespace vtmirror::catalogue
