// What the cases of this room share: a mirror in a directory of its own, bodies whose bytes depend on their position,
// held files.
#pragma once

#include "support/temporary_directory.hpp"
#include "vtmirror/mirror/directory.hpp"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace vtmirror::test {

/// A byte that differs from its neighbours, so that an offset error shows.
inline char byte_at(std::int64_t position) {
  return static_cast<char>((static_cast<std::uint64_t>(position) * 0x9E3779B97F4A7C15ULL) >> 56U);
}
inline std::string body(std::int64_t size) {
  std::string text(static_cast<std::size_t>(size), '\0');
  for (std::int64_t i = 0; i < size; ++i) text[static_cast<std::size_t>(i)] = byte_at(i);
  return text;
}
inline std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

inline const std::string bulk_name = "v1/public/bulk/year=2026/month=11/day=15/bulk-light-vehicle_15-11-2026.zip";
inline const std::string delta_name = "v1/public/delta/year=2026/month=11/day=16/delta-light-vehicle_16-11-2026.zip";

inline base::Date day(int number) {
  using namespace std::chrono;
  return year{2026} / November / std::chrono::day{static_cast<unsigned>(number)};
}
inline base::Time at_eight() { return std::chrono::sys_days{day(18)} + std::chrono::hours{8}; }

/// From its first byte to its last.
inline base::Result<ports::Checked> check_partial(ports::Partials& partials, const std::string& name, std::int64_t size,
                                                  ports::CheckRules rules, const ports::Watch& watch = {}) {
  auto check = partials.begin_check(name, size, rules);
  if (!check) return check.error();
  return (*check)->finish(watch);
}

struct Mirror {
  TemporaryDirectory directory{};
  mirror::Directory opened = open();
  ports::Partials* partials = opened.partials.get();
  ports::Shelf* shelf = opened.shelf.get();

  mirror::Directory open(bool direct_io = true) const {
    return mirror::open_directory({.directory = root().string(), .direct_io = direct_io}).value();
  }
  std::filesystem::path root() const { return directory / "mirror"; }
  std::filesystem::path operator/(std::string_view name) const { return root() / name; }

  /// A partial with all its bytes, synced.
  base::Result<void> fetch(const std::string& name, std::string_view text) const {
    auto partial = partials->open({name, static_cast<std::int64_t>(text.size()), 0});
    if (!partial) return partial.error();
    if (auto written = (*partial)->write(0, bytes_of(text)); !written) return written;
    return (*partial)->sync();
  }
  base::Result<void> publish(const std::string& name) const {
    if (auto staged = shelf->stage({.name = name}, {}); !staged) return staged;
    return shelf->publish({.name = name});
  }
  base::Result<void> fetch_and_publish(const std::string& name, std::string_view text) const {
    if (auto fetched = fetch(name, text); !fetched) return fetched;
    return publish(name);
  }
};

inline bool is_link(const std::filesystem::path& path) { return std::filesystem::is_symlink(path); }
inline bool is_there(const std::filesystem::path& path) {
  return std::filesystem::exists(std::filesystem::symlink_status(path));
}
inline unsigned mode_of(const std::filesystem::path& path) {
  return static_cast<unsigned>(std::filesystem::status(path).permissions());
}
template <class Result>
bool failed_with(const Result& result, base::Errc code) {
  return result.has_error() && result.error().code == code;
}

}  // namespace vtmirror::test
