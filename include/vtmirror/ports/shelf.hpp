// Where verified files are public: a directory, or a store of objects.
// Promises that a file becomes public under its listed name only when it is complete, that it changes in one step, and
// that what a call has made public survives a power cut. Every call blocks and may be made from any thread of the pool.
// Two calls for one name must not run at the same time.
//
// A shelf is created together with the `Partials` whose files it publishes, and finds a file's bytes there by its name.
// Callers do not assume that publishing is a rename, that it frees the scratch, that it is fast, or that there are
// directories. A shelf of objects uploads in `stage`, completes the upload in `publish`, and leaves the partial to
// `Partials::clear`; its `write_manifest` replaces two objects and has no `current`, and its `hold` copies an object.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/core/chain.hpp"
#include "vtmirror/core/files.hpp"
#include "vtmirror/core/hindrance.hpp"
#include "vtmirror/core/reconcile.hpp"
#include "vtmirror/ports/partials.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace vtmirror::ports {

/// A partial that has passed its checks, ready for publication. With size and digest a shelf of objects can ask the
/// store to verify what it receives, and can see after an interruption that the object already exists.
struct VerifiedFile {
  std::string name;
  std::int64_t size = 0;
  std::string sha256;  ///< empty if no digest was requested
};

/// A size that no file has. `Shelf::hold` keeps nothing of a file with it, and only leads the links away that were made
/// for its bytes: they are lost.
constexpr std::int64_t no_file = -1;

/// The contents of manifest.json (vtmirror-api(7)).
struct Manifest {
  core::Edition edition;
  core::Chain chain;
  /// Why each file of `chain.missing` is missing, in that order, for people; "" if the reason says it all. Another
  /// sentence for the same cause is no other generation.
  std::vector<std::string> details{};
  // The stamps, which are renewed without a new generation. They show a program that reads only this file whether the
  // mirror is still kept up to date. Empty if they are not known.
  std::optional<base::Time> checked_at{};   ///< when the service answered last
  std::optional<base::Time> next_check{};   ///< when it will be asked next
  std::optional<base::Time> stale_after{};  ///< without a newer manifest by then, the mirror is stale
};

/// Where files are that were lent to a consumer.
struct Loan {
  std::vector<std::string> paths;  ///< in the order in which they were asked for
  /// Each has a second name: its bytes stay until `Shelf::withdraw`. If not, some have only their public name, and
  /// another edition may come under it.
  bool is_kept = false;
};

/// What can be read of the shelf's manifest and digests, for rebuilding a catalogue.
struct Remains {
  std::string session;          ///< empty if the manifest names none
  std::int64_t generation = 0;  ///< 0: there never was a manifest here, or it cannot be read
  base::Time published_at{};
  std::vector<core::Held> chain;  ///< of manifest.json, like all that follows but the digests
  std::vector<core::Missing> missing;
  bool complete = false;
  std::vector<std::pair<std::string, std::string>> sums;  ///< name and digest, of SHA256SUMS
  std::vector<base::Date> absent_upstream;                ///< ascending
  std::vector<base::Date> unaccounted;                    ///< ascending
  std::optional<core::Continues> continues;               ///< empty also in a manifest of schema 1
};

class Shelf {
 public:
  virtual ~Shelf() = default;

  /// Errors: io, if readers would not see what is published now, because the directory that was opened is no longer the
  /// one at its path: it was removed, moved or mounted over.
  virtual base::Result<void> in_place() = 0;

  /// The public files with their sizes, sorted by name, without the program's own files and files that no listing could
  /// name. What lies below a directory that cannot be read is left out; `unread` gets a cause for each such directory,
  /// with its path as the subject (`core::unread_directory`). Errors: io, if the shelf itself cannot be read, or the
  /// process lacks descriptors or memory.
  virtual base::Result<std::vector<core::LocalFile>> files(std::vector<core::Cause>& unread) = 0;
  /// For callers that need all of them. Errors: io, also for a directory that cannot be read.
  base::Result<std::vector<core::LocalFile>> files() {
    std::vector<core::Cause> unread;
    auto found = files(unread);
    if (found && !unread.empty())
      return base::Error{.code = base::Errc::io, .detail = unread.front().detail, .subject = unread.front().subject};
    return found;
  }

