// Scripts of events and of the steps that are expected of a transfer, in words: "retry timed_out; wait 1000 ms".
#pragma once

#include "vtmirror/core/answer.hpp"
#include "vtmirror/core/transfer.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

namespace vtmirror::test {

inline std::string text(core::Range range) { return std::to_string(range.begin) + "-" + std::to_string(range.end); }

inline std::string text_of_kind(const core::TransferStep& step) {
  using Kind = core::TransferStep::Kind;
  switch (step.kind) {
    case Kind::find_link:
      return step.newer_than == 0 ? "link" : "link after " + std::to_string(step.newer_than);
    case Kind::ask:
      return "ask " + text(step.range) + (step.etag.empty() ? "" : " if " + step.etag);
    case Kind::record:
      return "record " + step.etag;
    case Kind::receive:
      return "receive " + text(step.range) + (step.skip == 0 ? "" : " behind " + std::to_string(step.skip));
    case Kind::expect_end:
      return "expect end";
    case Kind::wait:
      return "wait " + std::to_string(step.pause.count()) + " ms";
    case Kind::leave:
      break;
  }
  return "leave";
}

/// What is reported, then what is done at once, then the step.
inline std::string text(const core::TransferStep& step) {
  std::string line;
  if (step.retried) {
    line += "retry " + std::string(base::name(step.retried->why.code));
    if (step.retried->next == core::Next::start_over) line += " from nothing";
    line += "; ";
  }
  if (step.close == core::TransferStep::Close::own) line += "close; ";
  if (step.close == core::TransferStep::Close::all) line += "close all; ";
  if (step.close_other) line += "take over from " + std::to_string(*step.close_other) + "; ";
  for (const int connection : step.open) line += "open " + std::to_string(connection) + "; ";
  return line + text_of_kind(step);
}

/// "; wake 2": whose waits a caller ends after a step.
inline std::string text_of_wakes(const core::Transfer& transfer) {
  std::string text;
  for (const int connection : transfer.to_wake()) text += "; wake " + std::to_string(connection);
  return text;
}

inline std::string text(const core::RoundEnd& end) {
  switch (end.kind) {
    case core::RoundEnd::Kind::start_over:
      return "start over";
    case core::RoundEnd::Kind::give_up:
      return "give up " + std::string(base::name(end.why.code));
    case core::RoundEnd::Kind::finished:
      break;
  }
  return "finished";
}

inline constexpr std::int64_t mib = std::int64_t{1} << 20;

/// One event on one connection, and the step expected of it. Bytes that come before the event are handed to the disk
/// and written.
struct Line {
  int connection = 1;
  std::int64_t bytes = 0;
  core::TransferEvent event;
  std::string expected;
};
using Script = std::vector<Line>;

inline Script operator+(Script script, const Script& more) {
  script.insert(script.end(), more.begin(), more.end());
  return script;
}

/// How the number of connections came about.
enum class Number { fixed, found };

/// Runs scripts, and keeps what the caller of a transfer keeps: the clock, and which bytes a connection receives.
struct Rig {
  /// `durable` and `etag`: what an earlier process has left.
  Rig(int connections, std::int64_t file_size, core::RangeSet durable = {}, const std::string& etag = {},
      Number number = Number::fixed, bool splits_rest = false)
      : size(file_size),
        transfer({8, connections, number == Number::found, splits_rest}, {file_size, etag}, std::move(durable)) {
    opened = transfer.begin();
  }

  core::TransferStep on(int connection, const core::TransferEvent& event) {
    auto step = transfer.on(connection, event, {now, 0.5});
    if (waits_pass && step.kind == core::TransferStep::Kind::wait) now = now + step.pause;
    if (step.kind == core::TransferStep::Kind::receive) offsets[connection] = step.range.begin;
    return step;
  }

  /// Returns how many of them are wanted.
  std::int64_t bytes(int connection, std::int64_t count) {
    auto& offset = offsets[connection];
    const auto wanted = transfer.received(connection, count, now);
    transfer.written({offset, offset + wanted});
    offset += wanted;
    return wanted;
  }

  void run(const Script& script) {
    for (std::size_t at = 0; at < script.size(); ++at) {
      CAPTURE(at);
      const auto& line = script[at];
      if (line.bytes > 0) CHECK(bytes(line.connection, line.bytes) == line.bytes);
      const auto step = text(on(line.connection, line.event));
      CHECK(step + text_of_wakes(transfer) == line.expected);
    }
  }

  /// Every write has ended and was synced.
  std::string end() {
    transfer.synced(transfer.written_ranges());
    return text(transfer.end());
  }

  std::int64_t size;
  core::Transfer transfer;
  base::Steady now{std::chrono::seconds(1000)};
  bool waits_pass = true;  ///< each wait is over when the next event comes
  std::map<int, std::int64_t> offsets;
  std::vector<int> opened;
};

inline core::TransferEvent done() { return core::StepDone{}; }
inline core::TransferEvent woken() { return core::Woken{}; }
inline core::TransferEvent failed(base::Errc code) { return core::StepFailed{{code, "broken"}}; }

inline core::TransferEvent refused(int status, std::optional<std::chrono::seconds> retry_after = {}) {
  return core::StepFailed{core::store_error({.status = status, .body = {}, .retry_after = retry_after})};
}

inline constexpr std::int64_t file_size = 100'000;

inline core::TransferEvent link(int listing, std::int64_t size = file_size) { return core::LinkFound{listing, size}; }

inline core::RangeAnswer part_head(std::int64_t begin, std::int64_t end, std::int64_t total = file_size) {
  core::RangeAnswer answer;
  answer.status = 206;
  answer.range = core::Range{begin, end};
  answer.total = total;
  answer.length = end - begin;
  answer.etag = "\"1\"";
  return answer;
}

inline core::TransferEvent part(std::int64_t begin, std::int64_t end, std::int64_t total = file_size) {
  return core::AnswerCame{part_head(begin, end, total)};
}

/// The part without the ETag.
inline core::TransferEvent bare_part(std::int64_t begin, std::int64_t end,
                                     std::optional<std::int64_t> total = file_size) {
  auto answer = part_head(begin, end);
  answer.total = total;
  answer.etag.clear();
  return core::AnswerCame{answer};
}

inline core::TransferEvent whole(std::optional<std::int64_t> total = file_size) {
  core::RangeAnswer answer;
  answer.status = 200;
  answer.total = answer.length = total;
  answer.etag = "\"1\"";
  return core::AnswerCame{answer};
}

inline core::TransferEvent page() {
  core::RangeAnswer answer;
  answer.status = 200;
  answer.length = 10;
  answer.content_type = "text/html; charset=utf-8";
  return core::AnswerCame{answer};
}

inline core::TransferEvent without_range() {
  auto answer = part_head(0, file_size);
  answer.range.reset();
  return core::AnswerCame{answer};
}

}  // namespace vtmirror::test
