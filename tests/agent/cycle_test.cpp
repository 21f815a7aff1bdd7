#include "support/agent_rig.hpp"
#include "vtmirror/report/missing.hpp"
#include "vtmirror/report/plan.hpp"
#include "vtmirror/report/sentence.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

using namespace vtmirror;
using namespace vtmirror::test;

namespace {

const std::string next_bulk = "v1/public/bulk/year=2026/month=11/day=22/bulk-light-vehicle_22-11-2026.zip";

/// The listing after the roll-over: another bulk file and its first delta, and nothing of the cycle before.
void list_next_sunday(AgentRig& rig) {
  rig.service.files.clear();
  rig.list(next_bulk, core::Kind::bulk, "2026-11-22", 300'000);
  rig.list(delta_name(22), core::Kind::delta, "2026-11-22", 20'000);
}

}  // namespace

TEST_CASE(
    "one token and one listing serve a cycle that fits into a link's life, and the next asks the store for nothing") {
  AgentRig rig;
  list_wednesday(rig);
  auto report = rig.cycle();
  REQUIRE(report.has_value());
  CHECK(report->outcome == core::Outcome::complete);
  CHECK(report->files == 5);
  CHECK(report->bytes == 380'000);
  CHECK(rig.holds_everything());
  CHECK(rig.service.tokens == 1);
  CHECK(rig.service.listings == 1);

  rig.service.requests.clear();
  report = rig.cycle();
  REQUIRE(report.has_value());
  CHECK(report->outcome == core::Outcome::complete);
  CHECK(report->files == 0);
  CHECK(rig.service.requests.empty());
  CHECK(rig.service.listings == 2);
}

TEST_CASE("the manifest names the chain in load order after every publication") {
  AgentRig rig;
  list_wednesday(rig);
  REQUIRE(rig.cycle().has_value());
  REQUIRE(rig.storage.manifest.has_value());
  const auto& chain = rig.storage.manifest->chain;
  CHECK(rig.storage.manifest->edition.generation == 5);
  CHECK(chain.complete);
  REQUIRE(chain.files.size() == 5);
  CHECK(chain.files[0].name == bulk_name);
  for (int day = 15; day <= 18; ++day) CHECK(chain.files[static_cast<std::size_t>(day - 14)].name == delta_name(day));
  const auto files = rig.catalogue.files().value();
  for (const auto& file : chain.files) {
    const auto record = std::ranges::find(files, file.name, &core::FileRecord::name);
    CHECK(record->since == file.since);
  }
  CHECK(rig.storage.manifest->edition.session == rig.catalogue.edition().value().session);
  CHECK(rig.storage.manifest->checked_at == rig.catalogue.last_listing().value()->at);
  CHECK(rig.storage.sums.size() == 5);
}

TEST_CASE("links that expire during downloads are replaced by one fresh listing for all waiting downloads") {
  AgentRig rig;
  list_wednesday(rig);
  rig.settings.parallel_files = 5;
  rig.service.link_life = std::chrono::seconds(60);
  bool passed = false;
  rig.service.store_script = [&](const StoreRequest&, StoreAnswer& answer) {
    if (passed) return;
    // Every transfer's first body breaks; then a minute and more has gone by.
    answer.body.resize(answer.body.size() / 2);
    answer.end = base::Error{base::Errc::unreachable, "cut"};
    if (rig.service.requests.size() == 5) {
      passed = true;
      rig.clock.advance(std::chrono::seconds(61));
    }
  };
  const auto report = rig.cycle();
  REQUIRE(report.has_value());
  CHECK(report->outcome == core::Outcome::complete);
  CHECK(rig.holds_everything());
  CHECK(rig.service.listings == 2);
  CHECK(rig.service.tokens == 1);
}

TEST_CASE("files that leave the listing on the way cost one fresh listing, however many they are") {
  for (const int parallel_files : {1, 3}) {
    CAPTURE(parallel_files);
    AgentRig rig;
    list_wednesday(rig);
    rig.settings.parallel_files = parallel_files;
    rig.service.store_script = [&](const StoreRequest& request, StoreAnswer& answer) {
      if (request.name == bulk_name) return;
      std::erase_if(rig.service.files, [](const auto& file) { return file.first != bulk_name; });
      answer = ScriptedService::refusal(404);
    };
    const auto report = rig.cycle();
    REQUIRE(report.has_value());
    CHECK(report->failures.size() == 4);
    CHECK(rig.service.listings == 2);
    const auto gone = [](const core::Failure& failure) {
      return failure.cause.detail.find("is no longer listed") != std::string::npos;
    };
    CHECK(std::ranges::count_if(report->failures, gone) == 4);
  }
}

TEST_CASE("links that are expired on arrival are requested once more, not once for every file") {
  AgentRig rig;
  list_wednesday(rig);
  rig.service.its_clock = [&rig] { return rig.clock.now(); };
  rig.service.signed_ago = std::chrono::hours(1);
  const auto report = rig.cycle();
  REQUIRE(report.has_value());
  CHECK(report->failures.size() == 5);
  CHECK(report::reason(*report).find("links have already expired") != std::string::npos);
  CHECK(rig.service.listings == 2);
  CHECK(rig.service.requests.empty());
}

TEST_CASE("the bulk file is fetched beside the deltas, and a single worker takes the deltas first") {
  AgentRig beside;
  list_wednesday(beside);
  beside.settings.parallel_files = 2;
  REQUIRE(beside.cycle().has_value());
  // Each worker opens its file on a thread of the pool, so which of the two asks first is open.
  const auto place = [&beside](const std::string& name) {
    const auto& requests = beside.service.requests;
    return std::find_if(requests.begin(), requests.end(), [&](const auto& each) { return each.name == name; }) -
           requests.begin();
  };
  CHECK(place(bulk_name) < place(delta_name(18)));
  CHECK(place(delta_name(15)) < place(delta_name(16)));

  AgentRig alone;
  list_wednesday(alone);
  alone.settings.parallel_files = 1;
  REQUIRE(alone.cycle().has_value());
  CHECK(alone.service.requests.front().name == delta_name(15));
  CHECK(alone.service.requests.back().name == bulk_name);
}

TEST_CASE("several connections share a large file, and no byte is asked for twice") {
  AgentRig rig;
  constexpr std::int64_t size = 40 << 20;
  rig.list(bulk_name, core::Kind::bulk, "2026-11-15", size);
  rig.settings.connections = 4;
  REQUIRE(rig.cycle().has_value());
  CHECK(rig.holds_everything());
  core::RangeSet asked;
  std::int64_t bytes = 0;
  for (const auto& request : rig.service.requests) {
    asked.add(request.range);
    bytes += request.range.size();
  }
  CHECK(rig.service.requests.size() >= 4);
  CHECK(asked.size() == size);
  CHECK(bytes == size);
}

TEST_CASE("an expired token is renewed once, and a key that is not recognised is not tried again") {
  AgentRig rig;
  list_wednesday(rig);
  rig.service.listing_script = [](int n) -> ports::Response {
    if (n == 1)
      return {.status = 403, .body = R"({"errorCode":"MOTH-FB-02","errorMessage":"expired","requestId":"1"})"};
    return {};
  };
  REQUIRE(rig.cycle().has_value());
  CHECK(rig.holds_everything());
  CHECK(rig.service.tokens == 2);

  AgentRig refused;
  refused.service.listing_script = [](int) -> ports::Response {
    return {.status = 403,
            .body = R"({"errorCode":"MOTH-FB-03","errorMessage":"API key not recognised","requestId":"4711"})"};
  };
  const auto report = refused.cycle();
  REQUIRE(report.has_error());
  CHECK(report.error().code == base::Errc::forbidden);
  CHECK(report.error().detail.find("4711") != std::string::npos);
  CHECK(refused.service.listings == 1);
  CHECK(refused.catalogue.history(1).value().front().outcome == core::Outcome::failed);
}

TEST_CASE("a token that is refused again after its renewal is not renewed in a loop") {
  AgentRig rig;
  rig.service.listing_script = [](int) -> ports::Response { return {.status = 401}; };
  const auto report = rig.cycle();
  REQUIRE(report.has_error());
  CHECK(report.error().code == base::Errc::unauthorised);
  CHECK(rig.service.tokens == 2);
  CHECK(rig.service.listings == 2);
}

TEST_CASE("a wrong secret costs one token request, and the issuer's message is reported") {
  AgentRig rig;
  rig.service.token_script = [](int) -> ports::Response {
    return {.status = 401, .body = R"({"error":"invalid_client","error_description":"AADSTS7000229: expired keys"})"};
  };
  const auto report = rig.cycle();
  REQUIRE(report.has_error());
  CHECK(report.error().code == base::Errc::forbidden);
  CHECK(report.error().detail.find("expired keys") != std::string::npos);
  CHECK(rig.service.tokens == 1);
  CHECK(rig.service.listings == 0);
}

TEST_CASE("a file that does not fit is a problem of its own, and the files that fit are downloaded") {
  AgentRig rig;
  list_wednesday(rig, 300'000, 20'000);
  rig.storage.free = 200'000;
  rig.settings.policy.reserve = 50'000;
  const auto report = rig.cycle();
  REQUIRE(report.has_value());
  CHECK(report->outcome == core::Outcome::partial);
  CHECK(report->files == 4);
  CHECK(report->failures.front().cause.code == base::Errc::no_space);
  CHECK(report::reason(*report).starts_with("bulk 15 Nov does not fit: it needs "));
  CHECK(rig.journal.count(ports::EventKind::space_low) == 1);
  CHECK_FALSE(rig.storage.published.contains(bulk_name));
  REQUIRE(rig.storage.manifest->chain.missing.size() == 1);
  const auto& missing = rig.storage.manifest->chain.missing[0];
  CHECK(missing.kind == core::Kind::bulk);
  CHECK(missing.name == bulk_name);
  CHECK(missing.date == base::parse_date("2026-11-15").value());
  CHECK(missing.reason == core::MissingReason::does_not_fit);
  CHECK(report::detail(missing) == "it needs 300 KB, and 70.0 KB are free beside the reserve of 50.0 KB: 230 KB short");

  const auto generation = rig.storage.manifest->edition.generation;
  rig.storage.free = 120'000;
  REQUIRE(rig.cycle().has_value());
  CHECK(rig.storage.manifest->edition.generation == generation);
}

TEST_CASE("the space that an unfinished file has reserved is not counted again") {
  AgentRig rig;
  list_wednesday(rig, 300'000, 20'000);
  rig.service.store_script = [](const StoreRequest& request, StoreAnswer& answer) {
    if (request.name == bulk_name) answer = ScriptedService::refusal(500);
  };
  REQUIRE(rig.cycle().has_value());
  CHECK(rig.storage.unfinished.contains(bulk_name));
  rig.service.store_script = {};
  rig.storage.free = 60'000;
  rig.settings.policy.reserve = 50'000;
  REQUIRE(rig.cycle().has_value());
  CHECK(rig.holds_everything());
}

TEST_CASE("an unfinished file that is removed or truncated under a running process is downloaded from the beginning") {
  for (const bool cut : {false, true}) {
    CAPTURE(cut);
    AgentRig rig;
    rig.list(bulk_name, core::Kind::bulk, "2026-11-15", 300'000);
    rig.settings.attempts = 1;
    rig.service.store_script = [](const StoreRequest& request, StoreAnswer& answer) {
      if (request.number > 1) return;
      answer.body.resize(100'000);
      answer.end = base::Error{base::Errc::unreachable, "the connection broke"};
    };
    rig.meanwhile = [&rig, cut] {
      REQUIRE(rig.catalogue.partials().value().at(0).durable.size() == 100'000);
      if (cut)
        rig.storage.unfinished[bulk_name].written.resize(50'000);
      else
        rig.storage.unfinished.clear();
    };
    const auto report = rig.cycle();
    REQUIRE(report.has_value());
    CHECK(report->outcome == core::Outcome::complete);
    CHECK(report->bytes == 300'000);
    CHECK(rig.holds_everything());
    CHECK(rig.service.requests.size() == 2);
  }
}

TEST_CASE("a checked file that was cut before its publication could be finished is not published") {
  AgentRig rig;
  rig.list(bulk_name, core::Kind::bulk, "2026-11-15", 300'000);
  core::PartialRecord checked{
      .name = bulk_name, .kind = core::Kind::bulk, .date = base::parse_date("2026-11-15").value()};
  checked.size = 300'000;
  checked.durable.add({0, 300'000});
  checked.verified = true;
  checked.sha256 = "digest-of-version-1";
  REQUIRE(rig.catalogue.keep_partial(checked));
  rig.storage.unfinished[bulk_name].written = numbered_bytes(1, 0, 299'999);
  REQUIRE(rig.cycle().has_value());
  CHECK(rig.holds_everything());
  CHECK(rig.catalogue.generation().value() == 1);
}

TEST_CASE("an entry that is refused does not stop the rest, and the cycle is not complete") {
  AgentRig rig;
  list_wednesday(rig);
  rig.list("v1/../../evil.zip", core::Kind::delta, "2026-11-18", 10);
  const auto report = rig.cycle();
  REQUIRE(report.has_value());
  CHECK(report->outcome == core::Outcome::partial);
  CHECK(report->files == 5);
  CHECK(report->refused == 1);
  CHECK(rig.journal.count(ports::EventKind::entry_refused) == 1);
  CHECK(rig.storage.published.size() == 5);
}

TEST_CASE("a bulk file that was replaced upstream is downloaded again and replaces the old one") {
  AgentRig rig;
  list_wednesday(rig);
  REQUIRE(rig.cycle().has_value());
  rig.list(bulk_name, core::Kind::bulk, "2026-11-15", 310'000, 2);
  const auto report = rig.cycle();
  REQUIRE(report.has_value());
  CHECK(report->files == 1);
  CHECK(rig.holds_everything());
  const auto changes = rig.catalogue.changes_since(5).value();
  CHECK(std::any_of(changes.begin(), changes.end(),
                    [](const auto& change) { return change.kind == core::ChangeKind::superseded; }));
  CHECK(rig.journal.count(ports::EventKind::superseded) == 1);
  CHECK(rig.journal.count(ports::EventKind::checked) == 6);
}

TEST_CASE("a message calls a file by its short name, and the event's fields have its path") {
  AgentRig rig;
  list_wednesday(rig);
  REQUIRE(rig.cycle().has_value());
  rig.list(bulk_name, core::Kind::bulk, "2026-11-15", 310'000, 2);
  rig.service.files.erase(delta_name(15));
  rig.storage.published.erase(delta_name(15));
  rig.storage.published.erase(delta_name(16));
  REQUIRE(rig.cycle().has_value());
  for (const auto& event : rig.journal.events) {
    CAPTURE(event.message);
    CHECK(event.message.find("v1/") == std::string::npos);
  }
  const auto has = [&rig](ports::EventKind kind, const std::string& words) {
    return std::ranges::any_of(rig.journal.events, [&](const ports::Event& event) {
      return event.kind == kind && event.message.starts_with(words) &&
             std::ranges::any_of(event.fields, [](const ports::Field& field) {
               return field.key == "file" && field.value == bulk_name;
             });
    });
  };
  CHECK(has(ports::EventKind::fetch_started, "downloading bulk 15 Nov (300 KB): new file"));
  CHECK(has(ports::EventKind::checked, "bulk 15 Nov passed its checks"));
  CHECK(has(ports::EventKind::published, "published bulk 15 Nov (300 KB in "));
  CHECK(has(ports::EventKind::superseded,
            "the service replaced bulk 15 Nov; the new edition is published in generation "));
}

TEST_CASE("a cycle's last line counts the files that failed, whose causes their own lines have said") {
  AgentRig rig;
  list_wednesday(rig);
  rig.service.store_script = [](const StoreRequest& request, StoreAnswer& answer) {
    if (request.name == delta_name(16)) answer = ScriptedService::refusal(404);
  };
  const auto last_line = [&rig] {
    const auto ends = std::ranges::find(rig.journal.events, ports::EventKind::cycle_finished, &ports::Event::kind);
    return ends == rig.journal.events.end() ? std::string() : ends->message;
  };
  REQUIRE(rig.cycle().has_value());
  CHECK(last_line() == "cycle partial: 4 files published, 1 failed, 360 KB downloaded");
  rig.journal.events.clear();
  rig.service.files[delta_name(16)].size = -1;
  REQUIRE(rig.cycle().has_value());
  CHECK(last_line() == "cycle partial: 0 files published, 1 failed, 0 B downloaded");
}

TEST_CASE("a cycle's last line says what no other line of it has said") {
  AgentRig rig;
  list_wednesday(rig);
  rig.service.listing_script = [](int) -> ports::Response { return {.status = 418}; };
  REQUIRE_FALSE(rig.cycle().has_value());
  const auto end = std::ranges::find(rig.journal.events, ports::EventKind::cycle_finished, &ports::Event::kind);
  REQUIRE(end != rig.journal.events.end());
  CHECK(end->message.starts_with("cycle failed: 0 files published, 0 B downloaded; listing request to "));
}

TEST_CASE("a held file that was damaged and downloaded again does not count as a new version") {
  AgentRig rig;
  list_wednesday(rig);
  REQUIRE(rig.cycle().has_value());
  rig.storage.published[bulk_name].resize(1'000);
  REQUIRE(rig.cycle().has_value());
  CHECK(rig.holds_everything());
  CHECK(rig.journal.count(ports::EventKind::superseded) == 0);
}

TEST_CASE("a held file that is lost or truncated and no longer listed fails the cycle, and is reported once") {
  for (const bool cut : {false, true}) {
    CAPTURE(cut);
    AgentRig rig;
    list_wednesday(rig);
    REQUIRE(rig.cycle().has_value());
    rig.service.files.erase(delta_name(15));
    if (cut)
      rig.storage.published[delta_name(15)].resize(1'000);
    else
      rig.storage.published.erase(delta_name(15));
    const auto report = rig.cycle();
    REQUIRE(report.has_value());
    CHECK(report->outcome == core::Outcome::partial);
    REQUIRE(report->failures.size() == 1);
    CHECK(report->failures[0].kind == core::FailureKind::lost);
    CHECK(report->failures[0].cause.subject == delta_name(15));
    CHECK(report->failures[0].cause.detail.empty());
    const std::string reason(report::sentence(cut ? core::Reason::damaged_on_disk : core::Reason::gone_from_disk));
    CHECK(report::reason(*report) ==
          "delta 15 Nov: " + reason + "; the listing has no usable entry of it, so it cannot be downloaded again");
  }
}

TEST_CASE("a file that is already in the mirror is checked and adopted, and downloaded only if it is damaged") {
  AgentRig rig;
  list_wednesday(rig);
  rig.storage.published[bulk_name] = numbered_bytes(1, 0, 300'000);
  rig.storage.published[delta_name(15)] = std::string(20'000, 'x');
  const auto report = rig.cycle();
  REQUIRE(report.has_value());
  CHECK(report->outcome == core::Outcome::complete);
  CHECK(rig.holds_everything());
  CHECK(report->bytes == 80'000);
  CHECK(rig.journal.count(ports::EventKind::adopted) == 1);
}

TEST_CASE("a process that dies at any call leaves nothing wrong public, and the next one ends whole, on any shelf") {
  const auto first_run = [](AgentRig& rig) {
    list_wednesday(rig, 600'000, 20'000);
    rig.settings.connections = 2;
  };
  for (const auto way : {MemoryStorage::Way::rename, MemoryStorage::Way::copy}) {
    AgentRig counting(way);
    first_run(counting);
    REQUIRE(counting.cycle().has_value());
    const int calls = counting.storage.calls();
    REQUIRE(calls > 20);
    for (int call = 1; call <= calls; ++call) {
      CAPTURE(call);
      CAPTURE(way == MemoryStorage::Way::copy);
      AgentRig rig(way);
      first_run(rig);
      rig.storage.die_at(call);
      static_cast<void>(rig.cycle());
      rig.storage.power_cut();
      CHECK(rig.nothing_wrong_is_public());

      const auto report = rig.cycle();
      REQUIRE(report.has_value());
      CHECK(report->outcome == core::Outcome::complete);
      CHECK(rig.holds_everything());
      CHECK(rig.storage.manifest->chain.complete);
      CHECK(rig.storage.manifest->edition.generation == rig.catalogue.generation().value());
      CHECK(rig.catalogue.partials().value().empty());
      CHECK(rig.catalogue.files().value().size() == 5);
    }
  }
}

TEST_CASE("a file that the shelf does not accept is not downloaded, and the others are published") {
  AgentRig rig;
  list_wednesday(rig);
  rig.storage.blocked = {bulk_name};
  const auto report = rig.cycle();
  REQUIRE(report.has_value());
  CHECK(report->outcome == core::Outcome::partial);
  CHECK(report::reason(*report).find("cannot publish it there") != std::string::npos);
  CHECK(rig.storage.published.size() == 4);
  for (const auto& request : rig.service.requests) CHECK(request.name != bulk_name);
}

TEST_CASE("an older chain goes when the policy says so, and the newest complete one stays") {
  AgentRig rig;
  rig.settings.policy.keep_cycles = 1;
  list_wednesday(rig);
  REQUIRE(rig.cycle().has_value());
  list_next_sunday(rig);
  const auto report = rig.cycle();
  REQUIRE(report.has_value());
  CHECK(report->outcome == core::Outcome::complete);
  CHECK(rig.storage.published.size() == 2);
  CHECK(rig.storage.published.contains(next_bulk));
}

TEST_CASE("that a file of an older chain is lost is no failure once the chain is removed") {
  AgentRig rig;
  rig.settings.policy.keep_cycles = 1;
  list_wednesday(rig);
  REQUIRE(rig.cycle().has_value());
  rig.storage.published.erase(delta_name(16));
  list_next_sunday(rig);
  const auto report = rig.cycle();
  REQUIRE(report.has_value());
  CHECK(report->failures.empty());
  CHECK(report->outcome == core::Outcome::complete);
  CHECK(rig.storage.published.size() == 2);
}

TEST_CASE("a cycle does what the plan before it said, and asking for the plan costs one listing and changes nothing") {
  AgentRig rig;
  const std::string oldest_bulk = "v1/public/bulk/year=2026/month=11/day=8/bulk-light-vehicle_08-11-2026.zip";
  rig.list(oldest_bulk, core::Kind::bulk, "2026-11-08", 300'000);
  REQUIRE(rig.cycle().has_value());
  rig.service.files.clear();
  list_wednesday(rig);
  REQUIRE(rig.cycle().has_value());
  rig.settings.policy.keep_cycles = 1;
  list_next_sunday(rig);
  rig.list(delta_name(23), core::Kind::delta, "2026-11-23", 900'000);
  rig.storage.free = 850'000;
  rig.settings.policy.reserve = 400'000;
  rig.storage.published[delta_name(22)] = numbered_bytes(1, 0, 20'000);
  rig.service.listings = 0;
  const auto before = rig.storage.published;
  const auto plan = rig.plan();
  REQUIRE(plan.has_value());
  CHECK(rig.service.listings == 1);
  CHECK(rig.storage.published == before);

  const auto report = rig.cycle();
  REQUIRE(report.has_value());
  std::set<std::string> expected;
  for (const auto& [name, bytes] : before) expected.insert(name);
  for (const auto& action : plan->actions) {
    CAPTURE(action.name);
    if (core::downloads(action)) CHECK(expected.insert(action.name).second);
    if (action.kind == core::ActionKind::prune) CHECK(expected.erase(action.name) == 1);
    if (action.kind == core::ActionKind::skip) CHECK(report->failures.at(0).cause.subject == action.name);
  }
  std::set<std::string> held;
  for (const auto& [name, bytes] : rig.storage.published) held.insert(name);
  CHECK(held == expected);
  CHECK_FALSE(held.contains(oldest_bulk));
  CHECK(held.contains(bulk_name));
  CHECK(report->failures.size() == 1);
  CHECK(report->files == 2);
}

TEST_CASE("an older chain stays while the newest bulk file is gone from disk and does not come, and goes when it has") {
  AgentRig rig;
  list_wednesday(rig);
  REQUIRE(rig.cycle().has_value());
  list_next_sunday(rig);
  REQUIRE(rig.cycle().has_value());
  REQUIRE(rig.storage.published.size() == 7);

  rig.settings.policy.keep_cycles = 1;
  rig.storage.published.erase(next_bulk);
  rig.service.store_script = [](const StoreRequest& request, StoreAnswer& answer) {
    if (request.name == next_bulk) answer = ScriptedService::refusal(500);
  };
  REQUIRE(rig.cycle().has_value());
  CHECK(rig.storage.published.size() == 6);
  CHECK(rig.storage.published.contains(bulk_name));

  rig.service.store_script = {};
  REQUIRE(rig.cycle().has_value());
  CHECK(rig.storage.published.size() == 2);
}

TEST_CASE("each publication and the cycle's end are queued for their subscribers, with outcome and figures") {
  AgentRig rig;
  list_wednesday(rig);
  REQUIRE(rig.catalogue.set_channels({{"hook", {core::Topic::published}}, {"heartbeat", {core::Topic::cycle}}}));
  REQUIRE(rig.cycle().has_value());
  auto queued = rig.catalogue.deliveries().value();
  REQUIRE(queued.size() == 6);
  for (std::size_t at = 0; at < 5; ++at) CHECK(queued[at].channel == "hook");
  CHECK(queued[5].channel == "heartbeat");
  CHECK(queued[5].notice.urgency == core::Urgency::info);
  CHECK(queued[5].notice.message == "cycle complete: 5 files published, 380 KB downloaded");

  REQUIRE(rig.catalogue.set_channels({{"heartbeat", {core::Topic::cycle}}}));
  rig.settings.policy.reserve = std::int64_t{1} << 60;
  rig.list(delta_name(19), core::Kind::delta, "2026-11-19", 20'000);
  REQUIRE(rig.cycle().has_value());
  queued = rig.catalogue.deliveries().value();
  REQUIRE(queued.size() == 2);
  CHECK(queued[1].notice.urgency == core::Urgency::error);
  CHECK(core::notice_json(queued[1].notice).find(R"("outcome":"partial")") != std::string::npos);
  CHECK(core::notice_json(queued[1].notice).find(" does not fit: it needs ") != std::string::npos);
}

TEST_CASE("an empty listing, or one without a bulk file, fails the cycle and changes nothing") {
  for (const std::string listing :
       {R"({"bulk":[],"delta":[]})",
        R"({"bulk":[],"delta":[{"filename":"v1/a.zip","downloadUrl":"https://store.example/a","fileSize":7,)"
        R"("fileCreatedOn":"2026-11-18"}]})"}) {
    CAPTURE(listing);
    AgentRig rig;
    list_wednesday(rig);
    REQUIRE(rig.cycle().has_value());
    const auto published = rig.storage.published;
    const auto chain = rig.storage.manifest->chain;
    const auto calendar = rig.catalogue.calendar().value();
    rig.service.requests.clear();
    rig.service.listing_script = [&listing](int) { return ports::Response{.status = 200, .body = listing}; };
    const auto report = rig.cycle();
    REQUIRE(report.has_error());
    CHECK(report.error().code == base::Errc::empty_listing);
    CHECK(report.error().detail == (listing.find("a.zip") == std::string::npos ? "the service lists no file"
                                                                               : "the service lists no bulk file"));
    CHECK(rig.storage.published == published);
    CHECK(rig.storage.manifest->chain == chain);
    CHECK(rig.storage.manifest->edition.generation == 5);
    CHECK(rig.catalogue.calendar().value() == calendar);
    CHECK(rig.service.requests.empty());
    const auto last = rig.catalogue.history(1).value().front();
    CHECK(last.outcome == core::Outcome::failed);
    REQUIRE(last.failure);
    CHECK(last.failure->cause.code == base::Errc::empty_listing);
    CHECK(core::problem_of(*last.failure) == core::ProblemCode::empty_listing);
    CHECK(rig.plan().error().code == base::Errc::empty_listing);
  }
}

TEST_CASE("a lost file is in no manifest before the downloads begin, and its return with the same bytes is no change") {
  AgentRig rig;
  list_wednesday(rig);
  REQUIRE(rig.catalogue.set_channels({{"hook", {core::Topic::published}}}));
  REQUIRE(rig.cycle().has_value());
  const auto chain = rig.storage.manifest->chain;
  REQUIRE(rig.catalogue.deliveries().value().size() == 5);
  rig.storage.published.erase(delta_name(17));
  rig.service.requests.clear();
  std::optional<ports::Manifest> meanwhile;
  rig.service.store_script = [&](const StoreRequest&, StoreAnswer&) { meanwhile = rig.storage.manifest; };
  const auto report = rig.cycle();
  REQUIRE(report.has_value());
  CHECK(report->outcome == core::Outcome::complete);
  REQUIRE(meanwhile);
  CHECK(meanwhile->edition.generation == 6);
  CHECK_FALSE(meanwhile->chain.complete);
  REQUIRE(meanwhile->chain.files.size() == 3);
  CHECK(meanwhile->chain.files.back().name == delta_name(16));
  REQUIRE(meanwhile->chain.missing.size() == 1);
  CHECK(meanwhile->chain.missing[0].name == delta_name(17));
  CHECK(meanwhile->chain.missing[0].reason == core::MissingReason::lost);
  // With its generation, too.
  CHECK(rig.storage.manifest->chain == chain);
  CHECK(rig.storage.manifest->edition.generation == 7);
  CHECK(rig.catalogue.changes_since(5).value().empty());
  CHECK(rig.catalogue.deliveries().value().size() == 5);
}

TEST_CASE("a lost file that is no longer listed counts as held again when its bytes are back, and no other bytes do") {
  for (const bool same : {true, false}) {
    CAPTURE(same);
    AgentRig rig;
    list_wednesday(rig);
    REQUIRE(rig.cycle().has_value());
    const auto chain = rig.storage.manifest->chain;
    list_next_sunday(rig);
    rig.storage.published.erase(delta_name(16));
    auto report = rig.cycle();
    REQUIRE(report.has_value());
    CHECK(report->outcome == core::Outcome::partial);
    REQUIRE(report->failures.size() == 1);
    rig.storage.published[delta_name(16)] = numbered_bytes(same ? 1 : 2, 0, 20'000);
    const auto before = rig.catalogue.changes_since(0).value().size();
    report = rig.cycle();
    REQUIRE(report.has_value());
    CHECK((report->outcome == core::Outcome::complete) == same);
    CHECK(rig.catalogue.changes_since(0).value().size() == before);
    const auto files = rig.catalogue.files().value();
    const auto record = std::ranges::find(files, delta_name(16), &core::FileRecord::name);
    REQUIRE(record != files.end());
    CHECK(record->sha256 == "digest-of-version-1");
    CHECK(record->since == chain.files[2].since);
    CHECK(record->condition == (same ? core::Condition::whole : core::Condition::lost));
    if (same) continue;
    REQUIRE(report->failures.size() == 1);
    CHECK(report->failures[0].kind == core::FailureKind::lost);
    CHECK(report->failures[0].cause.subject == delta_name(16));
  }
}

TEST_CASE("a truncated file that is no longer listed is held again when somebody puts the right bytes back") {
  AgentRig rig;
  list_wednesday(rig);
  REQUIRE(rig.cycle().has_value());
  list_next_sunday(rig);
  rig.storage.published[delta_name(16)].resize(1'000);
  REQUIRE(rig.cycle()->outcome == core::Outcome::partial);
  const auto files = rig.catalogue.files().value();
  const auto record = std::ranges::find(files, delta_name(16), &core::FileRecord::name);
  REQUIRE(record != files.end());
  CHECK(record->condition == core::Condition::damaged);
  rig.storage.published[delta_name(16)] = numbered_bytes(1, 0, 20'000);
  CHECK(rig.cycle()->outcome == core::Outcome::complete);
}

TEST_CASE("the notices of a generation that was written before a cut are sent by the next process") {
  AgentRig rig;
  list_wednesday(rig);
  REQUIRE(rig.catalogue.set_channels({{"hook", {core::Topic::published}}}));
  REQUIRE(rig.cycle().has_value());
  const auto waits = [&rig] {
    return !rig.catalogue.next_delivery("hook", core::DeliveryOrder::newest).value() ||
           rig.catalogue.next_delivery("hook", core::DeliveryOrder::newest).value()->notice.at <
               rig.catalogue.deliveries().value().back().notice.at;
  };
  REQUIRE(rig.catalogue.keep_written(0));
  REQUIRE(waits());
  bool recovered = false;
  rig.in_process([&recovered](agent::Agent& agent) { return AgentRig::only_recover(agent, recovered); });
  CHECK(recovered);
  CHECK_FALSE(waits());
}

namespace {

/// A cycle during whose bulk download the listing is asked for again, after `meanwhile` has changed it.
boost::asio::awaitable<void> list_meanwhile(AgentRig& rig, agent::Agent& agent, std::function<void()> meanwhile,
                                            std::optional<base::Result<core::CycleReport>>& report,
                                            std::optional<base::Result<void>>& listed) {
  const auto recovered = co_await agent.recover();
  if (!recovered) co_return;
  const auto loop = co_await boost::asio::this_coro::executor;
  rig.service.store_script = [&, loop](const StoreRequest& request, StoreAnswer&) {
    if (request.name != bulk_name || listed) return;
    listed.emplace();
    CHECK(agent.accepts_listings());
    meanwhile();
    boost::asio::co_spawn(loop, agent.list_again(), [&listed](std::exception_ptr failure, base::Result<void> done) {
      if (failure) std::rethrow_exception(failure);
      listed = std::move(done);
    });
  };
  auto ended = co_await agent.cycle();
  report = std::move(ended);
  CHECK_FALSE(agent.accepts_listings());
}

}  // namespace

TEST_CASE("a cycle takes in what a later listing adds, even while its only place is taken by the bulk file") {
  AgentRig rig;
  rig.settings.parallel_files = 1;
  list_wednesday(rig);
  rig.service.files.erase(delta_name(18));
  std::optional<base::Result<core::CycleReport>> report;
  std::optional<base::Result<void>> listed;
  const auto add = [&rig] { rig.list(delta_name(18), core::Kind::delta, "2026-11-18", 20'000); };
  rig.in_process([&](agent::Agent& agent) { return list_meanwhile(rig, agent, add, report, listed); });
  REQUIRE(report.has_value());
  REQUIRE(report->has_value());
  CHECK(listed->has_value());
  CHECK((*report)->outcome == core::Outcome::complete);
  CHECK((*report)->files == 5);
  CHECK(rig.service.listings == 2);
  CHECK(rig.holds_everything());
}

TEST_CASE("an empty listing on the way changes nothing, and costs no link") {
  AgentRig rig;
  list_wednesday(rig);
  std::optional<base::Result<core::CycleReport>> report;
  std::optional<base::Result<void>> listed;
  const auto empty = [&rig] {
    rig.service.listing_script = [](int) {
      return ports::Response{.status = 200, .body = R"({"bulk":[],"delta":[]})"};
    };
  };
  rig.in_process([&](agent::Agent& agent) { return list_meanwhile(rig, agent, empty, report, listed); });
  REQUIRE(listed->has_error());
  CHECK(listed->error().code == base::Errc::empty_listing);
  REQUIRE(report->has_value());
  CHECK((*report)->outcome == core::Outcome::complete);
  CHECK(rig.holds_everything());
}

TEST_CASE("a delta that is replaced while the bulk file is downloaded is downloaded again in the same cycle") {
  AgentRig rig;
  list_wednesday(rig);
  std::optional<base::Result<core::CycleReport>> report;
  std::optional<base::Result<void>> listed;
  int asked = 0;
  rig.in_process([&](agent::Agent& agent) -> boost::asio::awaitable<void> {
    const auto recovered = co_await agent.recover();
    REQUIRE(recovered);
    const auto loop = co_await boost::asio::this_coro::executor;
    rig.journal.heard = [&, loop](const ports::Event& event) {
      if (event.kind != ports::EventKind::published || ++asked != 1) return;
      const auto name = event.fields.front().value;
      rig.service.files.at(name).version = 2;
      rig.service.files.at(name).size += 7;
      boost::asio::co_spawn(loop, agent.list_again(), [&listed](std::exception_ptr failure, base::Result<void> done) {
        if (failure) std::rethrow_exception(failure);
        listed = std::move(done);
      });
    };
    auto ended = co_await agent.cycle();
    report = std::move(ended);
  });
  REQUIRE(listed.has_value());
  REQUIRE(report->has_value());
  CHECK((*report)->outcome == core::Outcome::complete);
  CHECK((*report)->files == 6);
  CHECK(rig.holds_everything());
  CHECK(rig.storage.manifest->chain.complete);
}

TEST_CASE("a removal whose manifest could not be written is finished by the next cycle") {
  AgentRig rig;
  rig.settings.policy.keep_cycles = 1;
  const std::string old_bulk = "v1/public/bulk/year=2026/month=11/day=8/bulk-light-vehicle_08-11-2026.zip";
  rig.list(old_bulk, core::Kind::bulk, "2026-11-08", 3'000);
  REQUIRE(rig.cycle());
  rig.service.files.clear();
  list_wednesday(rig);
  rig.journal.heard = [&rig](const ports::Event& event) {
    if (event.kind == ports::EventKind::published && rig.journal.count(event.kind) == 6) rig.storage.texts_left = 0;
  };
  rig.meanwhile = [&] {
    CHECK(rig.storage.published.contains(old_bulk));
    rig.storage.texts_left.reset();
  };
  REQUIRE(rig.cycle());
  CHECK_FALSE(rig.storage.published.contains(old_bulk));
  CHECK(rig.holds_everything());
}

TEST_CASE("a removed file that somebody puts back while the process runs is left alone") {
  AgentRig rig;
  rig.settings.policy.keep_cycles = 1;
  const std::string old_bulk = "v1/public/bulk/year=2026/month=11/day=8/bulk-light-vehicle_08-11-2026.zip";
  rig.list(old_bulk, core::Kind::bulk, "2026-11-08", 3'000);
  REQUIRE(rig.cycle());
  const auto bytes = rig.storage.published.at(old_bulk);
  rig.service.files.clear();
  list_wednesday(rig);
  rig.meanwhile = [&] {
    CHECK_FALSE(rig.storage.published.contains(old_bulk));
    rig.storage.published[old_bulk] = bytes;
  };
  REQUIRE(rig.cycle());
  CHECK(rig.storage.published.contains(old_bulk));
}

TEST_CASE("a manifest for which a full disk has no room is written with the room that is kept") {
  for (const int parts : {0, 1}) {
    AgentRig rig;
    list_wednesday(rig);
    rig.storage.texts_left = 0;
    int kept = parts;
    rig.make_room = [&] {
      if (kept == 0) return false;
      --kept;
      rig.storage.texts_left.reset();
      return true;
    };
    const auto report = rig.cycle();
    CHECK((report && report->outcome == core::Outcome::complete) == (parts > 0));
    CHECK(rig.storage.manifest.has_value() == (parts > 0));
  }
}

TEST_CASE("listings that cannot be used while links are renewed are asked for again, and no download ends") {
  const std::vector<ports::Response> answers{
      {.status = 200, .body = R"({"bulk":[],"delta":[]})"},
      {.status = 200, .body = "<html>", .content_type = "text/html"},
      {.status = 502, .body = ""},
  };
  for (const auto& answer : answers) {
    AgentRig rig;
    list_wednesday(rig);
    rig.service.store_script = [&](const StoreRequest& request, StoreAnswer& cut) {
      if (request.name != bulk_name || rig.service.listings > 1) return;
      cut = ScriptedService::refusal(403, "<Code>AccessDenied</Code>");
      rig.service.listing_script = [answer](int number) { return number < 5 ? answer : ports::Response{.status = 0}; };
    };
    const auto began = rig.clock.steady();
    const auto report = rig.cycle();
    REQUIRE(report);
    CHECK(report->outcome == core::Outcome::complete);
    CHECK(rig.holds_everything());
    CHECK(rig.service.listings == 5);
    CHECK(rig.clock.steady() - began < std::chrono::minutes(2));
  }
}

TEST_CASE("an empty listing in place of fresh links is the reason that a download ends") {
  AgentRig rig;
  list_wednesday(rig);
  rig.service.store_script = [&rig](const StoreRequest& request, StoreAnswer& answer) {
    if (request.name != bulk_name) return;
    answer = ScriptedService::refusal(403, "<Code>AccessDenied</Code>");
    rig.service.listing_script = [](int) {
      return ports::Response{.status = 200, .body = R"({"bulk":[],"delta":[]})"};
    };
  };
  const auto report = rig.cycle();
  REQUIRE(report);
  REQUIRE_FALSE(report->failures.empty());
  for (const auto& failure : report->failures) CHECK(failure.cause.code == base::Errc::empty_listing);
}
