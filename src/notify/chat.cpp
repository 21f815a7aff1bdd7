#include "notify/chat.hpp"

#include "vtmirror/base/text.hpp"

#include <boost/json.hpp>

#include <string_view>
#include <variant>
#include <vector>

namespace vtmirror::notify {
namespace {

constexpr std::size_t longest_line = 500;

/// Slack reads these three as the beginning of a link, a mention or an entity.
std::string for_slack(const std::string& text) {
  std::string escaped;
  for (const char sign : text) {
    if (sign == '&')
      escaped += "&amp;";
    else if (sign == '<')
      escaped += "&lt;";
    else if (sign == '>')
      escaped += "&gt;";
    else
      escaped += sign;
  }
  return escaped;
}

/// A card reads Markdown: _ and * would turn the text between two of them into italics.
std::string for_teams(const std::string& text) {
  std::string escaped;
  for (const char sign : text) {
    if (std::string_view("\\_*[]`").find(sign) != std::string_view::npos) escaped += '\\';
    escaped += sign;
  }
  return escaped;
}

boost::json::object block(const std::string& text, bool is_title) {
  boost::json::object block{{"type", "TextBlock"}, {"text", for_teams(text)}, {"wrap", true}};
  if (is_title) block["weight"] = "Bolder";
  return block;
}

/// The text of that name, printable; empty if the notice has none.
std::string text_of(const core::Notice& notice, std::string_view key) {
  for (const auto& field : notice.fields)
    if (const auto* words = std::get_if<std::string>(&field.value); words != nullptr && field.key == key)
      return base::printable(*words, 2 * longest_line);
  return {};
}

/// The text below the headline: the whole message if the headline is shorter, and what to do.
std::vector<std::string> lines_below(const core::Notice& notice) {
  std::vector<std::string> lines;
  if (!text_of(notice, core::headline_field).empty())
    lines.push_back(base::printable(notice.message, 2 * longest_line));
  if (const auto remedy = remedy_of(notice); !remedy.empty()) lines.push_back("What to do: " + remedy);
  return lines;
}

}  // namespace

std::string headline(const core::Notice& notice, const std::string& host) {
  const auto brief = text_of(notice, core::headline_field);
  return "[vtmirror " + base::printable(host, 100) + "] " +
         base::printable(brief.empty() ? notice.message : brief, longest_line);
}

std::string remedy_of(const core::Notice& notice) { return text_of(notice, core::remedy_field); }

std::string slack_json(const core::Notice& notice, const std::string& host) {
  auto text = for_slack(headline(notice, host));
  for (const auto& line : lines_below(notice)) text += '\n' + for_slack(line);
  return boost::json::serialize(boost::json::object{{"text", text}});
}

std::string teams_json(const core::Notice& notice, const std::string& host) {
  boost::json::array body;
  body.push_back(block(headline(notice, host), true));
  for (const auto& line : lines_below(notice)) body.push_back(block(line, false));
  const boost::json::object card{{"$schema", "http://adaptivecards.io/schemas/adaptive-card.json"},
                                 {"type", "AdaptiveCard"},
                                 {"version", "1.4"},
                                 {"body", std::move(body)}};
  const boost::json::object attachment{
      {"contentType", "application/vnd.microsoft.card.adaptive"}, {"contentUrl", nullptr}, {"content", card}};
  boost::json::array attachments;
  attachments.push_back(attachment);
  return boost::json::serialize(boost::json::object{{"type", "message"}, {"attachments", std::move(attachments)}});
}

}  // namespace vtmirror::notify
