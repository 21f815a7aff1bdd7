// Held files are read again: what is found on each kind of shelf, and what follows from it.
#include "vtmirror/agent/verification.hpp"
#include "support/agent_rig.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

using namespace vtmirror;
using namespace vtmirror::test;

namespace {

using core::Verdict;

/// A mirror that holds a Wednesday's files.
struct Rig : AgentRig {
  explicit Rig(MemoryStorage::Way way = MemoryStorage::Way::rename) : AgentRig(way) {
    list_wednesday(*this);
    REQUIRE(cycle());
    REQUIRE(holds_everything());
  }

  struct End {
    base::Result<void> ended;
    core::VerificationReport report;
    bool done = false;
  };
  /// A process that reads files again and ends. `repair`: with a cycle after it.
  End verify(std::vector<std::string> names = {}, bool repair = false) {
    std::optional<End> end;
    work_in_process([&](agent::Ports ports, std::shared_ptr<agent::Agent> agent) {
      return run(ports, std::move(agent), std::move(names), repair, end);
    });
    return *end;
  }

  static boost::asio::awaitable<void> run(agent::Ports ports, std::shared_ptr<agent::Agent> agent,
                                          std::vector<std::string> names, bool repair, std::optional<End>& end) {
    const auto recovered = co_await agent->recover();
    REQUIRE(recovered);
    agent::Verification work(ports, {.names = std::move(names)});
    auto ended = co_await work.run(agent);
    if (repair) {
      const auto cycle = co_await agent->cycle();
      REQUIRE(cycle);
      ended = co_await work.look_again();
    }
    end = End{std::move(ended), work.report(), work.is_done()};
  }

  /// What was found, as "delta 16 Nov damaged".
  static std::vector<std::string> found(const core::VerificationReport& report) {
    std::vector<std::string> words;
    for (const auto& finding : report.findings)
      words.push_back(core::short_name(finding.name) + " " + std::string(core::name(finding.verdict)));
    return words;
  }
  bool is_named(const std::string& name) const {
    return std::ranges::find(storage.sums, name, &core::Held::name) != storage.sums.end();
  }
  core::FileRecord record(const std::string& name) const { return catalogue.file(name).value().value(); }
};

const std::string sixteenth = delta_name(16);

}  // namespace

