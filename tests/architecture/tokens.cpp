#include "architecture/tokens.hpp"

#include <algorithm>
#include <cctype>

namespace vtmirror::architecture {
namespace {

bool word_sign(char sign) { return std::isalnum(static_cast<unsigned char>(sign)) != 0 || sign == '_'; }

class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  std::vector<Token> read() {
    while (!rest_.empty()) step();
    return std::move(tokens_);
  }

 private:
  void step() {
    const char sign = rest_.front();
    if (sign == '\n' || std::isspace(static_cast<unsigned char>(sign)) != 0) return skip(1);
    if (sign == '#' && at_line_start_) return skip(directive());
    if (rest_.starts_with("//")) return skip(std::min(rest_.find('\n'), rest_.size()));
    if (rest_.starts_with("/*")) return skip(through("*/", 2));
    if (word_sign(sign)) return take_word();
    if (sign == '"' || sign == '\'') return take_literal(sign);
    take(rest_.starts_with("::") || rest_.starts_with("->") ? 2 : 1);
  }

  void take_word() {
    const bool number = std::isdigit(static_cast<unsigned char>(rest_.front())) != 0;
    std::size_t length = 0;
    while (length < rest_.size() && (word_sign(rest_[length]) || (number && rest_[length] == '\''))) ++length;
    const auto word = rest_.substr(0, length);
    if (word.ends_with('R') && word.size() <= 3 && rest_.substr(length).starts_with('"')) return take_raw(length);
    take(length);
  }

  void take_raw(std::size_t prefix) {
    const auto open = rest_.find('(', prefix);
    const std::string close = ")" + std::string(rest_.substr(prefix + 1, open - prefix - 1)) + "\"";
    put_literal(through(close, open));
  }

  void take_literal(char quote) {
    std::size_t at = 1;
    while (at < rest_.size() && rest_[at] != quote && rest_[at] != '\n') at += rest_[at] == '\\' ? 2 : 1;
    put_literal(std::min(at + 1, rest_.size()));
  }

  void put_literal(std::size_t length) {
    tokens_.push_back({"\"\"", line_});
    skip(length);
  }

  void take(std::size_t length) {
    tokens_.push_back({std::string(rest_.substr(0, length)), line_});
    skip(length);
  }

  std::size_t through(std::string_view close, std::size_t from) const {
    const auto at = rest_.find(close, from);
    return at == std::string_view::npos ? rest_.size() : at + close.size();
  }

  std::size_t directive() const {
    auto end = std::min(rest_.find('\n'), rest_.size());
    while (end < rest_.size() && rest_[end - 1] == '\\') end = std::min(rest_.find('\n', end + 1), rest_.size());
    return end;
  }

  void skip(std::size_t length) {
    for (const char sign : rest_.substr(0, length)) {
      if (sign == '\n') ++line_;
      at_line_start_ = sign == '\n' || (at_line_start_ && std::isspace(static_cast<unsigned char>(sign)) != 0);
    }
    rest_.remove_prefix(std::min(length, rest_.size()));
  }

  std::string_view rest_;
  std::vector<Token> tokens_;
  int line_ = 1;
  bool at_line_start_ = true;
};

}  // namespace

std::vector<Token> tokens(std::string_view text) { return Reader(text).read(); }

bool is_word(const Token& token) { return word_sign(token.text.front()); }

}  // namespace vtmirror::architecture
