#include "net/content_range.hpp"

#include "vtmirror/base/text.hpp"

#include <limits>

namespace vtmirror::net {
namespace {

std::optional<std::int64_t> number(std::string_view text) {
  const auto value = base::parse_int(text);
  if (!value || *value < 0) return std::nullopt;
  return *value;
}

std::optional<core::Range> span_of(std::string_view text) {
  const auto dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto first = number(text.substr(0, dash));
  const auto last = number(text.substr(dash + 1));
  if (!first || !last || *first > *last || *last == std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  return core::Range{*first, *last + 1};
}

}  // namespace

std::optional<ContentRange> parse_content_range(std::string_view text) {
  constexpr std::string_view unit = "bytes ";
  if (!base::iequals(text.substr(0, unit.size()), unit)) return std::nullopt;
  text.remove_prefix(unit.size());
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto span = text.substr(0, slash);
  const auto size = text.substr(slash + 1);

  ContentRange out;
  if (size != "*") {
    out.total = number(size);
    if (!out.total) return std::nullopt;
  }
  if (span == "*") return out.total ? std::optional(out) : std::nullopt;
  out.range = span_of(span);
  if (!out.range || (out.total && out.range->end > *out.total)) return std::nullopt;
  return out;
}

}  // namespace vtmirror::net
