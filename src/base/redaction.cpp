#include "base/redaction.hpp"

#include "vtmirror/base/encoding.hpp"
#include "vtmirror/base/text.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace vtmirror::base {
namespace {

constexpr auto npos = std::string_view::npos;
constexpr std::string_view blanks = " \t\r\n";

/// How far the secret behind a name extends when nothing encloses it.
enum class Extent { word, line, bearer };

/// The end of a name, in lower case: "signature" matches X-Amz-Signature too. `alone`: only as a whole word.
struct Name {
  std::string_view text;
  Extent extent = Extent::word;
  bool alone = false;
};

constexpr std::array names{
    Name{"signature"},
    Name{"credential"},
    Name{"security-token"},
    Name{"securitytoken"},
    Name{"sessiontoken"},
    Name{"accesskeyid"},
    Name{"secretaccesskey"},
    Name{"sig", Extent::word, true},
    Name{"access_token"},
    Name{"refresh_token"},
    Name{"id_token", Extent::word, true},
    Name{"client_secret"},
    Name{"clientsecret"},
    Name{"client_assertion"},
    Name{"apikeyvalue"},
    Name{"api-key"},
    Name{"stringtosign"},
    Name{"stringtosignbytes"},
    Name{"signatureprovided"},
    Name{"canonicalrequest"},
    Name{"canonicalrequestbytes"},
    Name{"authorization", Extent::line},
    Name{"bearer", Extent::bearer, true},
};

struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

bool in_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

/// Finds secrets in a lower-case string that has the same length, byte for byte, as the string that is printed.
class Finder {
 public:
  explicit Finder(std::string_view text) : text_(text) {}

  std::optional<Span> secret_named_at(std::size_t at) const {
    for (const Name& name : names) {
      if (!text_.substr(at).starts_with(name.text) || (name.alone && !word_begins(at))) continue;
      if (const auto found = value_behind(name, at)) return found;
    }
    return std::nullopt;
  }

 private:
  std::optional<Span> value_behind(const Name& name, std::size_t at) const {
    const std::size_t behind = at + name.text.size();
    if (name.extent == Extent::bearer) return bearer_token(behind);
    if (const auto tag = tag_begin(at)) return element(*tag, behind);
    return assigned(behind, name.extent);
  }

  /// "%26sig" begins a word as "&sig" does.
  bool word_begins(std::size_t at) const {
    return at == 0 || !in_word(text_[at - 1]) || (at >= 3 && text_[at - 3] == '%');
  }

  std::size_t skip(std::size_t at, std::string_view letters) const {
    const auto next = text_.find_first_not_of(letters, at);
    return next == npos ? text_.size() : next;
  }

  std::size_t until(std::size_t at, std::string_view letters) const {
    const auto next = text_.find_first_of(letters, at);
    return next == npos ? text_.size() : next;
  }

  /// A word after "Bearer" is a token when it is too long to be prose.
  std::optional<Span> bearer_token(std::size_t behind) const {
    const std::size_t begin = skip(behind, blanks);
    const std::size_t end = until(begin, "\"'<>&, \t\r\n");
    if (begin == behind || end - begin < 16) return std::nullopt;
    return Span{begin, end};
  }

  /// Where the element's name begins if `at` is inside an opening tag: "<StringToSign", "<s3:Code", "&lt;Code".
  std::optional<std::size_t> tag_begin(std::size_t at) const {
    std::size_t begin = at;
    while (begin > 0 && at - begin < 64 && (in_word(text_[begin - 1]) || text_[begin - 1] == ':')) --begin;
    const std::string_view before = text_.substr(0, begin);
    if (!before.ends_with('<') && !before.ends_with("&lt;")) return std::nullopt;
    return begin;
  }

  /// Everything between the opening and the closing tag; up to the end of the string if one of them is missing.
  std::optional<Span> element(std::size_t tag, std::size_t behind) const {
    if (behind < text_.size() && in_word(text_[behind])) return std::nullopt;  // the name is longer
    const bool escaped = tag > 0 && text_[tag - 1] == ';';
    const std::string_view close = escaped ? "&gt;" : ">";
    const auto opened = text_.find(close, behind);
    if (opened == npos) return Span{behind, text_.size()};
    const std::size_t begin = opened + close.size();
    std::string closing{escaped ? "&lt;/" : "</"};
    closing += text_.substr(tag, behind - tag);
    const auto end = text_.find(closing, begin);
    return Span{begin, end == npos ? text_.size() : end};
  }

  /// `name=value`, `name%3Dvalue`, `name: value`, `"name": "value"`, `\"name\":\"value\"`.
  std::optional<Span> assigned(std::size_t behind, Extent extent) const {
    std::size_t at = skip(behind, "\\\"' \t\r\n");
    if (text_.substr(at).starts_with("%3d")) {
      at += 3;
    } else if (at < text_.size() && (text_[at] == '=' || text_[at] == ':')) {
      at += 1;
    } else {
      return std::nullopt;
    }
    const Span value = value_at(skip(at, blanks), extent);
    if (value.begin == value.end) return std::nullopt;
    return value;
  }

  Span value_at(std::size_t at, Extent extent) const {
    const std::size_t open = skip(at, "\\");
    if (open < text_.size() && (text_[open] == '"' || text_[open] == '\'')) return quoted(open, open - at);
    if (open < text_.size() && (text_[open] == '[' || text_[open] == '{')) return {at, text_.size()};
    return {at, until(at, extent == Extent::line ? "\r\n" : "&\"'<> \t\r\n")};
  }

  /// Ends at the first such quote that has no more backslashes before it than the opening quote has.
  Span quoted(std::size_t open, std::size_t backslashes) const {
    std::size_t end = open;
    while ((end = text_.find(text_[open], end + 1)) != npos) {
      std::size_t escapes = 0;
      while (text_[end - escapes - 1] == '\\') ++escapes;
      if (escapes <= backslashes) return {open + 1, end - escapes};
    }
    return {open + 1, text_.size()};
  }

  std::string_view text_;
};

}  // namespace

std::string redacted(std::string_view text) {
  const std::string lowered = lower(text);
  const Finder finder{lowered};
  std::string result;
  std::size_t at = 0;
  while (at < text.size()) {
    const auto secret = finder.secret_named_at(at);
    if (!secret) {
      result += text[at++];
      continue;
    }
    result += text.substr(at, secret->begin - at);
    result += "***";
    at = secret->end;
  }
  return result;
}

namespace {

constexpr std::string_view cut_mark = "...";

/// One character, made safe for a log line.
std::string_view plain(std::string_view character, CodePoint point) {
  if (point.length == 0) return "?";
  if (point.value == '\n' || point.value == '\r' || point.value == '\t') return " ";
  return is_control(point.value) ? "?" : character;
}

std::string without_controls(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    const std::string_view character = text.substr(0, point.length == 0 ? 1 : point.length);
    result += plain(character, point);
    text.remove_prefix(character.size());
  }
  return result;
}

/// At most `limit` bytes, cut between two characters.
std::string cut(std::string text, std::size_t limit) {
  if (text.size() <= limit) return text;
  const bool marked = limit > 2 * cut_mark.size();
  std::size_t end = marked ? limit - cut_mark.size() : limit;
  while (end > 0 && !begins_character(text[end])) --end;
  text.resize(end);
  if (marked) text += cut_mark;
  return text;
}

}  // namespace

std::string printable(std::string_view text, std::size_t limit) {
  // Redacted before it is cut: half a name would not be recognised.
  return cut(without_controls(redacted(text)), limit);
}

}  // namespace vtmirror::base
