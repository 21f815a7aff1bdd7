#include "vtmirror/core/hindrance.hpp"

#include <algorithm>
#include <utility>

namespace vtmirror::core {
namespace {

constexpr std::string_view key = "hindrance";
constexpr std::string_view unread = "unread_directory";
constexpr std::string_view in_the_way = "obstructed";
constexpr std::string_view not_removed = "stays";

Cause cause(std::string path, std::string detail, std::string_view which) {
  return {.code = base::Errc::io,
          .subject = std::move(path),
          .detail = std::move(detail),
          .fields = {{std::string(key), std::string(which)}}};
}

}  // namespace

Cause unread_directory(std::string path, std::string detail) {
  return cause(std::move(path), std::move(detail), unread);
}

Cause obstructed(std::string path, std::string detail) { return cause(std::move(path), std::move(detail), in_the_way); }

Cause stays(const base::Error& error, std::string name) {
  auto cause = cause_of(error, std::move(name));
  cause.fields.push_back({std::string(key), std::string(not_removed)});
  return cause;
}

Hindrance hindrance_of(const Cause& cause) noexcept {
  const auto which = text(cause, key);
  if (which == unread) return Hindrance::unread_directory;
  if (which == not_removed) return Hindrance::stays;
  return which == in_the_way ? Hindrance::obstructed : Hindrance::none;
}

bool is_below(std::string_view path, const std::vector<Cause>& directories) noexcept {
  return std::ranges::any_of(directories, [path](const Cause& directory) {
    const auto& top = directory.subject;
    return path.size() > top.size() && path.substr(0, top.size()) == top && path[top.size()] == '/';
  });
}

void add_causes(std::vector<Cause>& causes, const std::vector<Cause>& more) {
  for (const auto& each : more)
    if (std::ranges::find(causes, each.subject, &Cause::subject) == causes.end()) causes.push_back(each);
}

}  // namespace vtmirror::core
