#include "agent/transfer_rig.hpp"

using namespace vtmirror;
using namespace vtmirror::test;
using namespace std::chrono_literals;
using base::Errc;

namespace {

constexpr std::int64_t mib = TransferRig::mib;
using Script = std::function<void(const StoreRequest&, StoreAnswer&)>;

/// The first request for the bytes from `begin` on is answered by `change`.
Script once_at(std::int64_t begin, std::function<void(StoreAnswer&)> change) {
  return [begin, change, met = false](const StoreRequest& request, StoreAnswer& answer) mutable {
    if (request.range.begin != begin || std::exchange(met, true)) return;
    change(answer);
  };
}

void ask_for_a_pause(StoreAnswer& answer) {
  answer = ScriptedService::refusal(503);
  answer.head.retry_after = 120s;
}

/// A MiB comes, then the body ends with `error`.
std::function<void(StoreAnswer&)> cut(const base::Error& error) {
  return [error](StoreAnswer& answer) {
    answer.body.resize(mib);
    answer.end = error;
  };
}

/// The second connection has two minutes to wait, and `then` is what the store says to the one that asks for the third
/// piece.
Script one_pauses(const std::function<void(StoreAnswer&)>& then) {
  return [first = once_at(4 * mib, ask_for_a_pause), second = once_at(8 * mib, then)](const StoreRequest& request,
                                                                                      StoreAnswer& answer) mutable {
    first(request, answer);
    second(request, answer);
  };
}

base::Error long_pause() { return {.code = Errc::rate_limited, .detail = "wait", .retry_after = 120s}; }
base::Error stall() { return {Errc::timed_out, "no byte for 30 s"}; }

}  // namespace

TEST_CASE("a file that the other connections complete does not wait for one that has to pause") {
  TransferRig rig(2);
  rig.service.store_script = one_pauses([](StoreAnswer&) {});
  rig.begin();
  REQUIRE(rig.ended);
  CHECK(rig.ended->has_value());
  CHECK(rig.is_whole());
  CHECK(rig.passed() == 0ms);
  CHECK_FALSE(rig.clock.next_deadline());
}

TEST_CASE("a transfer that gives up does not wait for a connection that pauses") {
  TransferRig rig(2);
  rig.service.store_script = one_pauses([](StoreAnswer& answer) { answer = ScriptedService::refusal(418); });
  rig.begin();
  CHECK(rig.why() == Errc::http_status);
  CHECK(rig.passed() == 0ms);
  CHECK_FALSE(rig.clock.next_deadline());
}

TEST_CASE("a transfer that starts over does not wait for a connection that pauses") {
  TransferRig rig(2);
  rig.service.store_script = one_pauses([&rig](StoreAnswer& answer) {
    rig.service.files[rig.name].version = 2;
    answer = ScriptedService::refusal(412);
  });
  rig.begin();
  REQUIRE(rig.ended);
  CHECK(rig.ended->has_value());
  CHECK(rig.is_whole());
  CHECK(rig.passed() == 0ms);
}

TEST_CASE("a disk that fails while every connection pauses ends the transfer at once") {
  TransferRig rig(1);
  rig.service.store_script = once_at(0, cut(long_pause()));
  rig.begin();
  REQUIRE_FALSE(rig.ended);
  rig.storage.die_at(1);
  rig.pass(1s);
  CHECK(rig.why() == Errc::io);
  CHECK(rig.passed() == 500ms);
}

TEST_CASE("a stop of the program ends a pause with cancelled, and what has come is durable") {
  TransferRig rig(1);
  rig.service.store_script = once_at(0, cut(long_pause()));
  rig.begin();
  REQUIRE_FALSE(rig.ended);
  rig.stop.request();
  rig.settle();
  CHECK(rig.why() == Errc::cancelled);
  CHECK(rig.durable() == mib);
  CHECK(rig.passed() == 0ms);
}

TEST_CASE("a wait resumes a file of which something came, and is the next try of one that is new") {
  const auto said = [](const std::function<void(StoreAnswer&)>& change) {
    TransferRig rig(1);
    rig.service.store_script = once_at(0, change);
    rig.begin();
    REQUIRE_FALSE(rig.journal.events.empty());
    return rig.journal.events.back().message;
  };
  const auto ending = [](const std::string& message) {
    return message.substr(std::min(message.rfind(';'), message.size()));
  };
  CHECK(ending(said(cut(long_pause()))) == "; resumes in 2m 00s");
  CHECK(ending(said(ask_for_a_pause)) == "; next try in 2m 00s");
}

