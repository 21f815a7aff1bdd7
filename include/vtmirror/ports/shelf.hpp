// Where verified files are public: a directory, or a store of objects.
// Promises that a file is public under its listed name only whole, that it changes in one step, and that what a call
// has made public survives a power cut. Every call blocks and may be made from any thread of the pool; two calls for
// one name never run at the same time.
//
// A shelf is made together with the `Partials` whose files it publishes, and finds a file's bytes there by its name.
// What its users do not assume: that publishing is a rename, that it frees the scratch, that it takes no time, or that
// there are directories. A shelf of objects uploads in `stage`, completes the upload in `publish`, and leaves the
// partial to `Partials::clear`; its `write_manifest` replaces two objects and knows no `current`.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/core/chain.hpp"
#include "vtmirror/core/reconcile.hpp"
#include "vtmirror/ports/file_check.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace vtmirror::ports {

/// A partial that has passed its checks, as it is to be public. Size and digest let a shelf of objects ask the store to
/// verify what it receives, and see after a cut that the object is there already.
struct VerifiedFile {
  std::string name;
  std::int64_t size = 0;
  std::string sha256;  ///< empty when no digest was asked for
};

/// What manifest.json says (vtmirror-api(7)).
struct Manifest {
  std::int64_t generation = 0;
  base::Time published_at{};
  core::Chain chain;
};

/// What the shelf's own texts say, as far as they can be read: for a catalogue that has to be made anew.
struct Remains {
  std::int64_t generation = 0;  ///< 0: there never was a manifest here, or nobody can tell
  base::Time published_at{};
  std::vector<core::Held> chain;                          ///< of manifest.json
  std::vector<std::pair<std::string, std::string>> sums;  ///< name and digest, of SHA256SUMS
  std::vector<base::Date> absent_upstream;
};

class Shelf {
 public:
  virtual ~Shelf() = default;

  /// Errors: io, where readers would not see what is published now, because the shelf that was opened is no longer the
  /// one that its address leads to: a directory that was removed, moved or mounted over.
  virtual base::Result<void> in_place() = 0;

  /// The public files with their sizes, sorted by name; what is ours or no listed file's is left out.
  virtual base::Result<std::vector<core::LocalFile>> files() = 0;

  /// Whether a file of that name could be published: asked before its bytes are downloaded. Errors: io, naming what
  /// stands in the way.
  virtual base::Result<void> accepts(const std::string& name) = 0;

  /// All of `publish` that may take long. Nothing is public yet. Called again, after a cut as well, it does what is
  /// left to do. Errors: io, no_space, cancelled.
  virtual base::Result<void> stage(const VerifiedFile& file, const Watch& watch) = 0;

  /// Makes a staged file public in one step, over an older version if there is one. After a cut the file is not public,
  /// and then its partial is still there and both calls may be made again; or it is, and `check` confirms it. They may
  /// be made again in that case too while the partial is there. Errors: io.
  virtual base::Result<void> publish(const VerifiedFile& file) = 0;

  /// Reads a public file from its first byte to its last. Errors: integrity (what and where), io, cancelled.
  virtual base::Result<Checked> check(const std::string& name, std::int64_t size, CheckRules rules,
                                      const Watch& watch) = 0;

  /// Removes a public file; it need not be there. Errors: io.
  virtual base::Result<void> remove(const std::string& name) = 0;

  /// Replaces manifest.json, SHA256SUMS (all of `held`; none is written when no file has a digest, and an older one is
  /// removed) and, where there are directories, `current`: each in one step, in that order, durable. Called after the
  /// files that they name are public and before a file that they no longer name is removed. Errors: io, no_space.
  virtual base::Result<void> write_manifest(const Manifest& manifest, const std::vector<core::Held>& held) = 0;

  /// The generation that these texts belong to; empty where one is missing or does not agree with the others.
  virtual std::optional<std::int64_t> generation() = 0;

  /// Errors: io. What is damaged or was written by others is left out.
  virtual base::Result<Remains> remains() = 0;
};

}  // namespace vtmirror::ports
