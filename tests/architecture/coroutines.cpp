#include "architecture/coroutines.hpp"

#include "architecture/tokens.hpp"

#include <algorithm>
#include <string_view>

namespace vtmirror::architecture {
namespace {

using Tokens = std::vector<Token>;

bool is_any(const std::string& text, std::initializer_list<std::string_view> of) {
  for (const auto each : of) {
    if (text == each) return true;
  }
  return false;
}

/// Walks the tokens with the open brackets on a stack, so that each co_await is seen with the statement that it stands
/// in.
class Walk {
 public:
  Walk(const Source& file, const std::set<std::string>& may_stand_alone)
      : path_(file.path), tokens_(tokens(file.text)), may_stand_alone_(may_stand_alone) {}

  std::vector<Finding> findings() {
    stack_.push_back({Bracket::block, false, {}});
    for (at_ = 0; at_ < tokens_.size(); ++at_) step();
    return std::move(found_);
  }

 private:
  enum class Bracket { block, braces, round, square };

  /// Depths are heights of the stack; 0 is "none".
  struct Statement {
    std::size_t first = 0;  ///< token after the end of the last one
    int awaits = 0;
    std::size_t operand = 0;  ///< where the operand of a co_await continues
    std::size_t await = 0;    ///< where a co_await has stood since the last comma
    std::size_t choice = 0;   ///< where a ? has
  };
  struct Open {
    Bracket kind{};
    bool condition = false;  ///< of if, while, switch or for
    Statement statement{};   ///< of a block: the one that is being read
  };

  void step() {
    const auto& text = tokens_[at_].text;
    if (text == "co_await") return await();
    if (text == "?") return choose();
    if (text == "(") return open(Bracket::round, follows_condition_word());
    if (text == "[") return open(Bracket::square, false);
    if (text == "{") return brace();
    if (is_any(text, {")", "]", "}"})) return close();
    if (text == ",") return next_part();
    if (text == ";") return semicolon();
    if (is_any(text, {"else", "do"}) || is_label()) begin_statement();
  }

  Statement& statement() {
    for (auto open = stack_.rbegin(); open != stack_.rend(); ++open) {
      if (open->kind == Bracket::block) return open->statement;
    }
    return stack_.front().statement;
  }

  void begin_statement() { statement() = {at_ + 1, 0, 0, 0, 0}; }

  /// Behind a comma, or a semicolon in brackets, an expression of its own begins.
  void next_part() {
    auto& now = statement();
    for (auto* depth : {&now.operand, &now.await, &now.choice}) {
      if (*depth >= stack_.size()) *depth = 0;
    }
  }

  void await() {
    auto& now = statement();
    if (now.awaits++ > 0) report("one co_await a statement");
    if (in_condition()) report("no co_await in the condition of if, while, switch or for");
    if (now.choice > 0) report("no co_await in a ?: expression");
    if (at_ == now.first && !may_stand_alone()) report("the result of a co_await is looked at, never dropped");
    now.operand = now.await = stack_.size();
  }

  void choose() {
    auto& now = statement();
    now.choice = stack_.size();
    if (now.await >= stack_.size()) report("no co_await in a ?: expression");
  }

  void semicolon() {
    if (stack_.back().kind == Bracket::block) return begin_statement();
    next_part();
  }

  void open(Bracket kind, bool condition) { stack_.push_back({kind, condition, {}}); }

  void brace() {
    const bool block = opens_block();
    const auto& now = statement();
    if (now.operand > 0) report("no { in the operand of a co_await: name the argument first");
    stack_.push_back({block ? Bracket::block : Bracket::braces, false, {at_ + 1, 0, 0, 0, 0}});
  }

  void close() {
    if (stack_.size() == 1) return;
    const auto closed = stack_.back();
    stack_.pop_back();
    auto& now = statement();
    if (now.operand > stack_.size()) now.operand = 0;
    if (now.choice > stack_.size()) now.choice = 0;
    now.await = std::min(now.await, stack_.size());  // what was in the brackets is in the expression around them
    const bool ends = closed.condition || (closed.kind == Bracket::block && stack_.back().kind == Bracket::block);
    if (ends) begin_statement();
  }

  bool in_condition() const {
    for (auto open = stack_.rbegin(); open != stack_.rend() && open->kind != Bracket::block; ++open) {
      if (open->condition) return true;
    }
    return false;
  }

  const std::string& before(std::size_t steps) const {
    static const std::string none;
    return at_ >= steps ? tokens_[at_ - steps].text : none;
  }

  bool follows_condition_word() const {
    return is_any(before(1), {"if", "while", "switch", "for"}) || (before(1) == "constexpr" && before(2) == "if");
  }

