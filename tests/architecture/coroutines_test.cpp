#include "architecture/coroutines.hpp"

#include <doctest/doctest.h>

#include <string>

namespace vtmirror::architecture {
namespace {

/// Waits of Asio whose result says nothing, or comes as an exception; and the task that a TaskGroup was given.
const std::set<std::string> plain_waits{"async_wait",         "post",           "dispatch",
                                        "async_receive",      "async_send",     "reset_cancellation_state",
                                        "throw_if_cancelled", "std::move(task)"};

/// Our own that return nothing, where another function of that name does return something (Clock::wait,
/// Blocks::acquire, Recovery::run).
const std::set<Wait> own_waits{{"Wake", "wait"}, {"Slots", "acquire"}, {"RunOnce", "run"}};

std::vector<Finding> check(const std::string& body) {
  return check_coroutines({"src/agent/x.cpp", "awaitable<Result<int>> f(int a) {\n" + body + "\n}\n"},
                          {"async_wait", "pump", "turn_.acquire"});
}

bool accepts(const std::string& body) {
  const auto found = check(body);
  INFO(body, "\n", listed(found));
  CHECK(found.empty());
  return found.empty();
}

bool refuses(const std::string& body, const std::string& rule) {
  const auto found = check(body);
  INFO(body, "\n", listed(found));
  CHECK(found.size() == 1);
  return found.size() == 1 && found.front().rule.find(rule) != std::string::npos;
}

TEST_CASE("every co_await of the project has a form that GCC 12.2 compiles rightly and drops no result") {
  const auto files = sources({"include", "src", "tests"}, {".hpp", ".cpp"});
  auto may_stand_alone = void_coroutines(files);
  may_stand_alone.insert(plain_waits.begin(), plain_waits.end());
  may_stand_alone.merge(calls(files, own_waits));
  std::vector<Finding> found;
  for (const auto& file : files) add(found, check_coroutines(file, may_stand_alone));
  INFO(listed(found));
  CHECK(found.empty());
}

TEST_CASE("plain forms of co_await pass") {
  CHECK(accepts("auto r = co_await g(a);\nco_return r;"));
  CHECK(accepts("co_return co_await g(a);"));
  CHECK(accepts("if (a) co_return co_await g(a);\nelse co_return co_await h(a);"));
  CHECK(accepts("if (a) { auto r = co_await g(a); }\nauto s = co_await h(T_of(a));"));
  CHECK(accepts("for (auto& x : xs) { auto r = co_await g(x); }"));
  CHECK(accepts("switch (a) {\n  case 1: co_return co_await g(a);\n  default: co_return co_await h(a);\n}"));
  CHECK(accepts("T t{1, 2};\nauto r = co_await g(t);\nU u{r ? 1 : 2};"));
}

TEST_CASE("a lambda's body has statements of its own") {
  CHECK(accepts(
      "co_spawn(loop, [](int b) -> asio::awaitable<Result<void>> { auto r = co_await g(b); co_return r; }, done);"));
  CHECK(accepts("co_spawn(loop, [] { return 1; }, done);\nauto r = co_await g(a);"));
}

TEST_CASE("two co_await in one statement are refused") {
  CHECK(refuses("auto r = add(co_await g(a), co_await h(a));", "one co_await a statement"));
  CHECK(refuses("auto r = co_await g(a),\n     s = co_await h(a);", "one co_await a statement"));
}

TEST_CASE("a brace in the operand of a co_await is refused") {
  CHECK(refuses("auto r = co_await g(T{1});", "no {"));
  CHECK(refuses("auto r = co_await g({1, 2});", "no {"));
  CHECK(refuses("auto r = co_await g([&] { return 1; });", "no {"));
  CHECK(refuses("auto r = co_await T{1};", "no {"));
}

TEST_CASE("a brace beside the operand of a co_await is no part of it") {
  CHECK(accepts("auto r = f(co_await g(a), T{1});"));
  CHECK(accepts("auto r = f(T{1}, co_await g(a));"));
}

TEST_CASE("a co_await in a condition is refused") {
  CHECK(refuses("if (co_await g(a)) return;", "condition"));
  CHECK(refuses("while (!(co_await g(a)).ok()) step();", "condition"));
  CHECK(refuses("if (auto r = co_await g(a); r) return;", "condition"));
  CHECK(refuses("switch (co_await g(a)) {\n  default: break;\n}", "condition"));
  CHECK(refuses("for (; co_await g(a);) step();", "condition"));
  CHECK(refuses("do { step(); } while (co_await g(a));", "condition"));
}

TEST_CASE("a co_await in a choice of two values is refused") {
  CHECK(refuses("auto r = a ? co_await g(a) : T(1);", "?:"));
  CHECK(refuses("auto r = a ? f(co_await g(a)) : 2;", "?:"));
  CHECK(refuses("auto r = f(co_await g(a)) ? 1 : 2;", "?:"));
  CHECK(refuses("auto r = (co_await g(a)).ok() ? 1 : 2;", "?:"));
}

TEST_CASE("a choice among the arguments beside or within an operand holds no co_await") {
  CHECK(accepts("auto r = co_await g(a ? 1 : 2, b);"));
  CHECK(accepts("auto r = f(co_await g(a), b ? 1 : 2);"));
  CHECK(accepts("auto r = f(b ? 1 : 2, co_await g(a));"));
  CHECK(accepts("auto r = f(b ? 1 : 2) + co_await g(a);"));
}

TEST_CASE("a result that nobody looks at is refused, a wait without a result is not") {
  CHECK(refuses("co_await g(a);", "dropped"));
  CHECK(refuses("if (a) co_await g(a);", "dropped"));
  CHECK(refuses("for (auto& x : xs) co_await this->g(x);", "dropped"));
  CHECK(accepts("co_await timer_.async_wait(use_awaitable);"));
  CHECK(accepts("co_await token_turn_.acquire();"));
  CHECK(refuses("co_await blocks_.acquire();", "dropped"));
  CHECK(refuses("co_await jump(a);", "dropped"));
  CHECK(accepts("if (a) {\n  co_await pump(a);\n}"));
}

TEST_CASE("a co_await in a comment or a text is none") {
  CHECK(accepts("// if (co_await g(a))\n/* co_await g(T{1}); */ auto t = \"co_await g();\";"));
  CHECK(accepts("auto t = R\"x(if (co_await g(a)) \" )x\";\nauto n = 1'000'000;\nauto r = co_await g(n);"));
}

TEST_CASE(
    "coroutines that return nothing are known by their declarations, unless the name returns something elsewhere") {
  const std::vector<Source> files{{"a.hpp", "asio::awaitable<void> pump(int a);\nasio::awaitable<void> both();\n"},
                                  {"b.cpp",
                                   "asio::awaitable<base::Result<void>> both(int) {}\nasio::awaitable<void> "
                                   "Fetch::finish() {}\nawaitable<Result<int>> g();"}};
  CHECK(void_coroutines(files) == std::set<std::string>{"pump", "finish"});
}

TEST_CASE("a wait of ours is known by the type of the object that it is called on") {
  const std::vector<Source> files{
      {"a.hpp", "Slots turn_;\nconst Held held(Slots& slots);\nBlocks blocks_;\nclass Slots {\n"}};
  CHECK(calls(files, {{"Slots", "acquire"}}) == std::set<std::string>{"turn_.acquire", "slots.acquire"});
}

TEST_CASE("a finding names the line of the co_await") {
  const auto found = check("step();\n\nif (co_await g(a)) step();");
  REQUIRE(found.size() == 1);
  CHECK(found.front().line == 4);
}

}  // namespace
}  // namespace vtmirror::architecture
