// What the style sheet promises to eyes that see little contrast or few colours.
#include "vtmirror/web/page.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

namespace vtmirror::web {
namespace {

std::string_view style() { return find_file("/style.css")->bytes; }

/// "#0f766e" of a name such as "--held"; the colours of the dark follow those of the light.
std::string colour(std::string_view name, bool dark) {
  const auto scheme = dark ? style().find("prefers-color-scheme: dark") : 0;
  const auto place = style().find(std::string(name) + ": #", scheme);
  REQUIRE(place != std::string_view::npos);
  return std::string(style().substr(place + name.size() + 2, 7));
}

/// As WCAG 2.2 defines relative luminance.
double luminance(const std::string& colour) {
  const auto channel = [&](std::size_t at) {
    const auto value = std::stoi(colour.substr(at, 2), nullptr, 16) / 255.0;
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
}

double contrast(const std::string& one, const std::string& other) {
  const auto [dark, light] = std::minmax({luminance(one), luminance(other)});
  return (light + 0.05) / (dark + 0.05);
}

TEST_CASE("what shows the state of a day has a contrast of 3 to 1 with the page, in the light and in the dark") {
  for (const bool dark : {false, true}) {
    CAPTURE(dark);
    for (const auto* name : {"--held", "--edge", "--accent", "--move", "--wait", "--trouble"}) {
      CAPTURE(name);
      CHECK(contrast(colour(name, dark), colour("--sheet", dark)) >= 3);
    }
    CHECK(contrast(colour("--on-colour", dark), colour("--accent", dark)) >= 4.5);
  }
  for (const auto* rule : {".year td.held, .key.held { background: var(--held); }",
                           ".year td.removed, .key.removed { box-shadow: inset 0 0 0 1px var(--edge); }"})
    CHECK(style().find(rule) != std::string_view::npos);
}

TEST_CASE("days to load differ from the other held days by a mark too") {
  CHECK(style().find("td.load.held::before, .key.load::before { content: \"\\2022\" / \"\"; }") !=
        std::string_view::npos);
}

TEST_CASE("one click selects a whole command of an advice") {
  const auto rule = style().substr(style().find("\n.advice code {"));
  CHECK(rule.find("user-select: all;") < rule.find('}'));
}

}  // namespace
}  // namespace vtmirror::web
