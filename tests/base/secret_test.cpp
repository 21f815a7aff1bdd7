#include "vtmirror/base/secret.hpp"

#include <doctest/doctest.h>

#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

using vtmirror::base::Secret;

namespace {

const std::string short_text = "tiny";
/// What stays when only the first character is overwritten, as a moved string does.
const std::string rest_of_it = "iny";
const std::string long_text(200, 'x');

/// The bytes of a string's own object, where short texts live.
template <class Object>
std::string_view inside(const Object& object) {
  return {reinterpret_cast<const char*>(&object), sizeof(Object)};  // NOLINT: looking is the point
}

template <class T, class = void>
struct Streams : std::false_type {};
template <class T>
struct Streams<T, std::void_t<decltype(std::declval<std::ostream&>() << std::declval<const T&>())>> : std::true_type {};

}  // namespace

static_assert(!Streams<Secret>::value, "a secret cannot be printed by accident");
static_assert(!std::is_convertible_v<Secret, std::string>);
static_assert(!std::is_convertible_v<std::string, Secret>);
static_assert(std::is_nothrow_move_constructible_v<Secret> && std::is_nothrow_move_assignable_v<Secret>);

TEST_CASE("a wiped text is empty, and nothing of it is left, not even what a longer text left behind its end") {
  std::string text = "shortsecret";
  text.resize(4);
  REQUIRE(inside(text).find("tsecret") == std::string_view::npos);
  REQUIRE(inside(text).find("secret") != std::string_view::npos);
  vtmirror::base::wipe(text);
  CHECK(text.empty());
  CHECK(inside(text).find("secret") == std::string_view::npos);
  CHECK(inside(text).find("hor") == std::string_view::npos);
}

TEST_CASE("a long text keeps its buffer when it is wiped, so that no copy of it goes unwiped") {
  std::string text = long_text;
  const char* const buffer = text.data();
  vtmirror::base::wipe(text);
  CHECK(text.empty());
  CHECK(text.data() == buffer);
}

TEST_CASE("a secret is copied, moved, assigned and compared by its text") {
  for (const std::string& text : {short_text, long_text}) {
    const Secret original{text};
    Secret copy = original;
    CHECK(copy == original);
    Secret moved = std::move(copy);
    CHECK(moved.reveal() == text);
    CHECK(copy.empty());  // NOLINT: a secret that was moved from is empty, which is a promise
    Secret assigned{"before"};
    assigned = moved;
    CHECK(assigned == moved);
    assigned = std::move(moved);
    CHECK(assigned.reveal() == text);
    CHECK(moved.empty());  // NOLINT
    CHECK_FALSE(assigned == Secret{"other"});
  }
}

TEST_CASE("a secret survives its assignment to itself") {
  Secret secret{long_text};
  const Secret& same = secret;
  secret = same;
  CHECK(secret.reveal() == long_text);
  Secret& alias = secret;
  secret = std::move(alias);
  CHECK(secret.reveal() == long_text);
}

TEST_CASE("a short secret that was moved leaves no copy behind") {
  Secret secret{short_text};
  REQUIRE(inside(secret).find(short_text) != std::string_view::npos);
  const Secret taken = std::move(secret);
  CHECK(inside(secret).find(rest_of_it) == std::string_view::npos);  // NOLINT
  Secret target{"other"};
  Secret source{short_text};
  target = std::move(source);
  CHECK(inside(source).find(rest_of_it) == std::string_view::npos);  // NOLINT
}

TEST_CASE("a short secret that gives way to a long one leaves nothing behind") {
  Secret secret{short_text};
  secret = Secret{long_text};
  CHECK(secret.reveal() == long_text);
  CHECK(inside(secret).find(rest_of_it) == std::string_view::npos);
}
