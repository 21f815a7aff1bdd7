#include "vtmirror/core/verification.hpp"

#include <algorithm>
#include <array>

namespace vtmirror::core {
namespace {

struct Word {
  Verdict verdict{};
  std::string_view name{};
};
constexpr std::array words{Word{Verdict::whole, "whole"},     Word{Verdict::mended, "mended"},
                           Word{Verdict::damaged, "damaged"}, Word{Verdict::lost, "lost"},
                           Word{Verdict::unread, "unread"},   Word{Verdict::gone, "gone"}};

}  // namespace

std::string_view name(Verdict verdict) noexcept {
  const auto row = std::ranges::find(words, verdict, &Word::verdict);
  return row == words.end() ? std::string_view() : row->name;
}

std::optional<Verdict> verdict_named(std::string_view word) noexcept {
  const auto row = std::ranges::find(words, word, &Word::name);
  return row == words.end() ? std::nullopt : std::optional(row->verdict);
}

bool is_wrong(const Finding& finding) noexcept {
  if (finding.repaired) return false;
  return finding.verdict == Verdict::damaged || finding.verdict == Verdict::lost || finding.verdict == Verdict::unread;
}

bool found_wrong(const VerificationReport& report) noexcept { return std::ranges::any_of(report.findings, is_wrong); }

bool is_clean(const VerificationReport& report) noexcept { return report.left == 0 && !found_wrong(report); }

}  // namespace vtmirror::core
