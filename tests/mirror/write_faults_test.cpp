// The system calls of an unfinished file, seen and disturbed: this program's own pwrite and fdatasync stand before the
// C library's.
#include "mirror/parts.hpp"
#include "mirror/sha256.hpp"
#include "mirror/stored.hpp"
#include "support/skip.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

using namespace vtmirror;
using namespace vtmirror::test;

namespace {

struct Faults {
  std::atomic<bool> on{false};  ///< short writes and interruptions
  std::atomic<bool> refuse_direct{false};
  std::atomic<int> sync_error{0};
  std::atomic<std::uint64_t> calls{0};
  std::atomic<std::int64_t> direct{0};  ///< bytes that went directly
  std::atomic<int> misaligned{0};       ///< direct writes that a file system with pages of 4096 would refuse
  std::atomic<int> after_refusal{0};    ///< direct writes tried although one had been refused
};
Faults faults;

struct Disturbed {
  Disturbed() { reset(); }
  ~Disturbed() { reset(); }
  static void reset() {
    faults.on = faults.refuse_direct = false;
    faults.sync_error = 0;
    faults.calls = 0;
    faults.direct = 0;
    faults.misaligned = faults.after_refusal = 0;
  }
};

bool is_direct(int fd) { return (::fcntl(fd, F_GETFL) & O_DIRECT) != 0; }

ssize_t fail(int error) {
  errno = error;
  return -1;
}

void count_direct(const void* bytes, std::size_t size, off_t offset) {
  const bool aligned = (reinterpret_cast<std::uintptr_t>(bytes) | size | static_cast<std::size_t>(offset)) % 4096 == 0;
  if (!aligned) ++faults.misaligned;
}

/// Bytes whose address is `behind` a multiple of 4096.
class PageMemory {
 public:
  explicit PageMemory(std::size_t size, std::size_t behind = 0) : memory_(size + behind + 4096, 'x') {
    const auto start = 4096 - reinterpret_cast<std::uintptr_t>(memory_.data()) % 4096;
    text_ = std::span(memory_).subspan(start + behind, size);
  }
  PageMemory(const PageMemory&) = delete;
  PageMemory& operator=(const PageMemory&) = delete;

  void fill(const std::string& text) { std::copy(text.begin(), text.end(), text_.begin()); }
  std::span<const std::byte> bytes() const { return std::as_bytes(text_); }

 private:
  std::vector<char> memory_;
  std::span<char> text_;
};

}  // namespace

extern "C" ssize_t pwrite(int fd, const void* bytes, std::size_t size, off_t offset) {
  const bool direct = is_direct(fd);
  const auto call = ++faults.calls;
  if (direct && faults.refuse_direct) return ++faults.after_refusal, fail(EINVAL);
  if (faults.on && call % 3 == 0) return fail(EINTR);
  if (faults.on && call % 3 == 1 && size > 1) size = 1 + size * (call % 7) / 8;
  if (direct && !faults.on) count_direct(bytes, size, offset);
  const auto written = ::syscall(SYS_pwrite64, fd, bytes, size, offset);
  if (direct && written > 0) faults.direct += written;
  return written;
}

extern "C" int fdatasync(int fd) {
  const int error = faults.sync_error;
  return error != 0 ? static_cast<int>(fail(error)) : static_cast<int>(::syscall(SYS_fdatasync, fd));
}

TEST_CASE("writes that come back short or interrupted are continued at the right place") {
  const Disturbed disturbed;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 dice(seed);
    const Mirror mirror;
    const std::string whole = body(1 << 20);
    auto partial = mirror.partials->open({"v1/a.zip", 1 << 20, 0});
    REQUIRE(partial.has_value());
    faults.on = true;
    const bool fine = write_in_threads(**partial, whole, shuffled_parts(1 << 20, dice));
    faults.on = false;
    CHECK(fine);
    CHECK(read_file(mirror / ".vtmirror/partial/v1%2Fa.zip") == whole);
  }
}

TEST_CASE("every direct write is one that the file system can take, and whole pages go directly where it takes them") {
  const Disturbed disturbed;
  std::mt19937_64 dice(3);
  const Mirror mirror;
  const std::int64_t size = 2 << 20;
  const std::string whole = body(size);
  auto partial = mirror.partials->open({"v1/a.zip", size, 0});
  REQUIRE(partial.has_value());
  CHECK(write_in_threads(**partial, whole, shuffled_parts(size, dice)));
  CHECK(faults.misaligned == 0);
  if (faults.direct == 0) return skip("the file system of " + mirror.root().string() + " takes no direct writes");
  faults.direct = 0;
  const PageMemory memory(static_cast<std::size_t>(size) - 200, 100);
  REQUIRE((*partial)->write(100, memory.bytes()).has_value());
  CHECK(faults.direct == size - 8192);
  CHECK(read_file(mirror / ".vtmirror/partial/v1%2Fa.zip").substr(100, 9000) == std::string(9000, 'x'));
}

