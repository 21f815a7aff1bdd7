// One system call that fails, or does half of its work, at each point of a first start, of a roll-over with a
// republished file and of a recovery after kill -9, by `sync` and by a daemon that is stopped after its cycle; and
// every call from such a point on, like a disk that has died: nothing untrue is public, nothing is lost, and the next
// sync ends whole. VTMIRROR_FAULTS=all tries every call (hours) instead of a few hundred, and a tenth of them for ever;
// VTMIRROR_FAULTS_SHARE=0/4 every fourth of those, VTMIRROR_FAULTS_KINDS=EIO,EMFILE those of two kinds;
// VTMIRROR_FAULTS_POINT=EIO/17 one, and EIO+/17 all from that one on.
#include "end_to_end/refused_calls.hpp"
#include "end_to_end/rig.hpp"
#include "support/skip.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <optional>
#include <set>
#include <sstream>

using namespace vtmirror::test;
namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

struct Fault {
  Refusal refusal;
  Lasts lasts;
};

std::string shown(const Fault& fault) {
  return std::string(name(fault.refusal)) + (fault.lasts == Lasts::for_ever ? "+" : "");
}

/// A call that is interrupted for ever is repeated for ever.
std::vector<Fault> all_faults() {
  std::vector<Fault> faults;
  for (const auto lasts : {Lasts::once, Lasts::for_ever})
    for (const auto refusal : refusals)
      if (lasts == Lasts::once || refusal != Refusal::interrupted) faults.push_back({refusal, lasts});
  return faults;
}

std::string variable(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? "" : text;
}

/// Those of the kinds that the environment names; all if it names none.
std::vector<Fault> chosen_faults() {
  auto faults = all_faults();
  const auto kinds = variable("VTMIRROR_FAULTS_KINDS");
  if (kinds.empty()) return faults;
  std::set<std::string> wanted;
  std::istringstream names(kinds);
  for (std::string each; std::getline(names, each, ',');) wanted.insert(each);
  for (const auto& each : wanted)
    if (std::ranges::none_of(refusals, [&](Refusal refusal) { return name(refusal) == each; }))
      throw std::runtime_error("VTMIRROR_FAULTS_KINDS has " + each + ", which is no kind of fault, as EIO is");
  std::erase_if(faults, [&](const Fault& fault) { return !wanted.contains(std::string(name(fault.refusal))); });
  return faults;
}

/// How many calls are refused of each scenario and kind of fault, unless all are.
long sample_of(const Fault& fault) {
  if (fault.lasts == Lasts::for_ever) return 2;
  return fault.refusal == Refusal::interrupted || fault.refusal == Refusal::half_written ? 3 : 8;
}

/// One call of one kind of fault: "EIO+/17".
struct Point {
  std::string fault;
  long at = 0;
};

/// Nothing for a text that no fault matches, so that nothing would be tried.
std::optional<Point> point_in(const std::string& text) {
  const auto slash = text.find('/');
  if (slash == std::string::npos) return std::nullopt;
  Point point{.fault = text.substr(0, slash)};
  const auto number = std::string_view(text).substr(slash + 1);
  const auto read = std::from_chars(number.data(), number.data() + number.size(), point.at);
  if (read.ec != std::errc() || read.ptr != number.data() + number.size() || point.at < 1) return std::nullopt;
  const auto faults = all_faults();
  const bool is_known = std::ranges::any_of(faults, [&](const Fault& fault) { return shown(fault) == point.fault; });
  return is_known ? std::optional(point) : std::nullopt;
}

/// The numbers of the calls, of `count`, that are refused. The environment may choose them.
std::vector<long> points(const Fault& fault, long count) {
  if (const auto chosen = variable("VTMIRROR_FAULTS_POINT"); !chosen.empty()) {
    const auto point = point_in(chosen);
    if (!point)
      throw std::runtime_error("VTMIRROR_FAULTS_POINT=" + chosen + " names no call of a fault, as EIO/17 does");
    return point->fault == shown(fault) ? std::vector{point->at} : std::vector<long>();
  }
  const auto share = variable("VTMIRROR_FAULTS_SHARE");
  const auto slash = share.find('/');
  const long first = share.empty() ? 0 : std::stol(share);
  const long of = slash == std::string::npos ? 1 : std::stol(share.substr(slash + 1));
  const bool all = variable("VTMIRROR_FAULTS") == "all";
  const long each = fault.lasts == Lasts::for_ever ? 10 : 1;
  const long step = all ? of * each : std::max(1L, count / sample_of(fault));
  std::vector<long> chosen;
  for (long at = 1 + (all ? first : step / 2); at <= count; at += step) chosen.push_back(at);
  return chosen;
}

/// The dynamic loader could not read a library. No line of the program ran; systemd starts it again.
bool never_began(const Ended& ended) {
  return ended.status == 127 && ended.err.find("error while loading shared libraries") != std::string::npos;
}

using Digests = std::map<std::string, std::string>;  ///< by name

bool has(const Digests& files, const std::string& file, const std::string& digest) {
  const auto found = files.find(file);
  return found != files.end() && found->second == digest;
}

