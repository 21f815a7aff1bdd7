#include "notify/mail_text.hpp"

#include "notify/chat.hpp"
#include "vtmirror/base/encoding.hpp"
#include "vtmirror/base/text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace vtmirror::notify {
namespace {

constexpr std::size_t longest_subject = 200;
constexpr std::size_t longest_line = 76;

bool is_plain(char sign) { return sign >= ' ' && sign <= '~'; }

/// "Wed, 18 Nov 2026 08:07:12 +0000"
std::string mail_date(base::Time at) {
  constexpr std::array days{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array months{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(std::chrono::floor<std::chrono::seconds>(at - day));
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%s, %02u %s %04d %02d:%02d:%02d +0000",
                days.at(std::chrono::weekday(day).c_encoding()), unsigned(date.day()),
                months.at(unsigned(date.month()) - 1), int(date.year()), static_cast<int>(time.hours().count()),
                static_cast<int>(time.minutes().count()), static_cast<int>(time.seconds().count()));
  return text.data();
}

/// The domain of the sender's address, for the Message-ID, which must not change between attempts.
std::string domain_of(const std::string& from) {
  const auto at = from.rfind('@');
  return at == std::string::npos ? "vtmirror.invalid" : from.substr(at + 1);
}

std::string text_of(const core::NoticeField& field) {
  if (const auto* number = std::get_if<std::int64_t>(&field.value)) return std::to_string(*number);
  return base::printable(std::get<std::string>(field.value), 2000);
}

std::string line(std::string_view key, std::string_view value) {
  constexpr std::size_t column = 12;
  std::string text(key);
  text += ':';
  text.resize(std::max(text.size() + 1, column), ' ');
  return text + std::string(value) + '\n';
}

std::string shown(base::Time at, const MailSettings& settings) {
  return settings.times.show ? settings.times.show(at) : base::iso8601(at);
}

/// A field that is an instant, such as `since` and `next_try`, is for programs in UTC; the mail is for people.
std::string text_of(const core::NoticeField& field, const MailSettings& settings) {
  const auto text = text_of(field);
  const auto time = base::parse_time(text);
  return time ? shown(*time, settings) : text;
}

/// What the body says in another place.
bool is_said(const core::Notice& notice, std::string_view key) {
  return key == core::remedy_field || key == core::headline_field ||
         (key == core::reason_field && notice.topic == core::Topic::warning);
}

std::string body(const core::Notice& notice, const MailSettings& settings, const std::string& host) {
  std::string text = base::printable(notice.message, 2000) + "\n\n";
  for (const auto& field : notice.fields)
    if (field.key == core::remedy_field) text += "What to do: " + text_of(field) + "\n\n";
  text += line("event", std::string(core::name(notice.topic)) + ", " + base::printable(notice.code, 80));
  if (notice.stage != core::Stage::single) text += line("stage", core::name(notice.stage));
  text += line("at", shown(notice.at, settings)) + line("host", host);
  for (const auto& field : notice.fields)
    if (!is_said(notice, field.key)) text += line(field.key, text_of(field, settings));
  return text + "\n-- \nvtmirror on " + host + "; see: vtmirror status\n";
}

std::string subject(const core::Notice& notice, const std::string& host) {
  return base::printable(headline(notice, host), longest_subject);
}

}  // namespace

std::string header_text(std::string_view text) {
  if (std::all_of(text.begin(), text.end(), is_plain) && text.find("=?") == std::string_view::npos)
    return std::string(text);
  // An encoded word has at most 75 characters and must not split a character.
  constexpr std::size_t longest_word = 45;
  std::string words;
  while (!text.empty()) {
    std::size_t size = 0;
    while (size < text.size()) {
      const auto length = std::max<std::size_t>(1, base::first_code_point(text.substr(size)).length);
      if (size + length > longest_word) break;
      size += length;
    }
    words += (words.empty() ? "" : "\n ") + ("=?UTF-8?B?" + base::base64(text.substr(0, size)) + "?=");
    text.remove_prefix(size);
  }
  return words;
}

std::string quoted_printable(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string quoted;
  std::size_t column = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char sign = text[at];
    const bool line_ends = at + 1 == text.size() || text[at + 1] == '\n';
    if (sign == '\n') {
      quoted += '\n';
      column = 0;
      continue;
    }
    // Mail servers may strip a space at the end of a line.
    const bool as_it_is = is_plain(sign) && sign != '=' && !(sign == ' ' && line_ends);
    const std::size_t width = as_it_is ? 1 : 3;
    if (column + width > longest_line - 1) {
      quoted += "=\n";
      column = 0;
    }
    const auto byte = static_cast<unsigned char>(sign);
    if (as_it_is)
      quoted += sign;
    else
      quoted += {'=', digits[byte >> 4U], digits[byte & 15U]};
    column += width;
  }
  return quoted;
}

std::string mail_text(const core::Notice& notice, const MailSettings& settings) {
  const auto host = base::printable(settings.host, 100);
  std::string text;
  if (!settings.from.empty()) text += "From: vtmirror <" + settings.from + ">\n";
  text += "To: " + settings.to + "\n";
  text += "Subject: " + header_text(subject(notice, host)) + "\n";
  text += "Date: " + mail_date(notice.at) + "\n";
  text += "Message-ID: <" + notice.id + "@" + domain_of(settings.from) + ">\n";
  text += "Auto-Submitted: auto-generated\n";
  text += "MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n";
  return text + "\n" + quoted_printable(body(notice, settings, host));
}

}  // namespace vtmirror::notify
