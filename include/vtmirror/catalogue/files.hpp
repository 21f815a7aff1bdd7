// The mirror's files: the last listing, the public files, the quarantine, and every change.
// Promises that a publication removes the partial and the quarantine record of that name, and queues its notice, in the
// same transaction. Never holds a link. Also the unfinished files.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/catalogue/role.hpp"
#include "vtmirror/core/connection_count.hpp"
#include "vtmirror/core/files.hpp"
#include "vtmirror/core/history.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vtmirror::catalogue {

/// What a mirror's directory contains, verified: used to fill an empty catalogue.
struct Restored {
  std::string session{};  ///< empty: consumers must not continue from that generation
  std::int64_t generation = 0;
  base::Time at{};                      ///< of that generation
  std::vector<core::FileRecord> files;  ///< all public files; a `since` of 0 (not known) counts as that generation
  std::vector<base::Date> absent;       ///< days without a delta upstream
  std::string content{};                ///< of that generation; empty if it is not certain
  core::CertainDays certain{};
  std::vector<std::string> older{};  ///< files that are held in an older edition than the newest
};

class Files : Role {
 public:
  explicit Files(Connection& connection) : Role(connection) {}

  /// Records a usable listing: `core::observe` says what becomes known by it. A quarantined file that the listing lacks
  /// has left it now, unless it had left before.
  base::Result<void> keep_listing(const core::Listing& listing, base::Time at);
  /// Empty before the first usable listing. The calendar is of this moment: it includes publications after the listing.
  base::Result<std::optional<core::StoredListing>> last_listing() const;
  /// When the newest usable listing came; empty before the first.
  base::Result<std::optional<base::Time>> listed_at() const;
  /// The same calendar, without the listing's time. Works before the first listing too, because what is held is known.
  base::Result<core::Calendar> calendar() const;
  /// The same, with all days from `since` on. Chains ask for few days, so the others leave older ones out.
  base::Result<core::Calendar> calendar_since(base::Date since) const;
  /// Records that the store has other bytes under that name than the held ones, of the same size and date: an edition
  /// that the listing does not show.
  base::Result<void> keep_changed(const std::string& name);

  base::Result<std::vector<core::FileRecord>> files() const;  ///< published now, by kind and date
  /// What is public under that name; empty if nothing is.
  base::Result<std::optional<core::FileRecord>> file(const std::string& name) const;
  /// Whether a check that began after that instant has not ended: it still runs, or its process died.
  base::Result<bool> has_begun_checks(base::Time since) const;
  /// Files that were removed from the catalogue and may still be on disk, as they were, by name.
  base::Result<std::vector<core::FileRecord>> leaving() const;
  /// Records that removed files are no longer on disk. A file that somebody puts there later is left alone.
  base::Result<void> keep_gone(const std::vector<std::string>& names);
  base::Result<std::vector<core::QuarantinedFile>> quarantined() const;

  /// Records that `file` is public: its partial and a quarantine record of that name are removed, an older version
  /// becomes superseded, the generation grows by one, and a `published` notice is queued. Returns the new generation.
  /// Bytes that come back as they were (same size, date and digest) end the loss of the file, and are no change: the
  /// generation stays. Where `file` has no ETag, the one that these bytes had before is kept.
  base::Result<std::int64_t> publish(const core::FileRecord& file);
  /// Records that these files are no longer public (pruned, or gone), all of them in one generation. Returns it; if
  /// none was public, nothing changes, and neither does the generation.
  base::Result<std::int64_t> remove(const std::vector<std::string>& names, base::Time at);
  /// Records that a leaving file is public again, as it was before it was removed, and queues a `published` notice, as
  /// for each publication that `changes` has. One that was damaged or lost still is, until its bytes are read. Returns
  /// the new generation; if the file is not leaving, nothing changes.
  base::Result<std::int64_t> take_back(const std::string& name, base::Time at);
  /// Also removes the record of its partial. If the process died in its checks, the next download gets one more.
  base::Result<void> keep_quarantined(const core::QuarantinedFile& file);
  base::Result<void> forget_quarantined(const std::string& name);  ///< ok if there is none

