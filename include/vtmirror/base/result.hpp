// The one error type and the one result type of the project.
// An Error names something that the reader can act on; its detail names the object (path, host, offset).
// It never holds a secret, a token or the query of a link.
#pragma once

#include <boost/system/result.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

namespace vtmirror::base {

/// Error classes, by the possible reaction. What follows a failed transfer is decided by `core/retry` alone; other
/// rooms decide where they act on an error.
enum class Errc {
  cancelled = 1,      ///< the program was asked to stop
  timed_out,          ///< a deadline passed, or no byte came within the stall timeout
  unreachable,        ///< name not resolved, connection refused or broken
  tls,                ///< certificate or handshake: wrong host name, untrusted, too old
  http_status,        ///< an answer with a status that has no code of its own
  protocol,           ///< an answer that does not follow its protocol, or is larger than its limit
  unauthorised,       ///< the access token is missing, wrong or expired: a new one may help
  forbidden,          ///< the credentials or the key are refused: a person must act
  rate_limited,       ///< 429 or 503: wait, for `retry_after` if the server sent one
  link_refused,       ///< the store refused the link: a fresh one may help
  empty_listing,      ///< the service lists no file, or no bulk file
  changed_upstream,   ///< the object is not the one whose bytes are held
  integrity,          ///< complete but wrong: size, ZIP directory, a member's checksum
  no_space,           ///< the download would not leave the reserve, or the disk is full
  io,                 ///< an operation on the local file system failed
  catalogue,          ///< SQLite failed, or the catalogue is newer than the program
  catalogue_busy,     ///< another process holds the catalogue's lock for longer than a call waits for it
  catalogue_damaged,  ///< the file is damaged or not a catalogue: it is moved aside and rebuilt
  config,             ///< wrong configuration or usage
  locked,             ///< another process holds the mirror
};

/// The code's name as it stands in this file ("timed_out"), for logs, history and metrics.
std::string_view name(Errc code) noexcept;
/// The code with that name; empty if there is none.
std::optional<Errc> errc_of(std::string_view name) noexcept;

/// What this program found out itself about a failure, beside its code: it decides what can be done about it.
enum class Diagnosis {
  none,
  clock_differs,      ///< this machine's clock and the server's differ, so something new may have looked expired
  unknown_authority,  ///< why a certificate was refused: nobody who is trusted signed it,
  other_host,         ///< it is of another host,
  outside_its_time,   ///< or it has expired, or is not valid yet
  web_page,           ///< a page for people came instead of an answer for programs: from a proxy, or a login page
  proxy_failed,       ///< the proxy on the way there cannot be reached, or made no connection
  proxy_login,        ///< it wants a login first
  other_version,      ///< the store has another version of the file than the one that was planned
  died_in_checks,     ///< the process died in so many checks of this file that none may begin
  open_files,  ///< this process has as many open files as it may have: a limit, and nothing about disk or network
  open_files_of_machine,  ///< this machine has
  linked_directory,       ///< a directory inside the mirror was replaced by a symlink, and none is followed there
  not_as_published,       ///< a public file is gone or has another size, and no reading has recorded it yet
  obstructed_file,        ///< a directory is in the place of a public file, or a file in that of a directory above it
};

/// The diagnosis's name as it stands in this file ("web_page"); "none" for none. It is kept in the catalogue.
std::string_view name(Diagnosis diagnosis) noexcept;
/// The diagnosis with that name; `none` if there is none.
Diagnosis diagnosis_of(std::string_view name) noexcept;

/// Why a file does not fit on the disk, in bytes.
struct Shortage {
  std::int64_t needed = 0;   ///< that are not allocated for it yet
  std::int64_t free = 0;     ///< beside the reserve; negative if the reserve itself is in use
  std::int64_t reserve = 0;  ///< that must stay free
  friend bool operator==(const Shortage&, const Shortage&) = default;
};

struct Error {
  Errc code{};
  std::string detail{};
  int status = 0;                                     ///< HTTP status if there was one, else 0
  std::optional<std::chrono::seconds> retry_after{};  ///< the wait that the server asked for
  std::string service_code{};  ///< the service's or the token issuer's own: "FB-03", "invalid_client"; may be empty
  /// What the detail is about, if something is decided by it: a path as the caller gave it, or the program that holds a
  /// lock. Otherwise empty.
  std::string subject{};
  /// Where the detail names what failed, only why it did: "HTTP 404" of "token request to login.example failed: HTTP
  /// 404". Otherwise empty.
  std::string why{};
  Diagnosis diagnosis = Diagnosis::none;
  std::optional<Shortage> shortage{};  ///< of `no_space`, if a file does not fit; the detail is empty then
  std::optional<Errc> met{};  ///< of a daemon that could not do what it was asked for: the code of what it met, of
                              ///< which the rest is then

  /// "no byte from store.example:443 for 30 s": for people and logs, without the code.
  std::string message() const;

  friend bool operator==(const Error&, const Error&) = default;
};

/// Code and `message()`, for a failed test's output.
std::ostream& operator<<(std::ostream& out, const Error& error);

/// Called by `Result::value()` on an error, which is a bug in the caller.
[[noreturn]] void throw_exception_from_error(const Error& error, const boost::source_location& where);

/// A value or an Error. Must not be discarded.
template <class T>
class [[nodiscard]] Result : public boost::system::result<T, Error> {
 public:
  using boost::system::result<T, Error>::result;
};

template <>
class [[nodiscard]] Result<void> : public boost::system::result<void, Error> {
 public:
  using boost::system::result<void, Error>::result;
};

/// The error, or that there is none. The value is not shown: it may not be printable, and may be secret.
template <class T>
std::ostream& operator<<(std::ostream& out, const Result<T>& result) {
  if (result.has_error()) return out << result.error();
  return out << "ok";
}

}  // namespace vtmirror::base
