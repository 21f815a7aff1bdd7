#include "mirror/failure.hpp"

#include <cerrno>
#include <string>
#include <system_error>

namespace vtmirror::mirror {
namespace {

/// The kernel's message when O_NOFOLLOW meets a symlink would mislead: "Not a directory", "Too many levels".
std::string words(int error) {
  if (error == ELOOP) return "it is a symlink, which is not followed";
  if (error == ENOTDIR) return "a part of the path is a symlink or not a directory";
  if (error == ENXIO) return "it is not a regular file";  // O_NONBLOCK returns this for a FIFO or a socket too
  return std::generic_category().message(error);
}

}  // namespace

base::Error failure(int error, std::string_view object, std::string_view cannot) {
  const bool full = error == ENOSPC || error == EDQUOT;
  std::string subject(object.empty() ? "." : object);
  auto detail = subject + ": cannot " + std::string(cannot) + ": " + words(error);
  base::Error failure{.code = full ? base::Errc::no_space : base::Errc::io, .detail = std::move(detail)};
  failure.subject = std::move(subject);
  return failure;
}

}  // namespace vtmirror::mirror