  /// Counts a check that is about to begin. Returns how many checks of a file of that name and size have begun before
  /// and never ended: the process died in them. With `core::deadly_checks` of them nothing is counted, because the
  /// check must not begin. One is forgotten `core::deadly_check_rest` after the newest.
  base::Result<int> begin_check(const std::string& name, std::int64_t size, base::Time at);
  base::Result<void> end_check(const std::string& name);  ///< however it ended; ok if none has begun

  /// Records what is known of a public file's bytes. True if that differs from before.
  base::Result<bool> keep_condition(const std::string& name, core::Condition condition);
  /// Records what was found when the version `read` of a public file was read again at `at`: its condition and, unless
  /// it is whole, why. Empty, and nothing is changed, if that version is no longer public; otherwise whether its
  /// condition differs from before.
  base::Result<std::optional<bool>> keep_reading(const core::FileRecord& read, base::Time at, core::Condition found,
                                                 const core::Cause& why = {});
  /// What was found in this way and is still so, by name.
  base::Result<std::vector<core::Damage>> damages() const;
  /// Records that the store is asked for a public file's ETag now.
  base::Result<void> keep_probed(const std::string& name, base::Time at);
  /// Adds the store's ETag to a public file that was recorded without one; ok if there is no such file.
  base::Result<void> keep_etag(const std::string& name, const std::string& etag);
  /// Records the files for which the newest plan had no room, instead of those of the plan before.
  base::Result<void> keep_unfit(const std::vector<core::Unfit>& files);
  base::Result<std::vector<core::Unfit>> unfit() const;

  base::Result<std::int64_t> generation() const;
  /// The session is made with the first call that needs one.
  base::Result<core::Edition> edition();
  /// Records that the manifest will say `content`, which `core::content_of` gives, and returns the edition for it. If
  /// the present generation says something else by `core::is_same_content`, a new one begins, except before the first
  /// publication.
  base::Result<core::Edition> settle(const std::string& content, base::Time at);
  /// Records that the generation is on the shelf, so that its notices may be sent.
  base::Result<void> keep_written(std::int64_t generation);
  /// Fills an empty catalogue with files that are public since that generation. Queues no notice. Errors: catalogue, if
  /// any file was ever public in it.
  base::Result<void> restore(const Restored& restored);
  /// Oldest first. A file that replaced another makes two changes in one generation: `superseded`, then `published`.
  /// One `reset` if that generation is not one of this mirror, or was before a rebuilt catalogue began.
  base::Result<std::vector<core::Change>> changes_since(std::int64_t generation) const;
};

/// The unfinished files and their watermarks: which bytes are certain to be on disk.
/// Promises never to return more bytes as durable than were recorded. Never reads the disk itself.
class Downloads : Role {
 public:
  explicit Downloads(Connection& connection) : Role(connection) {}

  base::Result<std::vector<core::PartialRecord>> partials() const;

  /// Begins a partial, or begins it again, with the given durable ranges.
  base::Result<void> keep_partial(const core::PartialRecord& partial);
  /// The watermark: these bytes of `name` are synced to disk, and no others. Errors: catalogue, for a name without a
  /// partial and for bytes beyond its size.
  base::Result<void> keep_durable(const std::string& name, const core::RangeSet& durable);
  base::Result<void> forget_partial(const std::string& name);  ///< ok if there is none

  /// The number of connections that was found for the store `host`; empty if none was.
  base::Result<std::optional<core::FoundConnections>> found_connections(const std::string& host) const;
  base::Result<void> keep_found_connections(const std::string& host, const core::FoundConnections& found,
                                            base::Time at);
};

}  // namespace vtmirror::catalogue
