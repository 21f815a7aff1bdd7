#include "vtmirror/catalogue/rescue.hpp"

#include "vtmirror/base/descriptor.hpp"
#include "vtmirror/base/text.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <string_view>
#include <system_error>

namespace vtmirror::catalogue {
namespace {

constexpr std::string_view mark = ".broken-";
constexpr std::string_view magic{"SQLite format 3\0", 16};
constexpr std::array beside{"-wal", "-shm"};

base::Error refused(const std::string& path, int number) {
  return {.code = base::Errc::io,
          .detail = path + " cannot be moved aside: " + std::generic_category().message(number)};
}

bool exists(const std::string& path) {
  struct stat found {};
  return ::lstat(path.c_str(), &found) == 0;
}

struct Close {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

/// The file's directory: "." if the path does not name one.
std::string parent_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// "20261118T080712Z"
std::string stamp(base::Time now) {
  auto text = base::iso8601(std::chrono::floor<std::chrono::seconds>(now));
  std::erase_if(text, [](char c) { return c == '-' || c == ':'; });
  return text;
}

/// A name that is free, with the names of its -wal and -shm.
std::string free_name(const std::string& path, base::Time now) {
  const auto first = path + std::string(mark) + stamp(now);
  auto name = first;
  const auto is_taken = [](const std::string& each) {
    return exists(each) || std::any_of(beside.begin(), beside.end(), [&](auto end) { return exists(each + end); });
  };
  for (int n = 2; is_taken(name); ++n) name = first + "-" + std::to_string(n);
  return name;
}

/// With a mistake in the configuration, the catalogue's path may name any file.
bool looks_like_ours(const std::string& path) {
  if (path.ends_with(".db") || exists(path + "-wal")) return true;
  const base::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  std::array<char, 16> head{};
  return file.get() >= 0 && ::read(file.get(), head.data(), head.size()) == std::ssize(head) &&
         std::string_view(head.data(), head.size()) == magic;
}

base::Result<void> move_beside(const std::string& path, const std::string& name) {
  for (const auto* end : beside) {
    if (exists(path + end) && ::rename((path + end).c_str(), (name + end).c_str()) != 0)
      return refused(path + end, errno);
  }
  const int error = base::sync_above(path);
  return error == 0 ? base::Result<void>() : refused(path, error);
}

}  // namespace

base::Result<void> may_move_aside(const std::string& path) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) return refused(path, errno);
  if (!S_ISREG(found.st_mode)) return refused(path, S_ISDIR(found.st_mode) ? EISDIR : EINVAL);
  if (!looks_like_ours(path)) {
    return base::Error{
        .code = base::Errc::catalogue,
        .detail = path + " is not a catalogue and was not changed; set another file for mirror.catalogue"};
  }
  return {};
}

/// The database is moved first: only its presence shows that there was a catalogue, and its absence shows that an
/// interrupted move must be finished.
base::Result<std::string> move_aside(const std::string& path, base::Time now) {
  if (auto may = may_move_aside(path); !may) return may.error();
  const auto name = free_name(path, now);
  if (::rename(path.c_str(), name.c_str()) != 0) return refused(path, errno);
  if (auto moved = move_beside(path, name); !moved) return moved.error();
  return name;
}

base::Result<void> finish_move_aside(const std::string& path, base::Time now) {
  const bool left = std::any_of(beside.begin(), beside.end(), [&](auto end) { return exists(path + end); });
  if (exists(path) || !left) return {};
  auto name = moved_aside(path);
  const bool belongs =
      name && std::none_of(beside.begin(), beside.end(), [&](auto end) { return exists(*name + end); });
  return move_beside(path, belongs ? *name : free_name(path, now));
}

std::optional<std::string> moved_aside(const std::string& path) {
  const std::unique_ptr<DIR, Close> directory(::opendir(parent_of(path).c_str()));
  if (directory == nullptr) return std::nullopt;
  const auto prefix = std::string(base::leaf_of(path)) + std::string(mark);
  std::optional<std::string> newest;
  while (const auto* each = ::readdir(directory.get())) {
    const std::string_view name = each->d_name;
    if (!name.starts_with(prefix) || name.ends_with("-wal") || name.ends_with("-shm")) continue;
    auto there = path.substr(0, path.size() - base::leaf_of(path).size()).append(name);
    if (!newest || *newest < there) newest = std::move(there);
  }
  return newest;
}

}  // namespace vtmirror::catalogue
