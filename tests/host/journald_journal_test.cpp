#include "host/journald_journal.hpp"

#include "host/message_ids.hpp"
#include "host/variable.hpp"
#include "support/every.hpp"
#include "support/skip.hpp"
#include "support/temporary_directory.hpp"
#include "vtmirror/host/host.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace vtmirror::host {
namespace {

using ports::Event;
using ports::EventKind;
using ports::Level;
using Entry = std::vector<std::string>;

/// The entries that a journal with this level would have sent.
std::vector<Entry> sent(Level least, const std::vector<Event>& events) {
  std::vector<Entry> all;
  const auto journal = make_journald_journal(least, [&all](std::span<const std::string> assignments) {
    all.emplace_back(assignments.begin(), assignments.end());
    return 0;
  });
  for (const auto& event : events) journal->log(event);
  return all;
}

Entry sent(const Event& event) {
  const auto all = sent(Level::debug, {event});
  REQUIRE(all.size() == 1);
  return all.front();
}

bool holds(const Entry& entry, const std::string& assignment) {
  return std::find(entry.begin(), entry.end(), assignment) != entry.end();
}

const Event published{EventKind::published,
                      Level::info,
                      "published a.zip (1.0 MB in 1s)",
                      {{"file", "v1/a.zip"}, {"bytes", "1000000"}, {"etag-sent", "\"x\""}}};

TEST_CASE("an event is an entry with its message, its kind's id and its fields") {
  CHECK(sent(published) == Entry{"MESSAGE=published a.zip (1.0 MB in 1s)", "PRIORITY=6", "SYSLOG_IDENTIFIER=vtmirror",
                                 "MESSAGE_ID=" + std::string(message_id(EventKind::published)),
                                 "VTMIRROR_EVENT=published", "VTMIRROR_FILE=v1/a.zip", "VTMIRROR_BYTES=1000000",
                                 "VTMIRROR_ETAG_SENT=\"x\""});
}

TEST_CASE("a level is written as syslog's number") {
  const std::vector<std::pair<Level, std::string>> levels{
      {Level::debug, "7"}, {Level::info, "6"}, {Level::notice, "5"}, {Level::warning, "4"}, {Level::error, "3"}};
  for (const auto& level : levels) {
    CHECK(holds(sent(Event{EventKind::listed, level.first, "x"}), "PRIORITY=" + level.second));
  }
}

TEST_CASE("events below the journal's level are not sent") {
  const Event quiet{EventKind::listed, Level::info, "quiet"};
  const Event loud{EventKind::space_low, Level::error, "loud"};
  const auto all = sent(Level::notice, {quiet, loud, quiet});
  REQUIRE(all.size() == 1);
  CHECK(holds(all.front(), "MESSAGE=loud"));
}

TEST_CASE("a message of the other side can neither end the line nor begin a field of its own") {
  Event event = published;
  event.message = "refused\nPRIORITY=0\x1b[2J";
  event.fields = {{"reason", "one\ntwo"}};
  for (const auto& assignment : sent(event)) {
    CAPTURE(assignment);
    CHECK(assignment.find_first_of("\n\x1b") == std::string::npos);
  }
}

TEST_CASE("a link's signature that got into a message or a field does not reach the journal") {
  Event event = published;
  event.message = "GET https://store.example/a.zip?X-Amz-Signature=c0ffee failed";
  event.fields = {{"reason", "https://store.example/a.zip?X-Amz-Credential=c0ffee&X-Amz-Signature=c0ffee"}};
  for (const auto& assignment : sent(event)) {
    CAPTURE(assignment);
    CHECK(assignment.find("c0ffee") == std::string::npos);
  }
}

TEST_CASE("every kind of event has an id of its own, as the journal writes them") {
  std::vector<std::string> ids;
  for (const auto& kind : test::every<EventKind>()) {
    const std::string id(message_id(kind.value));
    CAPTURE(id);
    CHECK(id.size() == 32);
    CHECK(id.find_first_not_of("0123456789abcdef") == std::string::npos);
    CHECK(std::count(ids.begin(), ids.end(), id) == 0);
    ids.push_back(id);
  }
}

/// What is written to stderr while `act` runs.
template <class Act>
std::string on_stderr(Act act) {
  const test::TemporaryDirectory directory;
  const auto path = (directory / "stderr").string();
  std::fflush(stderr);
  const int before = ::dup(STDERR_FILENO);
  const int file = ::open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  ::dup2(file, STDERR_FILENO);
  act();
  std::fflush(stderr);
  ::dup2(before, STDERR_FILENO);
  ::close(before);
  ::close(file);
  return test::read_file(path);
}

TEST_CASE("an entry that the journal refuses is written to stderr with its level") {
  const auto journal = make_journald_journal(Level::debug, [](std::span<const std::string>) { return -EIO; });
  CHECK(on_stderr([&] { journal->log(published); }) == "<6>published a.zip (1.0 MB in 1s)\n");
}

TEST_CASE("an entry that the journal accepted is not written to stderr") {
  const auto journal = make_journald_journal(Level::debug, [](std::span<const std::string>) { return 0; });
  CHECK(on_stderr([&] { journal->log(published); }).empty());
}

TEST_CASE("a journal that nobody listens to is harmless") {
  if (::access("/run/systemd/journal/socket", F_OK) == 0)
    return test::skip("this machine has a journal, and a test does not write to it");
  const auto journal = make_journald_journal(Level::debug);
  CHECK(on_stderr([&] { journal->log(published); }).empty());
}

/// "device:inode" of a descriptor, as systemd writes it.
std::string stream_of(int descriptor) {
  struct stat status {};
  REQUIRE(::fstat(descriptor, &status) == 0);
  return std::to_string(status.st_dev) + ':' + std::to_string(status.st_ino);
}

TEST_CASE("stderr is the journal only where it is the very stream that systemd named") {
  const test::TemporaryDirectory directory;
  const int file = ::open((directory / "other").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  REQUIRE(file >= 0);
  CHECK(is_the_journal(STDERR_FILENO, stream_of(STDERR_FILENO)));
  CHECK_FALSE(is_the_journal(STDERR_FILENO, stream_of(file)));
  CHECK_FALSE(is_the_journal(-1, stream_of(file)));
  for (const auto* wrong : {"", ":", "1", "1:", ":1", "x:y", "-1:-1", "99999999999999999999:1"}) {
    CAPTURE(wrong);
    CHECK_FALSE(is_the_journal(STDERR_FILENO, wrong));
  }
  ::close(file);
}

TEST_CASE("whether stderr is the journal is read from the environment") {
  {
    const Variable stream("JOURNAL_STREAM", stream_of(STDERR_FILENO));
    CHECK(stderr_is_the_journal());
  }
  const Variable none("JOURNAL_STREAM", std::nullopt);
  CHECK_FALSE(stderr_is_the_journal());
}

}  // namespace
}  // namespace vtmirror::host