/// Name and digest, as `sha256sum` reads them.
std::vector<std::pair<std::string, std::string>> sums_of(const fs::path& path) {
  std::vector<std::pair<std::string, std::string>> sums;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (line.size() > 66) sums.emplace_back(line.substr(66), line.substr(0, 64));
  return sums;
}

/// The names of the published files whose notices are still to be sent.
std::set<std::string> queued(const fs::path& catalogue) {
  std::set<std::string> names;
  sqlite3* database = nullptr;
  sqlite3_stmt* rows = nullptr;
  REQUIRE(sqlite3_open(catalogue.c_str(), &database) == SQLITE_OK);
  REQUIRE(sqlite3_prepare_v2(database, "SELECT body FROM notice WHERE topic = 'published'", -1, &rows, nullptr) ==
          SQLITE_OK);
  while (sqlite3_step(rows) == SQLITE_ROW) {
    const auto body = json::parse(reinterpret_cast<const char*>(sqlite3_column_text(rows, 0)));
    names.emplace(body.at("file").as_string());
  }
  sqlite3_finalize(rows);
  sqlite3_close(database);
  return names;
}

/// A mirror before the trial, to which every trial returns.
class Scenario {
 public:
  /// `what`: for people; `by`: the command that is tried, `sync` or `run`.
  Scenario(std::string what, const std::string& script, const std::string& date, std::string by = "sync")
      : rig(script, date, TemporaryDirectory::base_in_memory()), what_(std::move(what)), by_(std::move(by)) {
    rig.set("mirror", "keep_cycles", "1");
    rig.set("schedule", "retry", "\"1s\"");
    // Where each connection is refused for ever, the usual eight tries of each file take longer than a run may.
    rig.set("download", "attempts", "3");
    add_hook(rig, R"(["published"])", "echo \"$VTMIRROR_FILE\" >> " + heard.string());
    remember();
  }

  /// Makes the present state the one that each trial begins with.
  void remember() {
    before = rig.held();
    fs::create_directories(state);
    write_file(heard, fs::exists(heard) ? read_file(heard) : "");
    copy(state, kept / "state");
    copy(heard, kept / "heard");
  }

  /// Runs a trial for each call that is to be refused. Returns a summary for people.
  std::string try_all(const Fault& fault) {
    upstream = rig.upstream();
    const auto counted = trial(fault, 0);
    REQUIRE(counted.ended.status == 0);
    std::map<int, int> ends;
    const auto chosen = points(fault, counted.calls);
    for (const auto at : chosen) {
      const auto tried = trial(fault, at);
      // Threads run in another order each time, so a trial may have fewer calls.
      if (tried.refused.empty() && tried.ended.status == 0) continue;
      const auto point = "VTMIRROR_FAULTS_POINT=" + shown(fault) + "/" + std::to_string(at);
      CAPTURE(point);
      CAPTURE(tried.refused);
      CAPTURE(tried.ended.err);
      CHECK((tried.ended.status == 0 || tried.ended.status == 1 || never_began(tried.ended)));
      // A call that was interrupted is repeated, and nobody notices. SQLite does not repeat a sync.
      if (fault.refusal == Refusal::interrupted && !tried.refused.starts_with("fdatasync catalogue.db"))
        CHECK((tried.ended.status == 0 || never_began(tried.ended)));
      judge();
      const auto next = rig.vtmirror({"sync"});
      CAPTURE(next.err);
      CHECK(next.status == 0);
      CHECK(rig.held() == upstream);
      judge();
      judge_notices();
      ++ends[tried.ended.status];
    }
    return what_ + " by " + by_ + ", " + shown(fault) + ": " + std::to_string(chosen.size()) + " of " +
           std::to_string(counted.calls) + " calls, exit 0 after " + std::to_string(ends[0]) + ", 1 after " +
           std::to_string(ends[1]) + ", not begun " + std::to_string(ends[127]);
  }

  Rig rig;

 private:
  Trial trial(const Fault& fault, long at) {
    fs::remove_all(state);
    copy(kept / "state", state);
    copy(kept / "heard", heard);
    // A daemon never ends by itself: it waits after its cycle, and for room. So it is stopped when it says so.
    const StopAfter stop_after{"cycle complete", "cycle partial", "cycle failed", "waits for room"};
    return run_refusing(rig.command_line({by_}), state, fault.refusal, at, fault.lasts,
                        by_ == "run" ? stop_after : StopAfter());
  }

  static void copy(const fs::path& from, const fs::path& to) {
    fs::create_directories(to.parent_path());
    fs::remove_all(to);
    if (run({"cp", "-a", from.string(), to.string()}).status != 0) throw std::runtime_error("cp " + from.string());
  }

