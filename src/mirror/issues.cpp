#include "mirror/issues.hpp"

#include "vtmirror/base/text.hpp"

#include <array>
#include <optional>

namespace vtmirror::mirror {
namespace {

constexpr std::string_view none = "-";
constexpr std::string_view unknown = "?";
constexpr std::string_view by_service = "service";
constexpr std::string_view by_person = "person";

std::string line(const core::SecretIssue& issue) {
  std::string given(unknown);
  if (issue.given) given = issue.given->empty() ? none : *issue.given;
  return issue.fingerprint + " " + base::iso8601(issue.at) + " " +
         std::string(issue.by_service ? by_service : by_person) + " " + given + " " +
         (issue.date_then ? base::iso8601(*issue.date_then) : std::string(none)) + "\n";
}

std::optional<core::SecretIssue> read_line(std::string_view text) {
  std::array<std::string_view, 5> words;
  for (auto& word : words) {
    const auto end = std::min(text.find(' '), text.size());
    word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  const auto at = base::parse_time(words[1]);
  const auto date = base::parse_date(words[4]);
  const bool whole = !words[0].empty() && at && !words[3].empty() && (date || words[4] == none);
  if (!whole || !(words[2] == by_service || words[2] == by_person)) return std::nullopt;
  core::SecretIssue issue;
  issue.fingerprint = words[0];
  issue.at = *at;
  issue.by_service = words[2] == by_service;
  if (words[3] != unknown) issue.given = words[3] == none ? std::string() : std::string(words[3]);
  if (date) issue.date_then = *date;
  return issue;
}

}  // namespace

std::string issues_text(const std::vector<core::SecretIssue>& issues) {
  std::string text;
  for (const auto& issue : issues) text += line(issue);
  return text;
}

std::vector<core::SecretIssue> read_issues(std::string_view text) {
  std::vector<core::SecretIssue> issues;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    if (auto issue = read_line(text.substr(0, end))) issues.push_back(std::move(*issue));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return issues;
}

}  // namespace vtmirror::mirror
