#include "mirror/stored.hpp"
#include "support/every.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

using namespace vtmirror;
using namespace vtmirror::test;

namespace {

/// Another process that holds the mirror until it is killed.
class Holder {
 public:
  explicit Holder(const std::string& directory) {
    std::array<int, 2> ready{};
    if (::pipe(ready.data()) != 0) return;
    child_ = ::fork();
    if (child_ == 0) hold(directory, ready[1]);
    ::close(ready[1]);
    char byte = 0;
    holds_ = ::read(ready[0], &byte, 1) == 1;
    ::close(ready[0]);
  }
  ~Holder() { end(); }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;

  void end() {
    if (child_ <= 0) return;
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
    child_ = -1;
  }
  bool holds() const { return holds_; }
  pid_t process() const { return child_; }

 private:
  [[noreturn]] static void hold(const std::string& directory, int ready) {
    const auto lock = mirror::acquire_lock(directory, mirror::Holder::sync, at_eight());
    if (lock && ::write(ready, "x", 1) == 1) ::pause();
    ::_exit(1);
  }
  pid_t child_ = -1;
  bool holds_ = false;
};

}  // namespace

TEST_CASE("a mirror is locked while a process holds it alone, and not while others only read") {
  const TemporaryDirectory directory;
  CHECK_FALSE(mirror::is_locked(directory.string()));
  auto lock = mirror::acquire_lock(directory.string(), mirror::Holder::sync, at_eight());
  REQUIRE(lock);
  CHECK(mirror::is_locked(directory.string()));
  lock->reset();
  CHECK_FALSE(mirror::is_locked(directory.string()));
  const auto shared = mirror::share_lock(directory.string());
  REQUIRE(shared);
  CHECK_FALSE(mirror::is_locked(directory.string()));
}

TEST_CASE("a second process learns who holds the mirror, and gets the lock when the holder is killed") {
  const TemporaryDirectory directory;
  Holder holder(directory.string());
  REQUIRE(holder.holds());
  CHECK(mirror::is_locked(directory.string()));
  const auto refused = mirror::acquire_lock(directory.string(), mirror::Holder::run, at_eight());
  REQUIRE(failed_with(refused, base::Errc::locked));
  CHECK(refused.error().detail ==
        "held by vtmirror sync, process " + std::to_string(holder.process()) + ", since 2026-11-18T08:00:00Z");
  CHECK(mirror::holder_of(refused.error()) == mirror::Holder::sync);
  holder.end();
  CHECK(mirror::acquire_lock(directory.string(), mirror::Holder::run, at_eight()).has_value());
}

TEST_CASE("the lock's file names the command that holds it by a word, for each command") {
  const TemporaryDirectory directory;
  for (const auto& each : every<mirror::Holder>()) {
    CAPTURE(each.word);
    CHECK(mirror::name(each.value) == each.word);
    const auto lock = mirror::acquire_lock(directory.string(), each.value, at_eight());
    REQUIRE(lock);
    const auto process = std::to_string(::getpid());
    CHECK(read_file(directory / ".vtmirror/lock") ==
          std::string(each.word) + ' ' + process + " 2026-11-18T08:00:00Z\n");
    const auto refused = mirror::acquire_lock(directory.string(), mirror::Holder::run, at_eight());
    REQUIRE(failed_with(refused, base::Errc::locked));
    CHECK(mirror::holder_of(refused.error()) == each.value);
  }
}

TEST_CASE("who holds a lock is read from what an older version wrote, and nobody is guessed from anything else") {
  const TemporaryDirectory directory;
  const auto lock = mirror::acquire_lock(directory.string(), mirror::Holder::prune, at_eight());
  REQUIRE(lock);
  struct Case {
    std::string text;
    mirror::Holder holder;
    std::string words;
  };
  const std::string since = ", since 2026-11-18T08:00:00Z";
  for (const Case& each :
       {Case{"vtmirror sync, process 4711, since 2026-11-18T08:00:00Z\n", mirror::Holder::sync,
             "held by vtmirror sync, process 4711" + since},
        Case{"vtmirror run, process 12, since 2026-11-18T08:00:00Z\n", mirror::Holder::run,
             "held by vtmirror run, process 12" + since},
        Case{"convert 4711 2026-11-18T08:00:00Z\n", mirror::Holder::unknown, "held by process 4711" + since},
        Case{"unknown 4711 2026-11-18T08:00:00Z\n", mirror::Holder::unknown, "held by process 4711" + since},
        Case{"vtmirror sync", mirror::Holder::unknown, "held by another process"},
        Case{"sync 47", mirror::Holder::unknown, "held by another process"},
        Case{"", mirror::Holder::unknown, "held by another process"}}) {
    CAPTURE(each.text);
    write_file(directory / ".vtmirror/lock", each.text);
    const auto refused = mirror::share_lock(directory.string());
    REQUIRE(failed_with(refused, base::Errc::locked));
    CHECK(mirror::holder_of(refused.error()) == each.holder);
    CHECK(refused.error().detail == each.words);
  }
  CHECK(mirror::holder_of({.code = base::Errc::io, .subject = "sync"}) == mirror::Holder::unknown);
}

