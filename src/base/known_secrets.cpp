#include "vtmirror/base/known_secrets.hpp"

#include "vtmirror/base/encoding.hpp"
#include "vtmirror/base/text.hpp"

#include <string.h>  // explicit_bzero

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace vtmirror::base {
namespace {

constexpr std::size_t shortest = 4;
/// "%2541" is a form of a form of "A".
constexpr int most_decodings = 2;

/// What counts as the same character: letter case, the two alphabets of base64, and "+" for a blank in forms.
char folded(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
  if (c == '+' || c == '-' || c == '\t' || c == '\r' || c == '\n') return ' ';
  return c == '_' ? '/' : c;
}

/// The eight characters that begin at `at`, as one number.
std::uint64_t part_at(std::string_view text, std::size_t at) {
  std::uint64_t number = 0;
  for (const char c : text.substr(at, KnownSecrets::part)) number = number << 8 | static_cast<unsigned char>(folded(c));
  return number;
}

void add_parts(std::string_view text, std::vector<std::uint64_t>& parts) {
  for (std::size_t at = 0; at + KnownSecrets::part <= text.size(); ++at) parts.push_back(part_at(text, at));
}

/// Base64 of a longer text that holds the secret: three forms, by where in the text the secret begins. Characters that
/// depend on what stands beside the secret are left out.
void add_base64_parts(const Secret& secret, std::vector<std::uint64_t>& parts) {
  constexpr std::array<std::size_t, 3> shared{0, 2, 3};
  for (std::size_t before = 0; before < shared.size(); ++before) {
    const Secret padded(std::string(before, '\0') + secret.reveal());
    const Secret encoded(base64(padded.reveal()));
    std::string_view own(encoded.reveal());
    own = own.substr(0, own.find('='));
    if (padded.reveal().size() % 3 != 0) own.remove_suffix(1);
    own.remove_prefix(std::min(shared[before], own.size()));
    add_parts(own, parts);
  }
}

std::vector<std::uint64_t> parts_of(const Secret& secret) {
  std::vector<std::uint64_t> parts;
  if (secret.reveal().size() < KnownSecrets::part) return parts;
  parts.reserve(6 * secret.reveal().size());  // a growing vector would leave copies behind
  add_parts(secret.reveal(), parts);
  add_base64_parts(secret, parts);
  std::sort(parts.begin(), parts.end());
  return parts;
}

/// A text whose characters know where in the original text they came from.
struct View {
  std::string text;
  std::vector<std::size_t> begins;  ///< of each character, and the end
};

View view_of(std::string_view text) {
  View view{std::string(text), {}};
  for (std::size_t at = 0; at <= text.size(); ++at) view.begins.push_back(at);
  return view;
}

struct Decoded {
  char character = 0;
  std::size_t length = 1;  ///< of the form
};

/// The printable ASCII character with that number; secrets hold no others.
std::optional<char> character(std::string_view digits, int base) {
  int number = 0;
  for (const char c : digits) {
    const int value = hex_digit(c);
    if (value < 0 || value >= base || number > 0x7f) return std::nullopt;
    number = number * base + value;
  }
  if (digits.empty() || number < 0x20 || number > 0x7e) return std::nullopt;
  return static_cast<char>(number);
}

std::optional<Decoded> percent_form(std::string_view text) {
  if (!text.starts_with('%') || text.size() < 3) return std::nullopt;
  const auto c = character(text.substr(1, 2), 16);
  return c ? std::optional(Decoded{*c, 3}) : std::nullopt;
}

/// `\u0041`, `\/`, `\"`
std::optional<Decoded> backslash_form(std::string_view text) {
  if (!text.starts_with('\\') || text.size() < 2) return std::nullopt;
  if (text[1] == 'u' && text.size() >= 6)
    if (const auto c = character(text.substr(2, 4), 16)) return Decoded{*c, 6};
  return Decoded{text[1], 2};
}

/// `&amp;`, `&#65;`, `&#x41;`
std::optional<Decoded> entity_form(std::string_view text) {
  for (const auto& [entity, c] : xml_entities)
    if (text.starts_with(entity)) return Decoded{c, entity.size()};
  const auto end = text.substr(0, 10).find(';');
  if (!text.starts_with("&#") || end == std::string_view::npos) return std::nullopt;
  const bool hex = text[2] == 'x' || text[2] == 'X';
  const std::size_t begin = hex ? 3 : 2;
  if (end < begin) return std::nullopt;
  const auto c = character(text.substr(begin, end - begin), hex ? 16 : 10);
  return c ? std::optional(Decoded{*c, end + 1}) : std::nullopt;
}

Decoded first_character(std::string_view text) {
  if (const auto form = percent_form(text)) return *form;
  if (const auto form = backslash_form(text)) return *form;
  if (const auto form = entity_form(text)) return *form;
  return {text.front(), 1};
}

View decoded(const View& view) {
  View next;
  for (std::size_t at = 0; at < view.text.size();) {
    const auto form = first_character(std::string_view(view.text).substr(at));
    next.text += form.character;
    next.begins.push_back(view.begins[at]);
    at += form.length;
  }
  next.begins.push_back(view.begins.back());
  return next;
}

bool in_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

bool is_word(std::string_view text, std::size_t at, std::size_t size) {
  const bool begins = at == 0 || !in_word(text[at - 1]);
  return begins && (at + size == text.size() || !in_word(text[at + size]));
}

}  // namespace

/// Which characters of a text belong to a secret.
class KnownSecrets::Search {
 public:
  Search(const std::deque<Known>& known, std::string_view text) : known_(known), hidden_(text.size(), false) {
    View view = view_of(text);
    look_at(view);
    for (int decodings = 0; decodings < most_decodings && view.text.find_first_of("%\\&") != std::string::npos;
         ++decodings) {
      view = decoded(view);
      look_at(view);
    }
  }
  bool hides(std::size_t at) const { return hidden_[at]; }
  bool hides_any() const { return std::find(hidden_.begin(), hidden_.end(), true) != hidden_.end(); }

 private:
  void look_at(const View& view) {
    for (std::size_t at = 0; at + part <= view.text.size(); ++at)
      if (is_part(part_at(view.text, at))) hide(view, at, part);
    for (const auto& known : known_)
      if (known.parts.empty()) look_for_word(view, known.secret.reveal());
  }

  bool is_part(std::uint64_t number) const {
    return std::any_of(known_.begin(), known_.end(), [number](const Known& known) {
      return std::binary_search(known.parts.begin(), known.parts.end(), number);
    });
  }

  void look_for_word(const View& view, std::string_view secret) {
    for (auto at = view.text.find(secret); at != std::string::npos; at = view.text.find(secret, at + 1))
      if (is_word(view.text, at, secret.size())) hide(view, at, secret.size());
  }

  void hide(const View& view, std::size_t at, std::size_t size) {
    for (auto i = view.begins[at]; i < view.begins[at + size]; ++i) hidden_[i] = true;
  }

  const std::deque<Known>& known_;
  std::vector<bool> hidden_;
};

KnownSecrets::~KnownSecrets() {
  while (!known_.empty()) forget(known_.begin());
}

void KnownSecrets::forget(std::deque<Known>::iterator known) {
  if (!known->parts.empty()) ::explicit_bzero(known->parts.data(), known->parts.size() * sizeof(std::uint64_t));
  known_.erase(known);
}

void KnownSecrets::add(const Secret& secret) {
  if (secret.reveal().size() < shortest) return;
  const auto found =
      std::find_if(known_.begin(), known_.end(), [&](const Known& each) { return each.secret == secret; });
  if (found != known_.end()) {
    std::rotate(found, found + 1, known_.end());
    return;
  }
  if (known_.size() == most) forget(known_.begin());
  known_.push_back({secret, parts_of(secret)});
}

std::string KnownSecrets::masked(std::string_view text) const {
  std::string result(text);
  // Again, because a mask may form a part of a secret that contains asterisks. Each round makes the text shorter.
  for (;;) {
    const Search search(known_, result);
    if (!search.hides_any()) return result;
    std::string next;
    for (std::size_t at = 0; at < result.size(); ++at) {
      if (!search.hides(at)) next += result[at];
      if (search.hides(at) && (at == 0 || !search.hides(at - 1))) next += "***";
    }
    result = std::move(next);
  }
}

Error KnownSecrets::masked(Error error) const {
  error.detail = masked(error.detail);
  error.service_code = masked(error.service_code);
  error.why = masked(error.why);
  return error;
}

bool KnownSecrets::appear_in(std::string_view text) const { return Search(known_, text).hides_any(); }

}  // namespace vtmirror::base
