#include "catalogue/sqlite_refusal.hpp"

#include <sqlite3.h>

#include <system_error>

namespace vtmirror::catalogue {
namespace {

base::Error files_refused(const Refusal& refusal, const std::string& path) {
  auto detail = path + ": " + std::string(refusal.text);
  if (refusal.system_errno != 0) detail += ": " + std::generic_category().message(refusal.system_errno);
  return {.code = base::Errc::io, .detail = detail};
}

}  // namespace

base::Error translate(const Refusal& refusal, const std::string& path) {
  switch (refusal.code & 0xff) {
    case SQLITE_FULL:
      return {.code = base::Errc::no_space, .detail = path + ": " + std::string(refusal.text)};
    case SQLITE_CANTOPEN:
    case SQLITE_IOERR:
    case SQLITE_PERM:
    case SQLITE_READONLY:
      return files_refused(refusal, path);
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return damage(path, refusal.text);
    default:
      return {.code = base::Errc::catalogue, .detail = path + ": " + std::string(refusal.text)};
  }
}

base::Error damage(const std::string& path, std::string_view what) {
  return {.code = base::Errc::catalogue_damaged,
          .detail = path + " is damaged or not a catalogue (" + std::string(what) + ")"};
}

}  // namespace vtmirror::catalogue
