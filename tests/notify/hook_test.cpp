#include "notify/channel_rig.hpp"
#include "notify/child.hpp"
#include "notify/spawn.hpp"
#include "support/stale_event.hpp"
#include "vtmirror/base/descriptor.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <doctest/doctest.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>

namespace vtmirror::test {
namespace {

using Texts = std::vector<std::string>;

/// Waits until every process with that variable has ended; false if one takes longer than five seconds. A process may
/// still be ending after the call that killed it has returned.
bool all_end(const std::string& variable) {
  for (const auto pid : notify::processes_with(variable)) {
    const base::Descriptor process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    pollfd end{.fd = process.get(), .events = POLLIN, .revents = 0};
    if (process.valid() && ::poll(&end, 1, 5'000) != 1) return false;
  }
  return notify::processes_with(variable).empty();
}

TEST_CASE("a hook gets the notice on stdin and in its variables, and its exit status is reported") {
  ChannelRig rig;
  const auto logged = rig.log(rig.hook("cat; echo $VTMIRROR_EVENT $VTMIRROR_FILE $VTMIRROR_BYTES $VTMIRROR_GENERATION "
                                       "$VTMIRROR_ID $VTMIRROR_DIRECTORY"),
                              published());
  REQUIRE(logged);
  CHECK(logged->starts_with("exit status 0 after"));
  CHECK(rig.output() == Texts{core::notice_json(published()), "published v1/a.zip 42 7 0123abcd /srv/mirror"});
}

TEST_CASE("a hook of the chain finds its edition and a line for each name in its variables, and no part of a name") {
  ChannelRig rig;
  core::Notice notice{.topic = core::Topic::chain, .code = "chain"};
  core::ChainNews news{.session = "6f0c", .generation = 42, .complete = true};
  news.through = std::chrono::year{2026} / 11 / 18;
  news.added = {"v1/a.zip", "v1/b.zip"};
  notice.chain = news;
  const std::string script =
      "echo $VTMIRROR_EVENT $VTMIRROR_SESSION $VTMIRROR_GENERATION $VTMIRROR_COMPLETE $VTMIRROR_THROUGH; "
      "echo \"$VTMIRROR_ADDED\"; echo \"[$VTMIRROR_REPLACED]\"; echo \"$VTMIRROR_REMOVED\" | tail -n 1";
  REQUIRE(rig.log(rig.hook(script), notice));
  CHECK(rig.output() == Texts{"chain 6f0c 42 true 2026-11-18", "v1/a.zip", "v1/b.zip", "[]"});

  ChannelRig many;
  notice.chain->complete = false;
  notice.chain->through.reset();
  for (int n = 1'000; n < 3'000; ++n) notice.chain->removed.push_back("v1/" + std::to_string(n) + ".zip");
  REQUIRE(many.log(many.hook(script), notice));
  CHECK(many.output().front() == "chain 6f0c 42 false");
  CHECK(many.output().back() == "v1/1681.zip");  // the last that ends within 8 KiB
}

TEST_CASE("a hook that fails keeps its exit status, and one that a signal ended the signal") {
  ChannelRig rig;
  const auto failed = rig.log(rig.hook("exit 3"), published());
  REQUIRE_FALSE(failed);
  CHECK(failed.error().detail == "exit status 3");
  CHECK(failed.error().status == 3);
  const auto killed = rig.log(rig.hook("kill -9 $$"), published());
  REQUIRE_FALSE(killed);
  CHECK(killed.error().detail == "signal 9 (Killed)");
}

TEST_CASE("a command that is not there is an error with its name, and no crash") {
  ChannelRig rig;
  const auto hook = notify::make_hook(rig.resources(), {.name = "hook gone", .command = {"/nowhere/load", "token"}});
  const auto logged = rig.log(hook, published());
  REQUIRE_FALSE(logged);
  CHECK(logged.error().code == base::Errc::io);
  CHECK(logged.error().detail == "/nowhere/load: cannot be started: No such file or directory");
}

TEST_CASE("a hook knows nothing of our credentials and of systemd's ways to hear from us") {
  ChannelRig rig;
  ::setenv("CREDENTIALS_DIRECTORY", "/run/credentials/vtmirror.service", 1);
  ::setenv("NOTIFY_SOCKET", "/run/systemd/notify", 1);
  ::setenv("VTMIRROR_FILE", "from outside", 1);
  auto notice = published();
  notice.fields.clear();
  const auto logged = rig.log(rig.hook("env | grep -E 'CREDENTIALS|NOTIFY|VTMIRROR_FILE'"), notice);
  ::unsetenv("CREDENTIALS_DIRECTORY");
  ::unsetenv("NOTIFY_SOCKET");
  ::unsetenv("VTMIRROR_FILE");
  REQUIRE_FALSE(logged);
  CHECK(logged.error().detail == "exit status 1");
  CHECK(rig.output().empty());
}

TEST_CASE("a hook that runs vtmirror finds the settings of this process") {
  ChannelRig rig;
  ::setenv("VTMIRROR_CONFIG", "/srv/other.toml", 1);
  CHECK(rig.log(rig.hook("echo $VTMIRROR_CONFIG"), published()));
  ::unsetenv("VTMIRROR_CONFIG");
  CHECK(rig.output() == Texts{"/srv/other.toml"});
}

TEST_CASE("no descriptor but the three is open in a hook, none of its signals is blocked or ignored") {
  ChannelRig rig;
  const auto old = std::signal(SIGPIPE, SIG_IGN);
  const auto descriptors = rig.log(rig.hook("exec ls /proc/self/fd"), published());
  const auto signals = rig.log(rig.hook("exec grep -E 'SigBlk|SigIgn' /proc/self/status"), published());
  std::signal(SIGPIPE, old);
  REQUIRE(descriptors);
  REQUIRE(signals);
  const auto lines = rig.output();
  REQUIRE(lines.size() == 6);
  // Descriptor 3 is the directory that ls reads.
  CHECK(Texts(lines.begin(), lines.begin() + 4) == Texts{"0", "1", "2", "3"});
  CHECK(lines[4] == "SigBlk: 0000000000000000");
  // Signals 32 and 33 are the C library's own, and may stay ignored.
  CHECK(lines[5].starts_with("SigIgn: "));
  CHECK(lines[5].ends_with("0000000"));
}

TEST_CASE("a hook that does not read its stdin ends as it likes") {
  ChannelRig rig;
  auto notice = published();
  notice.message = std::string(1'000'000, 'x');
  CHECK(rig.log(rig.hook("exit 0"), notice));
}

TEST_CASE("a hook that writes without end is not held up, and little of it is kept") {
  ChannelRig rig;
  const auto logged =
      rig.log(rig.hook("head -c 30000000 /dev/zero | tr '\\0' 'x' | fold -w 100; echo; echo the end"), published());
  REQUIRE(logged);
  const auto lines = rig.output();
  CHECK(lines.size() == 201);
  CHECK(lines.back() == "(299801 more lines)");
}

TEST_CASE("a line of any length with any bytes is logged shortened and printable") {
  ChannelRig rig;
  REQUIRE(rig.log(rig.hook("printf 'a\\033[31m\\001\\377 b'; head -c 100000 /dev/zero | tr '\\0' y"), published()));
  const auto lines = rig.output();
  REQUIRE(lines.size() == 1);
  CHECK(lines.front().size() <= 1100);
  CHECK(lines.front().find('\033') == std::string::npos);
}

TEST_CASE("after its time a hook is ended together with all that it has started") {
  ChannelRig rig;
  const auto script = "echo $$ > " + rig.in("pid") + "; trap '' TERM; sleep 1000 & sleep 1000; sleep 1000";
  const auto logged = rig.log(rig.hook(script, std::chrono::milliseconds(300)), published());
  REQUIRE_FALSE(logged);
  CHECK(logged.error().code == base::Errc::timed_out);
  CHECK(logged.error().detail.starts_with("timed out after"));
  CHECK(all_end("VTMIRROR_HOOK=hook sh 0123abcd"));
}

TEST_CASE("the stop ends a hook, and the attempt does not count as the hook's failure") {
  ChannelRig rig;
  boost::asio::steady_timer bell(rig.loop, std::chrono::milliseconds(200));
  bell.async_wait([&rig](boost::system::error_code) { rig.stop.request(); });
  const auto logged = rig.log(rig.hook("sleep 1000"), published());
  REQUIRE_FALSE(logged);
  CHECK(logged.error().code == base::Errc::cancelled);
  CHECK(all_end("VTMIRROR_HOOK=hook sh 0123abcd"));
}

TEST_CASE(
    "a process that a hook leaves running does not delay the hook's end, but prevents another attempt for the notice") {
  ChannelRig rig;
  const auto hook = rig.hook("sleep 1000 & echo $! > " + rig.in("pid") + "; exit 1");
  const auto logged = rig.log(hook, published());
  REQUIRE_FALSE(logged);
  CHECK(logged.error().detail == "exit status 1");
  const auto again = rig.log(hook, published());
  REQUIRE_FALSE(again);
  CHECK(again.error().code == base::Errc::locked);
  auto other = published();
  other.id = "another";
  CHECK(rig.log(hook, other).error().detail == "exit status 1");
  for (const auto* id : {"0123abcd", "another"})
    for (const auto pid : notify::processes_with(std::string("VTMIRROR_HOOK=hook sh ") + id)) ::kill(pid, SIGKILL);
}

TEST_CASE("a hook that does not want to end is ended all the same") {
  ChannelRig rig;
  boost::asio::steady_timer bell(rig.loop, std::chrono::milliseconds(200));
  bell.async_wait([&rig](boost::system::error_code) { rig.stop.request(); });
  const auto logged = rig.log(rig.hook("trap '' TERM; while true; do sleep 1000; done"), published());
  REQUIRE_FALSE(logged);
  CHECK(logged.error().code == base::Errc::cancelled);
  CHECK(logged.error().detail == "interrupted by the stop: signal 9 (Killed)");
  CHECK(all_end("VTMIRROR_HOOK=hook sh 0123abcd"));
}

/// Runs a hook that ends when the file `go` exists. The stop is requested after 200 ms, and `go` is written after
/// 600 ms.
base::Result<std::string> logged_during_a_stop(ChannelRig& rig, const std::string& end, notify::HookSettings settings) {
  settings.name = "hook sh";
  settings.command = {"/bin/sh", "-c", "until test -e " + rig.in("go") + "; do sleep 0.05; done; " + end};
  boost::asio::steady_timer bell(rig.loop, std::chrono::milliseconds(200));
  boost::asio::steady_timer then(rig.loop, std::chrono::milliseconds(600));
  bell.async_wait([&rig](boost::system::error_code) { rig.stop.request(); });
  then.async_wait([&rig](boost::system::error_code) { write_file(rig.in("go"), ""); });
  return rig.log(notify::make_hook(rig.resources(), std::move(settings)), published());
}

TEST_CASE("a hook that runs at the stop may end by itself within its patience, and that counts") {
  for (const std::string end : {"exit 0", "exit 3"}) {
    ChannelRig rig;
    const auto logged = logged_during_a_stop(rig, end, {.patience = std::chrono::seconds(60)});
    CHECK(logged.has_value() == (end == "exit 0"));
    if (!logged) CHECK(logged.error().code == base::Errc::forbidden);
    if (!logged) CHECK(logged.error().detail == "exit status 3");
  }
}

TEST_CASE("a hook that runs at the stop is ended when its patience or its time is over, whichever is sooner") {
  ChannelRig rig;
  const auto stopped = logged_during_a_stop(rig, "exit 0", {.patience = std::chrono::milliseconds(50)});
  REQUIRE_FALSE(stopped);
  CHECK(stopped.error().code == base::Errc::cancelled);
  ChannelRig other;
  const auto late = logged_during_a_stop(
      other, "exit 0", {.timeout = std::chrono::milliseconds(400), .patience = std::chrono::seconds(60)});
  REQUIRE_FALSE(late);
  CHECK(late.error().code == base::Errc::timed_out);
}

TEST_CASE("an event of a descriptor that is closed by now is not taken for the end of a hook, or for its output") {
  boost::asio::io_context loop;
  std::array<int, 2> ends{};
  REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
  const base::Descriptor writes(ends[1]);
  bool ended = false;
  const auto wait = [&]() -> boost::asio::awaitable<void> {
    co_await until_stale_event(loop);
    boost::asio::posix::stream_descriptor reads(loop, ends[0]);
    const bool readable = co_await notify::until_readable(reads);
    CHECK(readable);
    ended = true;
  };
  boost::asio::co_spawn(loop, wait, boost::asio::detached);
  loop.poll();
  CHECK_FALSE(ended);
  CHECK(::write(writes.get(), "x", 1) == 1);
  loop.run();
  CHECK(ended);
}

TEST_CASE("no zombie is left") {
  ChannelRig rig;
  for (int i = 0; i < 5; ++i) CHECK(rig.log(rig.hook("exit 0"), published()));
  CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
}

}  // namespace
}  // namespace vtmirror::test
