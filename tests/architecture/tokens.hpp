// C++ text as words and signs, each with its line; comments, preprocessor lines and the insides of literals are left
// out. Enough for the checks in this directory. Not a parser: it never looks at meaning.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::architecture {

struct Token {
  std::string text;  ///< a word, a number, one sign ("::" and "->" are two signs in one), or `""` for a literal
  int line = 0;
};

std::vector<Token> tokens(std::string_view text);

bool is_word(const Token& token);

}  // namespace vtmirror::architecture