TEST_CASE("a verification of whole files finds nothing, changes nothing and remembers when they were read") {
  for (const auto way : {MemoryStorage::Way::rename, MemoryStorage::Way::copy}) {
    Rig rig(way);
    const auto generation = rig.catalogue.generation().value();
    const auto published = rig.record(sixteenth).published_at;
    CHECK(rig.record(sixteenth).read_at == published);
    rig.clock.advance(std::chrono::hours(100));
    const auto end = rig.verify();
    REQUIRE(end.ended);
    CHECK(end.done);
    CHECK(core::is_clean(end.report));
    CHECK(end.report.files == 5);
    CHECK(end.report.bytes == 380'000);
    CHECK(rig.catalogue.generation().value() == generation);
    CHECK(rig.record(sixteenth).published_at == published);
    CHECK(rig.record(sixteenth).read_at > published + std::chrono::hours(99));
    REQUIRE(end.report.chain);
    CHECK(end.report.chain->complete);
  }
}

TEST_CASE(
    "flipped, cut, grown, missing, replaced and unreadable files leave the texts until a cycle has repaired them") {
  struct Harm {
    std::string what;
    void (*harm)(Rig& rig);
    Verdict verdict{};
  };
  const std::vector<Harm> harms{
      {"a flipped bit", [](Rig& rig) { rig.storage.published.at(sixteenth)[777] ^= 1; }, Verdict::damaged},
      {"cut", [](Rig& rig) { rig.storage.published.at(sixteenth).resize(19'999); }, Verdict::damaged},
      {"grown", [](Rig& rig) { rig.storage.published.at(sixteenth) += 'x'; }, Verdict::damaged},
      {"missing", [](Rig& rig) { rig.storage.published.erase(sixteenth); }, Verdict::lost},
      {"replaced", [](Rig& rig) { rig.storage.published.at(sixteenth) = numbered_bytes(9, 0, 20'000); },
       Verdict::damaged},
      {"unreadable", [](Rig& rig) { rig.storage.unreadable.insert(sixteenth); }, Verdict::damaged},
  };
  for (const auto way : {MemoryStorage::Way::rename, MemoryStorage::Way::copy}) {
    for (const auto& each : harms) {
      CAPTURE(each.what);
      Rig rig(way);
      each.harm(rig);
      const auto end = rig.verify();
      REQUIRE(end.ended);
      REQUIRE(end.report.findings.size() == 1);
      const auto& finding = end.report.findings.front();
      CHECK(finding.name == sixteenth);
      CHECK(finding.verdict == each.verdict);
      CHECK(finding.listed);
      CHECK_FALSE(core::is_clean(end.report));
      CHECK_FALSE(rig.is_named(sixteenth));
      CHECK(rig.is_named(bulk_name));
      REQUIRE(end.report.chain);
      CHECK_FALSE(end.report.chain->complete);
      REQUIRE(rig.catalogue.damages().value().size() == 1);
      CHECK(rig.catalogue.damages().value().front().name == sixteenth);
      CHECK_FALSE(rig.catalogue.damages().value().front().cause.detail.empty());

      rig.storage.unreadable.clear();
      const auto repaired = rig.verify({}, true);
      REQUIRE(repaired.ended);
      CHECK(core::is_clean(repaired.report));
      CHECK(rig.holds_everything());
      CHECK(rig.is_named(sixteenth));
      CHECK(rig.catalogue.damages().value().empty());
      CHECK(repaired.report.chain->complete);
    }
  }
}

TEST_CASE("a damaged file that is not listed any more stays out of the chain, and is whole again when it is put back") {
  Rig rig;
  const auto bytes = rig.storage.published.at(sixteenth);
  rig.service.files.erase(sixteenth);
  rig.storage.published.at(sixteenth)[5] ^= 1;
  const auto end = rig.verify({}, true);
  REQUIRE(end.ended);
  // The next cycle's listing decides whether it can come.
  CHECK(Rig::found(end.report) == std::vector<std::string>{"delta 16 Nov damaged"});
  CHECK_FALSE(core::is_clean(end.report));
  CHECK_FALSE(end.report.chain->complete);
  const auto again = rig.verify();
  REQUIRE(again.report.findings.size() == 1);
  CHECK_FALSE(again.report.findings.front().listed);

  rig.storage.published[sixteenth] = bytes;
  const auto back = rig.verify();
  CHECK(Rig::found(back.report) == std::vector<std::string>{"delta 16 Nov mended"});
  CHECK(core::is_clean(back.report));
  CHECK(rig.is_named(sixteenth));
  CHECK(rig.catalogue.damages().value().empty());
  CHECK(back.report.chain->complete);
}

TEST_CASE("names select the files that are read, and a name that selects none is an error before anything is read") {
  Rig rig;
  rig.storage.published.at(sixteenth)[5] ^= 1;
  rig.storage.published.at(delta_name(17))[5] ^= 1;
  const auto bulk = rig.verify({"bulk", "2026-11-18"});
  CHECK(bulk.report.files == 2);
  CHECK(core::is_clean(bulk.report));
  CHECK(Rig::found(rig.verify({"2026-11-16"}).report) == std::vector<std::string>{"delta 16 Nov damaged"});
  CHECK(rig.is_named(delta_name(17)));
  const auto wrong = rig.verify({"2026-11-17", "nonsense"});
  REQUIRE_FALSE(wrong.ended);
  CHECK(wrong.ended.error().code == base::Errc::config);
  CHECK(wrong.report.files == 0);
}

TEST_CASE("without digests the ZIPs' own checksums decide") {
  Rig rig;
  rig.settings.check = {.zip = true, .digest = false};
  // As a mirror has it with `mirror.digest = "none"`.
  auto file = rig.record(sixteenth);
  file.sha256.clear();
  REQUIRE(rig.catalogue.publish(file));
  REQUIRE(rig.verify({"2026-11-16"}).ended);
  CHECK(rig.catalogue.damages().value().empty());
  rig.storage.published.at(sixteenth)[5] ^= 1;
  CHECK(Rig::found(rig.verify({"2026-11-16"}).report) == std::vector<std::string>{"delta 16 Nov damaged"});
}

TEST_CASE("a file in whose check the program ended too often is not read, and counts as not verified") {
  Rig rig;
  for (int n = 0; n < core::deadly_checks; ++n) REQUIRE(rig.catalogue.begin_check(sixteenth, 20'000, rig.clock.now()));
  const auto end = rig.verify();
  CHECK(Rig::found(end.report) == std::vector<std::string>{"delta 16 Nov unread"});
  CHECK_FALSE(core::is_clean(end.report));
  CHECK(rig.is_named(sixteenth));
}

TEST_CASE("a manifest that cannot be written does not hide what was found, and the next cycle writes it") {
  Rig rig;
  rig.storage.published.at(sixteenth)[5] ^= 1;
  rig.storage.texts_left = 1;  // the start's
  const auto end = rig.verify();
  CHECK(end.ended);
  CHECK(Rig::found(end.report) == std::vector<std::string>{"delta 16 Nov damaged"});
  CHECK(rig.is_named(sixteenth));
  rig.storage.texts_left.reset();
  REQUIRE(rig.cycle());
  CHECK(rig.holds_everything());
  CHECK(rig.is_named(sixteenth));
}

TEST_CASE("a verification that is interrupted continues with the files that are left, with another agent too") {
  Rig rig;
  rig.storage.published.at(delta_name(18))[5] ^= 1;
  bool first_done = true;
  std::optional<core::VerificationReport> report;
  rig.work_in_process([&](agent::Ports ports, std::shared_ptr<agent::Agent> agent) {
    auto interrupted = [](agent::Ports where, std::shared_ptr<agent::Agent> by, bool& done,
                          std::optional<core::VerificationReport>& end) -> boost::asio::awaitable<void> {
      const auto recovered = co_await by->recover();
      REQUIRE(recovered);
      agent::Verification work(where, {});
      work.interrupt();
      const auto none = co_await work.run(by);
      REQUIRE(none);
      done = work.is_done();
      work.resume();
      const auto all = co_await work.run(by);
      REQUIRE(all);
      end = work.report();
      CHECK(work.is_done());
      CHECK(work.pop_found());
      CHECK_FALSE(work.pop_found());
    };
    return interrupted(ports, std::move(agent), first_done, report);
  });
  CHECK_FALSE(first_done);
  CHECK(report->files == 5);
  CHECK(report->left == 0);
  CHECK(Rig::found(*report) == std::vector<std::string>{"delta 18 Nov damaged"});
}
