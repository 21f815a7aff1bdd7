#include "mirror/parts.hpp"
#include "mirror/sha256.hpp"
#include "mirror/stored.hpp"
#include "support/skip.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <random>

using namespace vtmirror;
using namespace vtmirror::test;

namespace {

constexpr std::int64_t mega = 1 << 20;
const std::string on_disk = ".vtmirror/partial/v1%2Fa.zip";

std::string why(const char* what) { return std::string(what) + ": " + std::strerror(errno); }

/// A file system of one megabyte. If it cannot be mounted, `reason` says why; otherwise that is empty.
class SmallDisk {
 public:
  explicit SmallDisk(std::filesystem::path at) : at_(std::move(at)) {
    std::filesystem::create_directories(at_);
    if (::mount("tmpfs", at_.c_str(), "tmpfs", 0, "size=1m") != 0) reason_ = why("no file system can be mounted here");
  }
  ~SmallDisk() {
    if (reason_.empty()) ::umount2(at_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  const std::string& reason() const { return reason_; }

 private:
  std::filesystem::path at_;
  std::string reason_;
};

}  // namespace

TEST_CASE("random parts in random order from several threads give exactly the file") {
  for (const bool direct_io : {true, false}) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      CAPTURE(seed);
      CAPTURE(direct_io);
      std::mt19937_64 dice(seed);
      const std::int64_t size = 3 * mega + static_cast<std::int64_t>(dice() % 10000);
      const std::string whole = body(size);
      const Mirror mirror;
      const auto partials = mirror.open(direct_io).partials;
      auto partial = partials->open({"v1/a.zip", size, 0});
      REQUIRE(partial.has_value());
      REQUIRE(write_in_threads(**partial, whole, shuffled_parts(size, dice)));
      REQUIRE((*partial)->sync().has_value());
      CHECK(read_file(mirror / on_disk) == whole);
    }
  }
}

TEST_CASE("bytes written once more over others, by whichever way, are the ones that count") {
  const Mirror mirror;
  const std::string whole = body(2 * mega);
  auto partial = mirror.partials->open({"v1/a.zip", 2 * mega, 0});
  REQUIRE(partial.has_value());
  std::mt19937_64 dice(7);
  for (int round = 0; round < 3; ++round) {
    const std::string wrong(static_cast<std::size_t>(2 * mega), static_cast<char>('a' + round));
    for (const Part part : shuffled_parts(2 * mega, dice)) REQUIRE(write_part(**partial, wrong, part, dice));
    for (const Part part : shuffled_parts(2 * mega, dice)) REQUIRE(write_part(**partial, whole, part, dice));
    REQUIRE(read_file(mirror / on_disk) == whole);
  }
}

TEST_CASE("an unfinished file opened again keeps its bytes, and a fresh one has none") {
  const Mirror mirror;
  const auto open = [&mirror](std::int64_t size, std::int64_t kept) {
    return mirror.partials->open({"v1/a.zip", size, kept}).value() != nullptr;
  };
  REQUIRE(mirror.fetch("v1/a.zip", "0123456789").has_value());
  REQUIRE(open(12, 10));
  CHECK(read_file(mirror / on_disk) == std::string("0123456789\0\0", 12));
  REQUIRE(open(5, 5));
  CHECK(read_file(mirror / on_disk) == "01234");
  REQUIRE(open(3, 0));
  CHECK(read_file(mirror / on_disk) == std::string(3, '\0'));
}

TEST_CASE("an unfinished file that is gone or was cut is not taken for the one whose bytes are to be kept") {
  const Mirror mirror;
  REQUIRE(mirror.fetch("v1/a.zip", "01234").has_value());
  CHECK(mirror.partials->open({"v1/a.zip", 12, 6}).value() == nullptr);
  CHECK(read_file(mirror / on_disk) == "01234");
  REQUIRE(mirror.partials->drop("v1/a.zip").has_value());
  CHECK(mirror.partials->open({"v1/a.zip", 12, 1}).value() == nullptr);
  CHECK_FALSE(is_there(mirror / on_disk));
}

TEST_CASE("an unfinished file has its space reserved and is nobody else's to read") {
  const Mirror mirror;
  REQUIRE(mirror.partials->open({"v1/a.zip", mega, 0}).has_value());
  struct stat status {};
  REQUIRE(::stat((mirror / on_disk).c_str(), &status) == 0);
  CHECK(status.st_size == mega);
  CHECK(status.st_blocks * 512 >= mega);
  CHECK(mode_of(mirror / on_disk) == 0600);
  CHECK(mode_of(mirror / ".vtmirror/partial") == 0700);
  CHECK(mode_of(mirror / ".vtmirror/quarantine") == 0700);
}

