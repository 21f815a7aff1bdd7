#include "vtmirror/core/problem.hpp"

#include <algorithm>

namespace vtmirror::core {
namespace {

struct KindName {
  FailureKind kind;
  std::string_view name;
};

constexpr std::array kind_names{
    KindName{FailureKind::refused_entry, "refused_entry"}, KindName{FailureKind::lost, "lost"},
    KindName{FailureKind::no_space, "no_space"},           KindName{FailureKind::damaged, "damaged"},
    KindName{FailureKind::quarantined, "quarantined"},     KindName{FailureKind::other, "other"},
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < kind_names.size(); ++i)
    if (kind_names[i].kind != static_cast<FailureKind>(i)) return false;
  for (std::size_t i = 0; i < problem_kinds.size(); ++i)
    if (problem_kinds[i].code != static_cast<ProblemCode>(i)) return false;
  return true;
}
static_assert(in_order(), "a value is the index of its row");

}  // namespace

std::string_view name(FailureKind kind) noexcept { return kind_names[static_cast<std::size_t>(kind)].name; }

std::optional<FailureKind> failure_kind(std::string_view name) noexcept {
  const auto row = std::ranges::find(kind_names, name, &KindName::name);
  return row == kind_names.end() ? std::nullopt : std::optional(row->kind);
}

Failure stopped() { return {.cause = {.code = base::Errc::cancelled}}; }

bool is_stop(const Failure& failure) noexcept {
  return failure.cause.code == base::Errc::cancelled && failure.cause.subject.empty();
}

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
  return failure.cause.subject.empty() ? ProblemCode::cycle_failed : ProblemCode::missing_files;
}

}  // namespace vtmirror::core