TEST_CASE("a process without a descriptor to look at its lock again is refused, and does not try for ever") {
  const TemporaryDirectory directory;
  REQUIRE(mirror::acquire_lock(directory.string(), mirror::Holder::run, at_eight()));
  constexpr int all_answered = 7;
  const auto child = ::fork();
  if (child == 0) {
    ::alarm(20);  // ends a process that tries for ever
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    const auto free = static_cast<rlim_t>(::dup(0));
    bool any_refused = false, any_locked = false;
    for (rlim_t more = 1; more < 8; ++more) {
      limit.rlim_cur = free + more;
      if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) ::_exit(1);
      const auto lock = mirror::acquire_lock(directory.string(), mirror::Holder::run, at_eight());
      if (lock.has_error() && lock.error().code != base::Errc::io) ::_exit(2);
      (lock ? any_locked : any_refused) = true;
    }
    ::_exit(any_refused && any_locked ? all_answered : 3);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == all_answered);
}

TEST_CASE("the mirror is held once, in one process too, and free again when the lock goes") {
  const TemporaryDirectory directory;
  {
    const auto first = mirror::acquire_lock((directory / "new/mirror").string(), mirror::Holder::run, at_eight());
    REQUIRE(first.has_value());
    CHECK(failed_with(mirror::acquire_lock((directory / "new/mirror").string(), mirror::Holder::sync, at_eight()),
                      base::Errc::locked));
  }
  CHECK(mirror::acquire_lock((directory / "new/mirror").string(), mirror::Holder::sync, at_eight()).has_value());
  CHECK(mode_of(directory / "new/mirror/.vtmirror/lock") == 0600);
}

TEST_CASE("a lock whose file was removed does not prevent a new one, and two mirrors have separate locks") {
  const TemporaryDirectory directory;
  const auto one = mirror::acquire_lock((directory / "one").string(), mirror::Holder::run, at_eight());
  CHECK(mirror::acquire_lock((directory / "two").string(), mirror::Holder::run, at_eight()).has_value());
  std::filesystem::remove(directory / "one/.vtmirror/lock");
  CHECK(mirror::acquire_lock((directory / "one").string(), mirror::Holder::run, at_eight()).has_value());
}

TEST_CASE("a file is locked beside itself, by whatever path, and a mirror that was moved away is no way around it") {
  const TemporaryDirectory directory;
  const auto file = directory / "state/catalogue.db";
  std::filesystem::create_directory_symlink("state", directory / "link");
  {
    const auto first = mirror::acquire_lock_beside(file.string(), mirror::Holder::run, at_eight());
    REQUIRE(first);
    for (const auto& path : {file, directory / "link/catalogue.db"}) {
      const auto second = mirror::acquire_lock_beside(path.string(), mirror::Holder::sync, at_eight());
      REQUIRE(failed_with(second, base::Errc::locked));
      CHECK(mirror::holder_of(second.error()) == mirror::Holder::run);
      CHECK(failed_with(mirror::share_lock_beside(path.string()), base::Errc::locked));
    }
    CHECK(mirror::acquire_lock_beside((directory / "state/other.db").string(), mirror::Holder::sync, at_eight()));
  }
  CHECK_FALSE(std::filesystem::exists(file));
  CHECK(mode_of(directory / "state/catalogue.db.lock") == 0600);
  const auto shared = mirror::share_lock_beside(file.string());
  CHECK(shared);
  CHECK(failed_with(mirror::acquire_lock_beside(file.string(), mirror::Holder::sync, at_eight()), base::Errc::locked));
}

TEST_CASE(
    "a process that only looks shares the lock with others that look, keeps those out that write, and writes nothing") {
  const TemporaryDirectory directory;
  const auto mirror = (directory / "mirror").string();
  const auto none = mirror::share_lock(mirror);
  REQUIRE(none);
  CHECK(*none == nullptr);
  CHECK_FALSE(std::filesystem::exists(mirror));
  {
    const auto written = mirror::acquire_lock(mirror, mirror::Holder::run, at_eight());
    REQUIRE(written);
    const auto refused = mirror::share_lock(mirror);
    REQUIRE(failed_with(refused, base::Errc::locked));
    CHECK(mirror::holder_of(refused.error()) == mirror::Holder::run);
  }
  const auto lock = directory / "mirror/.vtmirror/lock";
  const auto time = std::filesystem::last_write_time(lock);
  {
    const auto one = mirror::share_lock(mirror);
    const auto other = mirror::share_lock(mirror);
    REQUIRE(one);
    REQUIRE(other);
    CHECK(*one != nullptr);
    CHECK(failed_with(mirror::acquire_lock(mirror, mirror::Holder::run, at_eight()), base::Errc::locked));
  }
  CHECK(read_file(lock).empty());
  CHECK(std::filesystem::last_write_time(lock) == time);
  CHECK(mirror::acquire_lock(mirror, mirror::Holder::run, at_eight()));
}