  bool is_label() const {
    if (tokens_[at_].text != ":" || stack_.back().kind != Bracket::block) return false;
    const auto& first = tokens_[stack_.back().statement.first].text;
    return is_any(first, {"case", "default", "public", "private", "protected"});
  }

  /// Whether this { begins statements (a body) and not the values of an object.
  bool opens_block() {
    if (is_any(before(1),
               {"", ")", "]", "{", "}", ";", "else", "do", "try", "const", "noexcept", "mutable", "override", ":"}))
      return true;
    const auto& first = tokens_[statement().first].text;
    if (is_any(first, {"namespace", "struct", "class", "enum", "union", "template", "extern", "inline", "export"}))
      return true;
    return follows_return_type();
  }

  /// "-> awaitable<Result<void>> {": back over what may stand in a type to the arrow.
  bool follows_return_type() const {
    for (std::size_t back = 1; back <= at_; ++back) {
      const auto& token = tokens_[at_ - back];
      if (token.text == "->") return true;
      if (!is_word(token) && !is_any(token.text, {"::", "<", ">", "&", "*", ","})) return false;
    }
    return false;
  }

  /// "timer_.async_wait" of `co_await timer_.async_wait(...)`.
  std::string callee() const {
    std::string name;
    auto at = at_ + 1;
    for (; at < tokens_.size() && !is_any(tokens_[at].text, {"(", ";", "{"}); ++at) name += tokens_[at].text;
    if (name == "std::move" && at + 2 < tokens_.size()) name += "(" + tokens_[at + 1].text + tokens_[at + 2].text;
    return name;
  }

  bool may_stand_alone() const {
    const auto name = callee();
    return std::any_of(may_stand_alone_.begin(), may_stand_alone_.end(), [&](const std::string& allowed) {
      if (!name.ends_with(allowed)) return false;
      return name.size() == allowed.size() ||
             std::string_view("_.:>").find(name[name.size() - allowed.size() - 1]) != std::string_view::npos;
    });
  }

  void report(std::string rule) { found_.push_back({path_, tokens_[at_].line, std::move(rule)}); }

  std::string path_;
  Tokens tokens_;
  const std::set<std::string>& may_stand_alone_;
  std::vector<Open> stack_;
  std::vector<Finding> found_;
  std::size_t at_ = 0;
};

/// The token behind the > that closes the < at `open`; the end where there is none.
std::size_t behind_angle(const Tokens& all, std::size_t open) {
  int depth = 0;
  for (auto at = open; at < all.size() && all[at].text != ";"; ++at) {
    if (all[at].text == "<") ++depth;
    if (all[at].text == ">" && --depth == 0) return at + 1;
  }
  return all.size();
}

/// The declared name, qualified or not: "finish" of `Fetch::finish(`; empty where no function is declared.
std::string declared_name(const Tokens& all, std::size_t at) {
  while (at + 2 < all.size() && is_word(all[at]) && all[at + 1].text == "::") at += 2;
  return at + 1 < all.size() && is_word(all[at]) && all[at + 1].text == "(" ? all[at].text : "";
}

}  // namespace

std::set<std::string> void_coroutines(const std::vector<Source>& files) {
  std::set<std::string> nothing;
  std::set<std::string> something;
  for (const auto& file : files) {
    const auto all = tokens(file.text);
    for (std::size_t at = 0; at + 2 < all.size(); ++at) {
      if (all[at].text != "awaitable" || all[at + 1].text != "<") continue;
      const auto name = declared_name(all, behind_angle(all, at + 1));
      const bool is_void = all[at + 2].text == "void" && all[at + 3].text == ">";
      if (!name.empty()) (is_void ? nothing : something).insert(name);
    }
  }
  for (const auto& name : something) nothing.erase(name);
  return nothing;
}

std::set<std::string> calls(const std::vector<Source>& files, const std::set<Wait>& waits) {
  std::set<std::string> all;
  for (const auto& file : files) {
    const auto read = tokens(file.text);
    for (std::size_t at = 0; at + 2 < read.size(); ++at) {
      const auto object = at + (read[at + 1].text == "&" ? 2 : 1);
      if (object + 1 >= read.size() || !is_word(read[object]) ||
          !is_any(read[object + 1].text, {";", ",", ")", "(", "{", "="}))
        continue;
      for (const auto& wait : waits) {
        if (wait.type == read[at].text) all.insert(read[object].text + "." + wait.name);
      }
    }
  }
  return all;
}

std::vector<Finding> check_coroutines(const Source& file, const std::set<std::string>& may_stand_alone) {
  return Walk(file, may_stand_alone).findings();
}

}  // namespace vtmirror::architecture