TEST_CASE("a pause that nothing makes pointless lasts as long as the store has asked for") {
  TransferRig rig(1);
  rig.service.store_script = once_at(0, cut(long_pause()));
  rig.begin();
  rig.pass(119'999ms);
  CHECK(rig.service.requests.size() == 1);
  rig.pass(1ms);
  REQUIRE(rig.ended);
  CHECK(rig.is_whole());
  CHECK(rig.service.requests.size() == 2);
}

TEST_CASE("what has come is durable half a second later, although no more bytes come, and is not synced again") {
  for (const auto& end : {long_pause(), stall()}) {
    CAPTURE(end);
    TransferRig rig(1);
    rig.service.store_script = once_at(0, cut(end));
    rig.begin();
    CHECK(rig.durable() == 0);
    rig.pass(499ms);
    CHECK(rig.durable() == 0);
    rig.pass(1ms);
    CHECK(rig.durable() == mib);
    const auto calls = rig.storage.calls();
    rig.pass(30s);
    CHECK(rig.storage.calls() == calls);
    CHECK_FALSE(rig.ended);
    rig.service.release();
    rig.pass(120s);
    CHECK(rig.is_whole());
  }
}

TEST_CASE("a busy catalogue costs no transfer: the watermark is recorded with the next sync") {
  TransferRig rig(1);
  rig.service.store_script = once_at(0, cut(stall()));
  rig.begin();
  rig.shared.lock();
  rig.pass(5s);
  CHECK_FALSE(rig.ended);
  CHECK(rig.durable() == 0);
  rig.shared.unlock();
  rig.pass(1s);
  CHECK(rig.durable() == mib);
  rig.service.release();
  rig.pass(2s);
  REQUIRE(rig.ended);
  CHECK(rig.is_whole());
}

TEST_CASE("a catalogue that is busy at a file's end holds its end back, and costs nothing else") {
  TransferRig rig(1);
  rig.service.store_script = once_at(0, cut(stall()));
  rig.begin();
  rig.shared.lock();
  rig.service.release();
  rig.pass(20s);
  CHECK_FALSE(rig.ended);
  CHECK(rig.service.requests.size() == 2);
  rig.shared.unlock();
  rig.pass(30s);
  REQUIRE(rig.ended);
  CHECK(rig.is_whole());
  CHECK(rig.service.requests.size() == 2);
  const auto& retried = rig.journal.events.back();
  CHECK(retried.kind == ports::EventKind::fetch_retried);
  CHECK(retried.fields.back().value == "catalogue_busy");
}

TEST_CASE("a stop of the program while a file's end waits for the catalogue ends with cancelled") {
  TransferRig rig(1);
  rig.service.store_script = once_at(0, cut(stall()));
  rig.begin();
  rig.shared.lock();
  rig.service.release();
  rig.pass(20s);
  REQUIRE_FALSE(rig.ended);
  rig.stop.request();
  rig.settle();
  CHECK(rig.why() == Errc::cancelled);
}

TEST_CASE("a catalogue that is busy when a transfer begins, or when its ETag comes, is waited for") {
  for (const bool at_the_etag : {false, true}) {
    CAPTURE(at_the_etag);
    TransferRig rig(1);
    if (at_the_etag)
      rig.service.store_script = once_at(0, [&rig](StoreAnswer&) { rig.shared.lock(); });
    else
      rig.shared.lock();
    rig.begin();
    rig.pass(6s);
    CHECK_FALSE(rig.ended);
    rig.shared.unlock();
    rig.pass(10s);
    REQUIRE(rig.ended);
    CHECK(rig.is_whole());
    CHECK(rig.service.requests.size() == 1);
  }
}

TEST_CASE("a catalogue that stays busy ends the transfer, and a stop does so at once") {
  for (const bool stopped : {false, true}) {
    CAPTURE(stopped);
    TransferRig rig(1);
    rig.service.store_script = once_at(0, [&rig](StoreAnswer&) { rig.shared.lock(); });
    rig.begin();
    if (stopped) rig.stop.request();
    rig.pass(stopped ? 0s : 10min);
    CHECK(rig.why() == (stopped ? Errc::cancelled : Errc::catalogue_busy));
  }
}

TEST_CASE("a catalogue that fails for any other reason ends the transfer") {
  TransferRig rig(1);
  rig.service.store_script = once_at(0, cut(long_pause()));
  rig.begin();
  rig.shared.run("DROP TABLE partial_range");
  rig.pass(1s);
  CHECK(rig.why() == Errc::catalogue);
  CHECK(rig.passed() == 500ms);
}