TEST_CASE("bytes beyond the end of the file, or before its start, are refused") {
  const Mirror mirror;
  auto partial = mirror.partials->open({"v1/a.zip", 10, 0});
  REQUIRE(partial.has_value());
  CHECK(failed_with((*partial)->write(5, bytes_of("012345")), base::Errc::io));
  CHECK(failed_with((*partial)->write(-1, bytes_of("0")), base::Errc::io));
  CHECK(failed_with(mirror.partials->open({"v1/b.zip", -1, 0}), base::Errc::io));
  CHECK((*partial)->write(10, {}).has_value());
  CHECK(std::filesystem::file_size(mirror / on_disk) == 10);
}

TEST_CASE("unfinished files are listed by their names, however long those are, and dropped without a trace") {
  const Mirror mirror;
  const std::string long_name = "v1/" + std::string(250, 'a') + "/" + std::string(250, '%') + "/b.zip";
  for (const auto& name : {bulk_name, long_name, std::string("a%2Fb.zip")})
    REQUIRE(mirror.fetch(name, "12345").has_value());
  auto files = mirror.partials->files();
  REQUIRE(files.has_value());
  REQUIRE(files->size() == 3);
  CHECK((*files)[0].name == "a%2Fb.zip");
  CHECK((*files)[1].name == long_name);
  CHECK((*files)[2].name == bulk_name);
  CHECK((*files)[2].size == 5);
  for (const auto& file : *files) REQUIRE(mirror.partials->drop(file.name).has_value());
  CHECK(std::filesystem::is_empty(mirror / ".vtmirror/partial"));
  CHECK(mirror.partials->drop(long_name).has_value());
}

TEST_CASE(
    "a full disk is reported as no space, at the reservation and at a write, and a failed reservation is released") {
  const Mirror mirror;
  const TemporaryDirectory other;
  const SmallDisk disk(other / "disk");
  if (!disk.reason().empty()) return skip(disk.reason());
  const auto partials = mirror::open_directory({.directory = (other / "disk").string()}).value().partials;
  const auto free_before = partials->free_space().value();
  CHECK(failed_with(partials->open({"v1/big.zip", 8 * mega, 0}), base::Errc::no_space));
  CHECK(partials->free_space().value() + 16384 >= free_before);

  auto partial = partials->open({"v1/a.zip", mega / 2, 0});
  REQUIRE(partial.has_value());
  const int file = ::open((other / "disk" / on_disk).c_str(), O_WRONLY | O_CLOEXEC);
  REQUIRE(::fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, mega / 2) == 0);
  ::close(file);
  const int filler = ::open((other / "disk/filler").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  const std::string block(65536, 'x');
  while (::write(filler, block.data(), block.size()) > 0) continue;
  ::close(filler);
  const auto full = (*partial)->write(0, bytes_of(body(mega / 2)));
  CHECK(failed_with(full, base::Errc::no_space));
  // The position in the error is the end of the bytes that were written.
  const std::string logged = "v1/a.zip: cannot write at ";
  REQUIRE(full.error().detail.starts_with(logged));
  const auto end = static_cast<std::size_t>(std::stoll(full.error().detail.substr(logged.size())));
  const std::string written = read_file(other / "disk" / on_disk);
  CHECK(end < written.size());
  CHECK(written.substr(0, end) == body(mega / 2).substr(0, end));
  CHECK(written.substr(end, 4096) == std::string(4096, '\0'));
}

TEST_CASE("a quarantined file lies beside the reason, and the next one of its name replaces both") {
  const Mirror mirror;
  const std::string at = ".vtmirror/quarantine/v1%2Fa.zip";
  for (const std::string reason : {"member x: CRC error", "it has 5 bytes, 6 were expected"}) {
    REQUIRE(mirror.fetch("v1/a.zip", reason + "!").has_value());
    REQUIRE(mirror.partials->quarantine("v1/a.zip", reason).has_value());
    CHECK(read_file(mirror / at) == reason + "!");
    CHECK(read_file(mirror / (at + ".reason.txt")) == reason + "\nfile: v1/a.zip\n");
  }
  CHECK(mirror.partials->files()->empty());
  CHECK(mirror.shelf->files()->empty());
}

TEST_CASE("what is in the quarantine is listed by its name, also where a file or its reason alone is left") {
  const Mirror mirror;
  CHECK(mirror.partials->quarantined()->empty());
  for (const std::string name : {"v1/b.zip", "v1/a.zip", "v1/odd.reason.txt"}) {
    REQUIRE(mirror.fetch(name, "bad").has_value());
    REQUIRE(mirror.partials->quarantine(name, "why").has_value());
  }
  REQUIRE(std::filesystem::remove(mirror / ".vtmirror/quarantine/v1%2Fa.zip"));
  REQUIRE(std::filesystem::remove(mirror / ".vtmirror/quarantine/v1%2Fb.zip.reason.txt"));
  write_file(mirror / ".vtmirror/quarantine/%zz", "somebody's own");
  const auto files = mirror.partials->quarantined().value();
  REQUIRE(files.size() == 3);
  CHECK(files[0].name == "v1/a.zip");
  CHECK(files[0].size == 0);
  CHECK(files[1].name == "v1/b.zip");
  CHECK(files[1].size == 3);
  CHECK(files[2].name == "v1/odd.reason.txt");
  CHECK(files[2].size == 3);
}

