#include "simulator/request.hpp"

#include "vtmirror/base/encoding.hpp"

#include <algorithm>
#include <charconv>

namespace vtmirror::simulator {
namespace {

/// Decodes a field of a form or a query, in which "+" is a space.
std::string decode(std::string_view text) {
  std::string spaced(text);
  std::replace(spaced.begin(), spaced.end(), '+', ' ');
  return base::percent_decoded(spaced);
}

}  // namespace

std::string_view name(At at) noexcept {
  switch (at) {
    case At::api:
      return "api";
    case At::issuer:
      return "issuer";
    case At::store:
      return "store";
    case At::control:
      return "control";
  }
  return "";
}

std::optional<std::string_view> Request::header(std::string_view name) const {
  const auto found = std::find_if(headers.begin(), headers.end(), [&](const auto& each) { return each.first == name; });
  if (found == headers.end()) return std::nullopt;
  return found->second;
}

std::vector<std::pair<std::string, std::string>> parameters(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> all;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(text.size(), one.size() + 1));
    const std::size_t equals = std::min(one.find('='), one.size());
    const std::string_view value = equals < one.size() ? one.substr(equals + 1) : std::string_view{};
    all.emplace_back(decode(one.substr(0, equals)), decode(value));
  }
  return all;
}

std::optional<std::string> parameter(std::string_view text, std::string_view name) {
  std::optional<std::string> found;
  for (auto& [key, value] : parameters(text)) {
    if (key != name) continue;
    if (found) return std::nullopt;
    found = std::move(value);
  }
  return found;
}

Answer text_answer(int status, std::string content_type, std::string text) {
  Answer answer{.status = status, .text = std::move(text)};
  answer.headers.emplace_back("Content-Type", std::move(content_type));
  return answer;
}

namespace {

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Stretch part(std::uint64_t first, std::uint64_t length) {
  return {.which = Stretch::Which::part, .first = first, .length = length};
}

Stretch last_bytes(std::uint64_t count, std::uint64_t size) {
  if (count == 0 || size == 0) return {.which = Stretch::Which::unsatisfiable};
  const std::uint64_t length = std::min(count, size);
  return part(size - length, length);
}

}  // namespace

Stretch stretch_of(std::optional<std::string_view> range, std::uint64_t size) {
  constexpr std::string_view unit = "bytes=";
  const Stretch whole{.length = size};
  if (!range || !range->starts_with(unit)) return whole;
  const std::string_view spec = range->substr(unit.size());
  const std::size_t dash = spec.find('-');
  if (dash == std::string_view::npos) return whole;
  const auto first = number(spec.substr(0, dash));
  const auto last = number(spec.substr(dash + 1));
  const bool open = dash + 1 == spec.size();
  if (dash == 0) return last ? last_bytes(*last, size) : whole;
  if (!first || (!last && !open) || (last && *last < *first)) return whole;
  if (*first >= size) return {.which = Stretch::Which::unsatisfiable};
  const std::uint64_t end = last ? std::min(*last, size - 1) : size - 1;
  return part(*first, end - *first + 1);
}

std::string content_range(const Stretch& part, std::uint64_t total) {
  return "bytes " + std::to_string(part.first) + "-" + std::to_string(part.first + part.length - 1) + "/" +
         std::to_string(total);
}

}  // namespace vtmirror::simulator