TEST_CASE("what a check will soon read is written through the page cache, and everything else directly") {
  const Disturbed disturbed;
  const Mirror mirror;
  constexpr std::int64_t piece = 1 << 20;
  constexpr std::int64_t far = std::int64_t{300} << 20;
  const PageMemory memory(piece);
  const auto bytes = memory.bytes();
  auto partial = mirror.partials->open({"v1/a.zip", far + piece, 0});
  REQUIRE(partial.has_value());
  REQUIRE((*partial)->write(0, bytes).has_value());
  if (faults.direct == 0) return skip("the file system of " + mirror.root().string() + " takes no direct writes");
  CHECK(faults.direct == piece);
  auto check = mirror.partials->begin_check("v1/a.zip", far + piece, {.zip = false, .digest = true});
  REQUIRE(check.has_value());
  REQUIRE((*check)->advance(piece, {}).has_value());
  REQUIRE((*partial)->write(piece, bytes).has_value());
  CHECK(faults.direct == piece);
  REQUIRE((*partial)->write(far, bytes).has_value());
  CHECK(faults.direct == 2 * piece);
  check->reset();
  REQUIRE((*partial)->write(2 * piece, bytes).has_value());
  CHECK(faults.direct == 3 * piece);
  auto size_only = mirror.partials->begin_check("v1/a.zip", far + piece, {.zip = false, .digest = false});
  REQUIRE(size_only.has_value());
  REQUIRE((*size_only)->advance(3 * piece, {}).has_value());
  REQUIRE((*partial)->write(3 * piece, bytes).has_value());
  CHECK(faults.direct == 4 * piece);
}

TEST_CASE("a check that goes along reads what was written in either way, in any order") {
  const Disturbed disturbed;
  std::mt19937_64 dice(5);
  const Mirror mirror;
  const std::int64_t size = 3 << 20;
  const std::string whole = body(size);
  auto partial = mirror.partials->open({"v1/a.zip", size, 0});
  REQUIRE(partial.has_value());
  auto check = mirror.partials->begin_check("v1/a.zip", size, {.zip = false, .digest = true});
  REQUIRE(check.has_value());
  for (std::int64_t front = 0; front < size; front += 1 << 20) {
    auto parts = shuffled_parts(1 << 20, dice);
    for (auto& part : parts) part = {front + part.begin, front + part.end};
    REQUIRE(write_in_threads(**partial, whole, parts));
    REQUIRE((*partial)->sync().has_value());
    if (front < 2 << 20) REQUIRE((*check)->advance(front + (1 << 20), {}).has_value());
  }
  const auto checked = (*check)->finish({});
  REQUIRE(checked.has_value());
  CHECK(checked->sha256 == mirror::sha256(whole));
}

TEST_CASE("a file system that refuses direct writes is asked once a file, and has every byte all the same") {
  const Disturbed disturbed;
  faults.refuse_direct = true;
  const Mirror mirror;
  const std::string whole = body(1 << 20);
  PageMemory memory(whole.size());
  memory.fill(whole);
  auto partial = mirror.partials->open({"v1/a.zip", 1 << 20, 0});
  REQUIRE(partial.has_value());
  for (std::size_t at = 0; at < whole.size(); at += 1 << 18)
    CHECK((*partial)->write(static_cast<std::int64_t>(at), memory.bytes().subspan(at, 1 << 18)).has_value());
  CHECK(faults.after_refusal <= 1);
  CHECK(read_file(mirror / ".vtmirror/partial/v1%2Fa.zip") == whole);
}

TEST_CASE("a failed sync is reported with the file and the system's error") {
  const Disturbed disturbed;
  const Mirror mirror;
  auto partial = mirror.partials->open({"v1/a.zip", 10, 0});
  REQUIRE(partial.has_value());
  faults.sync_error = EIO;
  const auto failed = (*partial)->sync();
  REQUIRE(failed_with(failed, base::Errc::io));
  CHECK(failed.error().detail == "v1/a.zip: cannot sync: Input/output error");
  faults.sync_error = ENOSPC;
  CHECK(failed_with((*partial)->sync(), base::Errc::no_space));
  faults.sync_error = 0;
  CHECK((*partial)->sync().has_value());
}
