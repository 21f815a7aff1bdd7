// What SQLite's refusals mean for the catalogue.
#include "catalogue/sqlite_driver.hpp"
#include "vtmirror/base/descriptor.hpp"
#include "vtmirror/core/shortage.hpp"

#include <sqlite3.h>

#include <system_error>

namespace vtmirror::catalogue {
namespace {

base::Error files_refused(const Refusal& refusal, const std::string& path) {
  auto detail = path + ": " + std::string(refusal.text);
  if (refusal.system_errno != 0) detail += ": " + std::generic_category().message(refusal.system_errno);
  // On a full disk, SQLite cannot create what lies beside the file.
  return {.code = base::is_full(refusal.system_errno) ? base::Errc::no_space : base::Errc::io,
          .detail = detail,
          .diagnosis = core::lack_of_files(refusal.system_errno)};
}

}  // namespace

base::Error translate(const Refusal& refusal, const std::string& path) {
  switch (refusal.code & 0xff) {
    case SQLITE_FULL:
      return {.code = base::Errc::no_space, .detail = path + ": " + std::string(refusal.text)};
    case SQLITE_CANTOPEN:
    case SQLITE_IOERR:
    case SQLITE_NOMEM:
    case SQLITE_PERM:
    case SQLITE_PROTOCOL:  // the locks of the shared memory, whose file could not be made or locked
    case SQLITE_READONLY:
      return files_refused(refusal, path);
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return damage(path, refusal.text);
    case SQLITE_BUSY:
      return {.code = base::Errc::catalogue_busy, .detail = path + ": " + std::string(refusal.text)};
    default:
      return {.code = base::Errc::catalogue, .detail = path + ": " + std::string(refusal.text)};
  }
}

base::Error damage(const std::string& path, std::string_view what) {
  return {.code = base::Errc::catalogue_damaged,
          .detail = path + " is damaged or not a catalogue (" + std::string(what) + ")"};
}

}  // namespace vtmirror::catalogue