  /// Checks what a reader of the mirror sees now.
  void judge() {
    const auto held = rig.held();
    for (const auto& each : held) {
      const auto& file = each.first;
      CAPTURE(file);
      CHECK((has(upstream, file, each.second) || has(before, file, each.second)));
    }
    const auto agrees = [&held](const std::string& file, const std::string& digest) {
      CAPTURE(file);
      CHECK(has(held, file, digest));
    };
    for (const auto& [file, digest] : sums_of(rig.mirror() / "SHA256SUMS")) agrees(file, digest);
    if (fs::exists(rig.mirror() / "manifest.json")) {
      const auto manifest = manifest_of(rig);
      for (const auto& file : manifest.at("chain").as_array())
        agrees(std::string(file.at("name").as_string()), std::string(file.at("sha256").as_string()));
    }
    for (const auto& entry : fs::directory_iterator(state))
      CHECK(entry.path().filename().string().find(".broken-") == std::string::npos);
  }

  /// Checks that each file that came since the trial began was announced, or that its notice is still queued.
  void judge_notices() {
    const auto waiting = queued(state / "catalogue.db");
    const auto said = read_file(heard);
    const auto from = fs::file_size(kept / "heard");
    for (const auto& each : upstream) {
      const auto& file = each.first;
      if (has(before, file, each.second)) continue;
      CAPTURE(file);
      CHECK((said.find(file + '\n', from) != std::string::npos || waiting.contains(file)));
    }
  }

  std::string what_, by_;
  fs::path state = rig.directory() / "config/state";
  fs::path heard = rig.directory() / "heard";
  fs::path kept = rig.directory() / "kept";
  Digests before, upstream;
};

std::optional<std::string> why_not() {
  if (::geteuid() != 0) return "only root can watch a process that forbids it";
  return std::nullopt;
}

void refuse_calls(Scenario& scenario) {
  for (const auto& fault : chosen_faults()) MESSAGE(scenario.try_all(fault));
}

constexpr char small[] = R"({"bulk_bytes": 300000, "delta_bytes": 50000})";

/// A mirror before the listing's next bulk file, whose delta is republished while the bulk file cannot be downloaded.
void prepare_roll_over(Scenario& scenario) {
  REQUIRE(scenario.rig.vtmirror({"sync"}).status == 0);
  // The new bulk file cannot be downloaded at first, so the delta after it is held when it is republished.
  scenario.rig.control("POST", "/script",
                       R"({"faults": [{"at": "store", "match": "bulk", "status": 404, "times": 0}]})");
  scenario.rig.control("POST", "/date", R"({"date":"2026-11-22"})");
  REQUIRE(scenario.rig.vtmirror({"sync"}).status == 1);
  REQUIRE(scenario.rig.held().size() == 9);
  scenario.rig.control("POST", "/script", R"({"faults": [], "republish": {"delta:2026-11-22": 2},
                                              "sizes": {"delta:2026-11-22": 60000}})");
  scenario.remember();
}

}  // namespace

TEST_CASE("a point to be tried is a fault as it is shown and the number of a call, or it is refused") {
  for (const auto& fault : all_faults()) {
    const auto point = point_in(shown(fault) + "/17");
    REQUIRE(point.has_value());
    CHECK(point->fault == shown(fault));
    CHECK(point->at == 17);
  }
  for (const auto* text :
       {"eio/17", "EIO", "EIO/", "EIO/x", "EIO/17x", "EIO/0", "EIO/-1", "EINTR+/17", "/17", "EIO 17"}) {
    CAPTURE(text);
    CHECK_FALSE(point_in(text).has_value());
  }
}

TEST_CASE("any system call of a first start may fail once or for ever") {
  if (const auto why = why_not()) return skip(*why);
  Scenario scenario("first start", small, "2026-11-18");
  refuse_calls(scenario);
}

TEST_CASE("any system call of a roll-over with a republished file may fail once or for ever") {
  if (const auto why = why_not()) return skip(*why);
  Scenario scenario("roll-over", small, "2026-11-21");
  prepare_roll_over(scenario);
  refuse_calls(scenario);
}

TEST_CASE("any system call of a daemon's first start, of its cycle and of its stop may fail once or for ever") {
  if (const auto why = why_not()) return skip(*why);
  Scenario scenario("first start", small, "2026-11-18", "run");
  refuse_calls(scenario);
}

TEST_CASE("any system call of a daemon that starts on a roll-over with a republished file may fail once or for ever") {
  if (const auto why = why_not()) return skip(*why);
  Scenario scenario("roll-over", small, "2026-11-21", "run");
  prepare_roll_over(scenario);
  refuse_calls(scenario);
}

TEST_CASE("any system call of a recovery after kill -9 may fail once or for ever") {
  if (const auto why = why_not()) return skip(*why);
  Scenario scenario("recovery", R"({"bulk_bytes": 3000000, "delta_bytes": 50000,
                        "faults": [{"at": "store", "match": "bulk", "rate": 1000000, "times": 0}]})",
                    "2026-11-18");
  Child sync(scenario.rig.command_line({"sync"}));
  REQUIRE(sync.read_until(
      [](const Ended& ended) { return ended.err.find("published delta 18 Nov") != std::string::npos; }));
  sync.signal(SIGKILL);
  static_cast<void>(sync.wait());
  scenario.rig.control("POST", "/script", R"({"faults": []})");
  scenario.remember();
  refuse_calls(scenario);
}
