// Single byte ranges: what a Range header requests of an object of a given size.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace vtmirror::simulator {

struct Stretch {
  enum class Which { whole, part, unsatisfiable };
  Which which = Which::whole;
  std::uint64_t first = 0;
  std::uint64_t length = 0;
  friend bool operator==(const Stretch&, const Stretch&) = default;
};

/// A header that is missing, invalid or has several ranges means the whole object.
Stretch stretch_of(std::optional<std::string_view> range, std::uint64_t size);

/// "bytes 0-99/1000"
std::string content_range(const Stretch& part, std::uint64_t total);

}  // namespace vtmirror::simulator
