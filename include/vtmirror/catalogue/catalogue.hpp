// What the mirror remembers, opened: all of the catalogue's roles over one connection. Who needs one role takes that
// one, by its own header.
// Promises that what a call has returned success for survives a power cut, and that a call is one transaction: all of
// it or nothing. Never holds a secret or a link. Used from one thread at a time.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/catalogue/credentials.hpp"
#include "vtmirror/catalogue/cycles.hpp"
#include "vtmirror/catalogue/files.hpp"
#include "vtmirror/catalogue/notices.hpp"
#include "vtmirror/catalogue/partials.hpp"
#include "vtmirror/catalogue/problems.hpp"

#include <memory>
#include <optional>
#include <string>

namespace vtmirror::catalogue {

using core::Change;
using core::ChangeKind;
using core::CycleRecord;
using core::name;
using core::Outcome;
using Partial = core::PartialRecord;
using Quarantined = core::QuarantinedFile;
using core::StoredListing;

enum class Access {
  read_write,  ///< made where it is missing, migrated where it is older
  read_only,   ///< for the commands that only ask; the file must exist and have the program's schema
};

class Catalogue : public Files, public Partials, public Cycles, public Problems, public Notices, public Credentials {
 public:
  /// `path` may be ":memory:". Errors: catalogue (newer than the program: says so and by how much; not SQLite),
  /// catalogue_damaged, io.
  static base::Result<Catalogue> open(const std::string& path, Access access);
  ~Catalogue();
  Catalogue(Catalogue&&) noexcept;
  Catalogue& operator=(Catalogue&&) noexcept;

  /// The damage that a call has found in the file, which is to be closed, moved aside and made anew (see rescue.hpp).
  const std::optional<base::Error>& damage() const;

 private:
  explicit Catalogue(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> connection_;
};

/// The schema version that this program writes.
int schema_version() noexcept;

}  // namespace vtmirror::catalogue
