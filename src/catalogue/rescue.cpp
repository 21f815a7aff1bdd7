#include "vtmirror/catalogue/rescue.hpp"

#include "catalogue/engine.hpp"
#include "vtmirror/base/descriptor.hpp"
#include "vtmirror/base/text.hpp"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string_view>
#include <system_error>
#include <vector>

namespace vtmirror::catalogue {
namespace {

constexpr std::string_view mark = ".broken-";

base::Error failed(const std::string& what, int number) {
  return {.code = base::is_full(number) ? base::Errc::no_space : base::Errc::io,
          .detail = what + ": " + std::generic_category().message(number)};
}

base::Error refused(const std::string& path, int number) { return failed(path + " cannot be moved aside", number); }

/// A failure to look is no "not there": what is beside a catalogue would be taken from it. Errors: io.
base::Result<bool> exists(const std::string& path) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) == 0) return true;
  if (errno == ENOENT || errno == ENOTDIR) return false;
  return failed(path, errno);
}

/// How the names of the files beside `path` end that exist. Errors: io.
base::Result<std::vector<std::string>> found_beside(const std::string& path) {
  std::vector<std::string> found;
  for (const auto end : engine_of(path).beside()) {
    const auto there = exists(path + std::string(end));
    if (!there) return there.error();
    if (*there) found.emplace_back(end);
  }
  return found;
}

struct Close {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

/// "20261118T080712Z"
std::string stamp(base::Time now) {
  auto text = base::iso8601(std::chrono::floor<std::chrono::seconds>(now));
  std::erase_if(text, [](char c) { return c == '-' || c == ':'; });
  return text;
}

/// A name that is free, with those of the files beside it. Errors: io.
base::Result<std::string> free_name(const std::string& path, base::Time now) {
  const auto first = path + std::string(mark) + stamp(now);
  auto name = first;
  for (int n = 2;; ++n) {
    const auto taken = exists(name);
    if (!taken) return taken.error();
    const auto others = found_beside(name);
    if (!others) return others.error();
    if (!*taken && others->empty()) return name;
    name = first + "-" + std::to_string(n);
  }
}

/// Guards other programs' files: after a mistake in the settings, the catalogue's path may name any file.
bool looks_like_ours(const std::string& path) { return path.ends_with(".db") || engine_of(path).has_made(path); }

bool is_beside(const std::string& path, std::string_view name) {
  return std::ranges::any_of(engine_of(path).beside(), [name](std::string_view end) { return name.ends_with(end); });
}

base::Result<void> move_beside(const std::string& path, const std::string& name) {
  const auto ends = found_beside(path);
  if (!ends) return ends.error();
  for (const auto& end : *ends)
    if (::rename((path + end).c_str(), (name + end).c_str()) != 0) return refused(path + end, errno);
  const int error = base::sync_above(path);
  return error == 0 ? base::Result<void>() : refused(path, error);
}

}  // namespace

std::vector<std::string> files_of(const std::string& path) {
  std::vector<std::string> files{path};
  for (const auto end : engine_of(path).beside()) files.push_back(path + std::string(end));
  return files;
}

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
  if (!name) return name.error();
  if (::rename(path.c_str(), name->c_str()) != 0) return refused(path, errno);
  if (auto moved = move_beside(path, *name); !moved) return moved.error();
  return *name;
}

base::Result<void> finish_move_aside(const std::string& path, base::Time now) {
  const auto there = exists(path);
  if (!there) return there.error();
  const auto left = found_beside(path);
  if (!left) return left.error();
  if (*there || left->empty()) return {};
  if (const auto name = moved_aside(path)) {
    const auto own = found_beside(*name);
    if (!own) return own.error();
    if (own->empty()) return move_beside(path, *name);
  }
  const auto name = free_name(path, now);
  return name ? move_beside(path, *name) : base::Result<void>(name.error());
}

std::optional<std::string> moved_aside(const std::string& path) {
  const std::unique_ptr<DIR, Close> directory(::opendir(base::directory_of(path).c_str()));
  if (directory == nullptr) return std::nullopt;
  const auto prefix = std::string(base::leaf_of(path)) + std::string(mark);
  std::optional<std::string> newest;
  while (const auto* each = ::readdir(directory.get())) {
    const std::string_view name = each->d_name;
    if (!name.starts_with(prefix) || is_beside(path, name)) continue;
    auto there = path.substr(0, path.size() - base::leaf_of(path).size()).append(name);
    if (!newest || *newest < there) newest = std::move(there);
  }
  return newest;
}

base::Result<std::optional<Salvaged>> salvage(const std::string& path, const std::string& damaged, Era era,
                                              base::Time now) {
  return engine_of(path).salvage(path, damaged, era, now);
}

}  // namespace vtmirror::catalogue
