// Every input of the corpus again: those that were found once stay mended.
#include "fuzz/targets.hpp"
#include "support/repository.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace vtmirror::test {
namespace {

const auto corpora = repository() / "tests/fuzz/corpus";

std::vector<std::filesystem::path> inputs_of(std::string_view target) {
  std::vector<std::filesystem::path> inputs;
  for (const auto& entry : std::filesystem::directory_iterator(corpora / target)) inputs.push_back(entry.path());
  std::ranges::sort(inputs);
  return inputs;
}

std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  REQUIRE(in.good());
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

TEST_CASE("the fuzzer begins with the settings that are shipped") {
  CHECK(bytes_of(corpora / "settings/shipped.toml") == bytes_of(repository() / "etc/vtmirror/vtmirror.toml"));
}

TEST_CASE("no input of the corpora breaks a promise, nor one of its beginnings") {
  for (const auto& target : fuzz::targets()) {
    const auto inputs = inputs_of(target.name);
    CAPTURE(target.name);
    CHECK(inputs.size() >= 2);
    for (const auto& file : inputs) {
      const auto input = bytes_of(file);
      CAPTURE(file.filename().string());
      CHECK_NOTHROW(target.run(input));
      // Cut off at 30 places.
      for (std::size_t at = 0; at < input.size(); at += std::max<std::size_t>(input.size() / 30, 1)) {
        CAPTURE(at);
        CHECK_NOTHROW(target.run(std::string_view(input).substr(0, at)));
      }
    }
  }
}

TEST_CASE("each directory of the corpora has its target") {
  for (const auto& entry : std::filesystem::directory_iterator(corpora)) {
    CAPTURE(entry.path().string());
    CHECK(std::ranges::count(fuzz::targets(), entry.path().filename().string(), &fuzz::Target::name) == 1);
  }
}

TEST_CASE("a promise that does not hold is a finding") {
  CHECK_NOTHROW(fuzz::demand(true, "holds"));
  CHECK_THROWS(fuzz::demand(false, "does not hold"));
}

}  // namespace
}  // namespace vtmirror::test