TEST_CASE("a quarantined file goes with its reason when a sound one of its name is public, and others stay") {
  const Mirror mirror;
  for (const std::string name : {"v1/a.zip", "v1/b.zip"}) {
    REQUIRE(mirror.fetch(name, "bad").has_value());
    REQUIRE(mirror.partials->quarantine(name, "why").has_value());
  }
  REQUIRE(mirror.fetch_and_publish("v1/a.zip", "good").has_value());
  REQUIRE(mirror.partials->clear("v1/a.zip").has_value());
  CHECK_FALSE(is_there(mirror / ".vtmirror/quarantine/v1%2Fa.zip"));
  CHECK_FALSE(is_there(mirror / ".vtmirror/quarantine/v1%2Fa.zip.reason.txt"));
  CHECK(read_file(mirror / ".vtmirror/quarantine/v1%2Fb.zip") == "bad");
  CHECK(is_there(mirror / ".vtmirror/quarantine/v1%2Fb.zip.reason.txt"));
}

TEST_CASE("a partial that a shelf has copied goes when the file is public, and where there is none nothing is wrong") {
  const Mirror mirror;
  REQUIRE(mirror.fetch("v1/a.zip", "copied").has_value());
  REQUIRE(mirror.fetch("v1/b.zip", "unfinished").has_value());
  CHECK(mirror.partials->clear("v1/a.zip").has_value());
  CHECK(mirror.partials->clear("v1/a.zip").has_value());
  REQUIRE(mirror.partials->files()->size() == 1);
  CHECK(mirror.partials->files()->front().name == "v1/b.zip");
}

TEST_CASE("a quarantined file is never taken for another's reason") {
  const Mirror mirror;
  for (const std::string name : {"v1/a.zip.reason.txt", "v1/a.zip"}) {
    REQUIRE(mirror.fetch(name, "bytes of " + name).has_value());
    REQUIRE(mirror.partials->quarantine(name, "reason of " + name).has_value());
  }
  CHECK(read_file(mirror / ".vtmirror/quarantine/v1%2Fa.zip%2Ereason.txt") == "bytes of v1/a.zip.reason.txt");
  CHECK(read_file(mirror / ".vtmirror/quarantine/v1%2Fa.zip.reason.txt").starts_with("reason of v1/a.zip\n"));
}

TEST_CASE("the free space is the file system's, less than all of it") {
  const Mirror mirror;
  const auto space = std::filesystem::space(mirror.root());
  const auto free = mirror.partials->free_space();
  REQUIRE(free.has_value());
  CHECK(*free > 0);
  CHECK(static_cast<std::uintmax_t>(*free) <= space.capacity);
}

TEST_CASE("a mirror that is not there is looked at as an empty one, with the free space of its disk, and is not made") {
  const TemporaryDirectory directory;
  const auto path = (directory / "a/b/mirror").string();
  auto looked = mirror::look_at_directory({.directory = path});
  REQUIRE(looked);
  CHECK(looked->shelf->files().value().empty());
  CHECK_FALSE(looked->shelf->generation().value());
  CHECK(looked->shelf->remains().value().generation == 0);
  CHECK(looked->partials->files().value().empty());
  const auto free = looked->partials->free_space();
  REQUIRE(free);
  CHECK(*free > 0);
  CHECK(failed_with(looked->partials->open({"v1/a.zip", 10, 0}), base::Errc::io));
  CHECK(std::filesystem::is_empty(directory.path()));
}

TEST_CASE("what is judged is the file that has the name in the end, and not the one whose arrival was followed") {
  const Mirror mirror;
  const std::string whole = body(4 << 20);
  auto partial = mirror.partials->open({"v1/a.zip", std::ssize(whole), 0});
  REQUIRE(partial.has_value());
  REQUIRE((*partial)->write(0, bytes_of(whole)).has_value());
  auto check = mirror.partials->begin_check("v1/a.zip", std::ssize(whole), {.zip = false, .digest = true});
  REQUIRE(check.has_value());
  REQUIRE((*check)->advance(2 << 20, {}).has_value());
  const auto path = mirror / ".vtmirror/partial/v1%2Fa.zip";
  const std::string other(whole.size(), 'x');
  std::filesystem::remove(path);
  std::ofstream(path) << other;
  const auto checked = (*check)->finish({});
  REQUIRE(checked.has_value());
  CHECK(checked->sha256 == mirror::sha256(other));
  std::filesystem::remove(path);
  CHECK(failed_with((*check)->finish({}), base::Errc::io));
}
