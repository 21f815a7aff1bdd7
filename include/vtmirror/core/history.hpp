// Past cycles, and the changes that they made to the public files. Only values.
#pragma once

#include "vtmirror/base/time.hpp"
#include "vtmirror/core/problem.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::core {

enum class Outcome { complete, partial, failed };
std::string_view name(Outcome outcome) noexcept;

struct CycleRecord {
  std::int64_t id = 0;
  base::Time started{};
  std::optional<base::Time> finished;  ///< empty if it was cut off (killed, power cut)
  Outcome outcome = Outcome::failed;
  int files = 0;                     ///< published in it
  std::int64_t bytes = 0;            ///< downloaded in it
  std::optional<Failure> failure{};  ///< the first one; empty when complete
  /// What failed in it. Empty if it did not get that far; an earlier cycle's failures stay then. Not part of `history`.
  std::optional<std::vector<Failure>> failures{};
};

enum class ChangeKind { published, superseded, removed };
std::string_view name(ChangeKind kind) noexcept;

struct Change {
  std::int64_t generation = 0;
  ChangeKind kind{};
  std::string name;
  base::Time at{};
};

}  // namespace vtmirror::core
