#include "catalogue/made.hpp"
#include "catalogue/shown.hpp"
#include "support/temporary_directory.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include <array>
#include <csignal>
#include <functional>
#include <string>

namespace vtmirror::test {
namespace {

/// One step's writes; true when all of them reported success.
using Step = std::function<bool(catalogue::Catalogue&, int step)>;

[[noreturn]] void write_until_killed(const std::string& path, const Step& step, int acknowledged) {
  auto catalogue = catalogue::Catalogue::open(path, catalogue::Access::read_write);
  if (!catalogue) ::_exit(1);
  for (int number = 0; step(*catalogue, number); ++number) {
    if (::write(acknowledged, "+", 1) != 1) ::_exit(1);
  }
  ::_exit(1);
}

int read_some(int pipe, int wanted) {
  int acknowledged = 0;
  char byte = 0;
  while (acknowledged < wanted && ::read(pipe, &byte, 1) == 1) ++acknowledged;
  return acknowledged;
}

/// Kills a child that writes, after `steps` acknowledged steps and wherever it is by then. Gives how many steps it had
/// acknowledged.
int killed_after(const std::string& path, const Step& step, int steps) {
  std::array<int, 2> pipe{};
  REQUIRE(::pipe(pipe.data()) == 0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    ::close(pipe[0]);
    write_until_killed(path, step, pipe[1]);
  }
  ::close(pipe[1]);
  int acknowledged = read_some(pipe[0], steps);
  ::kill(child, SIGKILL);
  acknowledged += read_some(pipe[0], 1'000'000);  // what it said before the kill reached it
  ::close(pipe[0]);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFSIGNALED(status));
  REQUIRE(acknowledged >= steps);
  return acknowledged;
}

bool publish(catalogue::Catalogue& catalogue, int number) {
  if (number == 0 && !catalogue.set_channels({{"hook", {core::Topic::published}}})) return false;
  return catalogue.keep_partial(partial(number)) && catalogue.publish(file(number));
}

TEST_CASE("each publication that was acknowledged is there after a kill, whole, and at most one more") {
  for (int steps = 0; steps < 25; ++steps) {
    const TemporaryDirectory directory(TemporaryDirectory::base_in_memory());
    const auto path = (directory / "catalogue.db").string();
    const int acknowledged = killed_after(path, publish, steps);
    const auto after = remembered(opened(path));
    const auto held = static_cast<int>(after.files.size());
    CHECK(held >= acknowledged);
    CHECK(held <= acknowledged + 1);
    CHECK(after.generation == held);
    CHECK(after.changes.size() == after.files.size());
    CHECK(after.deliveries.size() == after.files.size());
    Memory expected;
    for (int number = 0; number < held; ++number) expected.files.push_back(file(number, number + 1));
    CHECK(shown(Memory{.files = after.files}) == shown(expected));
    CHECK(after.partials.size() <= 1);
  }
}

core::RangeSet mark(int number) {
  const core::Range ranges[] = {{0, 10 + number}, {900'000, 900'010 + 2 * number}};
  return core::RangeSet(ranges);
}

bool move_mark(catalogue::Catalogue& catalogue, int number) {
  auto large = partial(0);
  large.size = 1'000'000;
  large.durable = {};
  if (number == 0 && !catalogue.keep_partial(large)) return false;
  return catalogue.keep_durable(large.name, mark(number)).has_value();
}

TEST_CASE("the watermark after a kill is one that was recorded whole, and not older than the last acknowledged one") {
  for (int steps = 1; steps < 25; ++steps) {
    const TemporaryDirectory directory(TemporaryDirectory::base_in_memory());
    const auto path = (directory / "catalogue.db").string();
    const int acknowledged = killed_after(path, move_mark, steps);
    const auto partials = opened(path).partials().value();
    REQUIRE(partials.size() == 1);
    const auto& durable = partials.front().durable;
    CHECK((durable == mark(acknowledged - 1) || durable == mark(acknowledged)));
  }
}

TEST_CASE("a reader can read what a killed writer left, before the catalogue is repaired") {
  const TemporaryDirectory directory(TemporaryDirectory::base_in_memory());
  const auto path = (directory / "catalogue.db").string();
  const int acknowledged = killed_after(path, publish, 10);
  const auto reader = opened(path, catalogue::Access::read_only);
  CHECK(reader.generation().value() >= acknowledged);
}

TEST_CASE("processes that make one new catalogue at the same time all get it") {
  for (int round = 0; round < 10; ++round) {
    const TemporaryDirectory directory(TemporaryDirectory::base_in_memory());
    const auto path = (directory / "catalogue.db").string();
    std::array<pid_t, 4> children{};
    for (auto& child : children) {
      child = ::fork();
      REQUIRE(child >= 0);
      if (child != 0) continue;
      auto catalogue = catalogue::Catalogue::open(path, catalogue::Access::read_write);
      ::_exit(catalogue && catalogue->begin_cycle(at(0)) ? 0 : 1);
    }
    for (const auto child : children) {
      int status = -1;
      REQUIRE(::waitpid(child, &status, 0) == child);
      CHECK(status == 0);
    }
    CHECK(opened(path).history(99).value().size() == children.size());
  }
}

}  // namespace
}  // namespace vtmirror::test
