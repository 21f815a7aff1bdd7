#include "architecture/prose.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace vtmirror::architecture {
namespace {

bool is_space(char letter) { return std::isspace(static_cast<unsigned char>(letter)) != 0; }

/// Builds a Prose: words with single spaces between them, without what stands in backticks.
class Writer {
 public:
  void add(char letter, int line) {
    if (letter == '`') {
      quoted_ = !quoted_;
      letter = '|';  // a name stands here: the words around it are no phrase
    } else if (quoted_) {
      return;
    }
    if (is_space(letter)) {
      if (prose_.text.empty() || prose_.text.back() == ' ') return;
      letter = ' ';
    }
    prose_.text += letter;
    prose_.lines.push_back(line);
  }
  /// Ends a sentence, and a name whose second backtick is missing.
  void part(int line) {
    quoted_ = false;
    if (!prose_.text.empty() && prose_.text.back() == '\n') return;
    prose_.text += '\n';
    prose_.lines.push_back(line);
  }
  Prose take() { return std::move(prose_); }

 private:
  Prose prose_;
  bool quoted_ = false;
};

/// What a CodeReader keeps.
struct Kept {
  bool comments = true;
  bool literals = true;
};

class CodeReader {
 public:
  CodeReader(std::string_view code, Kept kept) : code_(code), kept_(kept) {}

  Prose read() {
    while (at_ < code_.size()) {
      if (starts("//"))
        line_comment();
      else if (starts("/*"))
        block_comment();
      else if (starts("R\"") && !after_word())
        raw_literal();
      else if (code_[at_] == '"')
        literal();
      else if (code_[at_] == '\'' && !after_word())
        character();
      else
        code();
    }
    return writer_.take();
  }

 private:
  bool starts(std::string_view sign) const { return code_.substr(at_).starts_with(sign); }
  /// 1'000 has a digit's separator, and no character.
  bool after_word() const {
    return at_ > 0 && (std::isalnum(static_cast<unsigned char>(code_[at_ - 1])) != 0 || code_[at_ - 1] == '_');
  }
  char next() {
    const char letter = code_[at_++];
    if (letter == '\n') ++line_;
    return letter;
  }
  /// A comment that is not kept parts nothing: the compiler joins the literals around it.
  void add_to_comment(char letter) {
    if (kept_.comments) writer_.add(letter, line_);
  }
  void begin_literal() {
    if (!kept_.literals) writer_.part(line_);
  }
  void add_to_literal(char letter) {
    if (kept_.literals) writer_.add(letter, line_);
  }

  void code() {
    const int line = line_;
    const char letter = next();
    if (is_space(letter))
      writer_.add(letter, line);
    else
      writer_.part(line);
  }
  void line_comment() {
    while (at_ < code_.size() && code_[at_] == '/') next();
    if (starts("<")) next();
    while (at_ < code_.size() && code_[at_] != '\n') add_to_comment(next());
  }
  void block_comment() {
    at_ += 2;
    while (at_ < code_.size() && !starts("*/")) add_to_comment(next());
    at_ = std::min(at_ + 2, code_.size());
  }
  void literal() {
    begin_literal();
    next();
    while (at_ < code_.size() && code_[at_] != '"') {
      if (code_[at_] == '\\') {
        next();
        next();
        add_to_literal(' ');
      } else {
        add_to_literal(next());
      }
    }
    if (at_ < code_.size()) next();
  }
  void raw_literal() {
    begin_literal();
    at_ += 2;
    const auto open = code_.find('(', at_);
    const std::string closing = ')' + std::string(code_.substr(at_, open - at_)) + '"';
    at_ = open + 1;
    while (at_ < code_.size() && !starts(closing)) add_to_literal(next());
    at_ = std::min(at_ + closing.size(), code_.size());
  }
  void character() {
    next();
    while (at_ < code_.size() && code_[at_] != '\'') {
      if (code_[at_] == '\\') next();
      next();
    }
    if (at_ < code_.size()) next();
  }

  std::string_view code_;
  Kept kept_;
  std::size_t at_ = 0;
  int line_ = 1;
  Writer writer_;
};

/// What begins a line of a paper before its words: a comment's sign, or a macro of a manual page (.B, .IR).
std::size_t signs_of(std::string_view line) {
  std::size_t at = 0;
  while (at < line.size() && (line[at] == ' ' || line[at] == '#')) ++at;
  if (at < line.size() && line[at] == '.') {
    while (at < line.size() && line[at] != ' ') ++at;
  }
  return at;
}

/// A new paragraph: nothing of the line before belongs to it.
bool parts(std::string_view line) {
  constexpr std::array<std::string_view, 5> macros{".PP", ".TP", ".SH", ".SS", ".IP"};
  const auto words = line.find_first_not_of(" #");
  return words == std::string_view::npos || line[words] == '|' || line[words] == '-' ||
         std::any_of(macros.begin(), macros.end(), [&](auto macro) { return line.starts_with(macro); });
}

}  // namespace

Prose prose_of_code(std::string_view code) { return CodeReader(code, {.comments = true, .literals = true}).read(); }

Prose prose_of_comments(std::string_view code) {
  return CodeReader(code, {.comments = true, .literals = false}).read();
}

Prose prose_of_literals(std::string_view code) {
  return CodeReader(code, {.comments = false, .literals = true}).read();
}

Prose prose_of_paper(std::string_view paper) {
  Writer writer;
  int number = 0;
  while (!paper.empty()) {
    const auto end = std::min(paper.find('\n'), paper.size());
    const auto line = paper.substr(0, end);
    paper.remove_prefix(std::min(end + 1, paper.size()));
    ++number;
    if (parts(line)) writer.part(number);
    for (const char letter : line.substr(signs_of(line))) writer.add(letter, number);
    writer.add(' ', number);
  }
  return writer.take();
}

}  // namespace vtmirror::architecture