  /// Whether a file of that name could be published; called before its bytes are downloaded. Errors: io, naming the
  /// obstacle.
  virtual base::Result<void> accepts(const std::string& name) = 0;

  /// The part of `publish` that may take long. Nothing is public yet. If it is called again, also after an
  /// interruption, it does what is left. Errors: io, no_space, cancelled.
  virtual base::Result<void> stage(const VerifiedFile& file, const Watch& watch) = 0;

  /// Makes a staged file public in one step, over an older version if there is one. After an interruption either the
  /// file is not public, its partial still exists, and both calls may be repeated; or it is public, and `check`
  /// confirms it. In that case too they may be repeated while the partial exists. Errors: io.
  virtual base::Result<void> publish(const VerifiedFile& file) = 0;

  /// Keeps the public bytes of a file that manifests promise readable after they lose their name, under their digest,
  /// for readers of those manifests. Called before `publish` replaces them or `remove` removes them; may be repeated.
  /// Keeps nothing if no file of that name and size is public: links that were made for it then lead nowhere. False if
  /// the shelf cannot: its readers lose the bytes at once. Errors: io, no_space.
  virtual base::Result<bool> hold(const VerifiedFile& promised) = 0;

  /// Removes what `hold` has kept, and links that were replaced, `core::held_for` after the first call that found them.
  /// Errors: io, no_space.
  virtual base::Result<void> release(base::Time now) = 0;
  /// The bytes that `release` would free now: of what is held, and has no other name. Changes nothing. Errors: io.
  virtual base::Result<std::int64_t> releasable(base::Time now) = 0;

  /// Where programs read the public file of that name, whether it is there or not.
  virtual std::string path_of(const std::string& name) const { return name; }
  /// Gives these public files second names for a consumer, instead of those that it had: their bytes stay readable
  /// there until `withdraw`, even if the public names are replaced or removed. A file is lent under its public name if
  /// the shelf cannot give it a second one. Errors: io, also for a file that is not public with that size; no_space.
  virtual base::Result<Loan> lend(const std::string& consumer, const std::vector<VerifiedFile>& files) {
    static_cast<void>(consumer);
    Loan loan;
    for (const auto& file : files) loan.paths.push_back(file.name);
    return loan;
  }
  /// What is still lent: the public name of a file that has no second one now. Empty if a file is in neither place with
  /// that size. Errors: io.
  virtual base::Result<std::optional<Loan>> lent(const std::string& consumer, const std::vector<VerifiedFile>& files) {
    auto loan = lend(consumer, files);
    if (!loan) return loan.error();
    return std::optional(std::move(*loan));
  }
  /// Removes what was lent to all consumers but these. Errors: io.
  virtual base::Result<void> withdraw(const std::vector<std::string>& all_but) {
    static_cast<void>(all_but);
    return {};
  }

  /// Reads the whole public file. Errors: integrity (what and where), io, cancelled.
  virtual base::Result<Checked> check(const std::string& name, std::int64_t size, CheckRules rules,
                                      const Watch& watch) = 0;

  /// Removes a public file, if it exists. Errors: io.
  virtual base::Result<void> remove(const std::string& name) = 0;

  /// Replaces manifest.json, SHA256SUMS (all of `held`; without any digest none is written, and an older one is
  /// removed) and, if there are directories, `current`: each in one step, in that order, durable. Called after the
  /// files that they name became public and before a file that they no longer name is removed. Something that is not
  /// the program's and lies in the place of one of them stays, and the others are written all the same; returns a cause
  /// for each such place (`core::obstructed`), none if all are written. Errors: io, no_space.
  virtual base::Result<std::vector<core::Cause>> write_manifest(const Manifest& manifest,
                                                                const std::vector<core::Held>& held) = 0;

  /// The generation of all three; empty if one is missing or they disagree. Errors: io: a text that cannot be read now
  /// is not missing.
  virtual base::Result<std::optional<std::int64_t>> generation() = 0;

  /// Errors: io. Damaged parts, and parts that others wrote, are left out.
  virtual base::Result<Remains> remains() = 0;
};

}  // namespace vtmirror::ports
