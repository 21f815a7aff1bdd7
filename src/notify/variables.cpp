#include "notify/variables.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace vtmirror::notify {
namespace {

constexpr std::array<std::string_view, 8> our_own{
    "CREDENTIALS_DIRECTORY=", "NOTIFY_SOCKET=", "WATCHDOG_PID=", "WATCHDOG_USEC=", "LISTEN_FDS=", "LISTEN_PID=",
    "JOURNAL_STREAM=",        "VTMIRROR_"};

/// A value always ends at its first zero byte, and a huge one would prevent the program from starting.
std::string assignment(std::string_view key, std::string_view value) {
  constexpr std::size_t longest = 8192;
  std::string text = "VTMIRROR_";
  for (const char sign : key) text += sign >= 'a' && sign <= 'z' ? static_cast<char>(sign - 'a' + 'A') : sign;
  return text + '=' + std::string(value.substr(0, std::min(value.find('\0'), longest)));
}

std::string text_of(const core::NoticeField& field) {
  if (const auto* number = std::get_if<std::int64_t>(&field.value)) return std::to_string(*number);
  return std::get<std::string>(field.value);
}

}  // namespace

std::vector<std::string> inherited_variables() {
  std::vector<std::string> all;
  for (char** each = ::environ; each != nullptr && *each != nullptr; ++each) {
    const std::string_view variable(*each);
    const bool ours = std::any_of(our_own.begin(), our_own.end(),
                                  [variable](std::string_view name) { return variable.starts_with(name); });
    // A hook that runs vtmirror means the same mirror.
    if (!ours || variable.starts_with("VTMIRROR_CONFIG=")) all.emplace_back(variable);
  }
  return all;
}

std::vector<std::string> variables(const core::Notice& notice) {
  std::vector<std::string> all{assignment("id", notice.id),
                               assignment("event", core::name(notice.topic)),
                               assignment("code", notice.code),
                               assignment("level", core::name(notice.urgency)),
                               assignment("stage", core::name(notice.stage)),
                               assignment("at", base::iso8601(notice.at)),
                               assignment("message", notice.message)};
  for (const auto& field : notice.fields) all.push_back(assignment(field.key, text_of(field)));
  return all;
}

}  // namespace vtmirror::notify
