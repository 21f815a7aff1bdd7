#include "vtmirror/core/problem.hpp"

#include <algorithm>

namespace vtmirror::core {
namespace {

constexpr bool in_order() {
  for (std::size_t i = 0; i < problem_kinds.size(); ++i)
    if (problem_kinds[i].code != static_cast<ProblemCode>(i)) return false;
  return true;
}
static_assert(in_order(), "a value is the index of its row");

}  // namespace

std::optional<ProblemCode> problem_code(std::string_view name) noexcept {
  const auto row = std::ranges::find(problem_kinds, name, &ProblemKind::name);
  return row == problem_kinds.end() ? std::nullopt : std::optional(row->code);
}

ProblemCode problem_of(const Failure& failure) noexcept {
  switch (failure.kind) {
    case FailureKind::refused_entry:
      return ProblemCode::refused_entry;
    case FailureKind::lost:
      return ProblemCode::damaged_file;
    case FailureKind::no_space:
      return ProblemCode::low_space;
    case FailureKind::damaged:
    case FailureKind::quarantined:
      return ProblemCode::quarantined_file;
    case FailureKind::other:
      break;
  }
  if (!failure.cause.subject.empty()) return ProblemCode::missing_files;
  return failure.cause.code == base::Errc::empty_listing ? ProblemCode::empty_listing : ProblemCode::cycle_failed;
}

}  // namespace vtmirror::core
