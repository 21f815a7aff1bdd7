// What hooks leave in the background when this process inherits it, as the first process of a container does.
#include "vtmirror/notify/orphans.hpp"

#include "notify/channel_rig.hpp"
#include "notify/spawn.hpp"
#include "vtmirror/base/descriptor.hpp"

#include <doctest/doctest.h>

#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace vtmirror::test {
namespace {

/// Makes this process the parent of every orphan that its children leave, as if it were the first process.
struct FirstProcess {
  FirstProcess() { REQUIRE(::prctl(PR_SET_CHILD_SUBREAPER, 1) == 0); }
  ~FirstProcess() { ::prctl(PR_SET_CHILD_SUBREAPER, 0); }
  FirstProcess(const FirstProcess&) = delete;
  FirstProcess& operator=(const FirstProcess&) = delete;
};

void await_end(pid_t process) {
  const base::Descriptor watched(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
  REQUIRE(watched.valid());
  pollfd end{.fd = watched.get(), .events = POLLIN, .revents = 0};
  REQUIRE(::poll(&end, 1, 10'000) == 1);
}

TEST_CASE("what a hook leaves in the background is reaped when it ends, and not before") {
  const FirstProcess first;
  ChannelRig rig;
  REQUIRE(rig.log(rig.hook("sleep 60 >/dev/null 2>&1 & echo $!"), published()));
  REQUIRE(rig.output().size() == 1);
  const auto left = static_cast<pid_t>(std::stol(rig.output().front()));
  CHECK(notify::reap_orphans() == 0);
  CHECK(::kill(left, 0) == 0);
  REQUIRE(::kill(left, SIGKILL) == 0);
  await_end(left);
  CHECK(notify::reap_orphans() == 1);
  CHECK((::kill(left, 0) == -1 && errno == ESRCH));
}

TEST_CASE("the exit status of a hook is not taken by the reaping of orphans, however late it is waited for") {
  const FirstProcess first;
  const auto spawned = notify::spawn({.command = {"/bin/sh", "-c", "exit 7"}});
  REQUIRE(spawned);
  await_end(spawned->pid);
  CHECK(notify::reap_orphans() == 0);
  int status = 0;
  REQUIRE(::waitpid(spawned->pid, &status, 0) == spawned->pid);
  CHECK(WEXITSTATUS(status) == 7);
}

TEST_CASE("a program that could not be started is no orphan, and leaves none") {
  const FirstProcess first;
  CHECK(notify::spawn({.command = {"/nowhere/program"}}).has_error());
  CHECK(notify::reap_orphans() == 0);
  CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
}

}  // namespace
}  // namespace vtmirror::test
