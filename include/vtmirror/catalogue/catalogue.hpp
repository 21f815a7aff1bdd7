// The catalogue: everything that the mirror remembers, as roles over one connection. Code that needs one role takes
// that one, by the header that has it: `Downloads` is beside `Files`, and `Problems` beside `Cycles`.
// Promises that a call is one transaction, all or nothing, and that its success survives a power cut. Never holds a
// secret or a link. Used from one thread at a time.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/catalogue/consumers.hpp"
#include "vtmirror/catalogue/credentials.hpp"
#include "vtmirror/catalogue/cycles.hpp"
#include "vtmirror/catalogue/files.hpp"
#include "vtmirror/catalogue/notices.hpp"

#include <memory>
#include <optional>
#include <string>

namespace vtmirror::catalogue {

enum class Access {
  read_write,  ///< created if missing, migrated if older
  read_only,   ///< for commands that only read; the file must exist with the program's schema
};

class Catalogue : public Files,
                  public Downloads,
                  public Cycles,
                  public Problems,
                  public Notices,
                  public Credentials,
                  public Consumers {
 public:
  /// `path` may be ":memory:". Errors: catalogue (newer than the program, with both versions; not SQLite),
  /// catalogue_damaged (found on two fresh connections, and no read failed), io (every connection that was tried
  /// failed).
  static base::Result<Catalogue> open(const std::string& path, Access access);
  /// A private copy of the file, migrated if it is older: the file and what lies beside it are only read. What is
  /// written to the copy ends with it. No other process may write the file meanwhile. Errors: as `open`, naming `path`;
  /// no_space.
  static base::Result<Catalogue> open_copy(const std::string& path);
  ~Catalogue();
  Catalogue(Catalogue&&) noexcept;
  Catalogue& operator=(Catalogue&&) noexcept;

  /// For a process that is to end: from now on, calls wait for another process's lock for a quarter of a second at
  /// most, and then fail as after a longer wait. May be called from any thread.
  void hurry();

  /// The damage that a call found in the file. The caller must close it, move it aside and rebuild it (see rescue.hpp).
  const std::optional<base::Error>& damage() const;
  /// Whether that damage is only that the file has lost its name: another one, or none, is at the path.
  bool is_replaced() const;

 private:
  static base::Result<Catalogue> connect(const std::string& path, Access access);
  explicit Catalogue(std::unique_ptr<Connection> connection);
  std::unique_ptr<Connection> connection_;
};

/// Whether there is no catalogue at that place, for certain, as before the first cycle. One that cannot be looked at is
/// not absent: `Catalogue::open` says why.
bool is_absent(const std::string& path) noexcept;

}  // namespace vtmirror::catalogue
