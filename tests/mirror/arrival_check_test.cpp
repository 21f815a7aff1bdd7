// The check that goes along with a file's arrival.
#include "mirror/damaged_zips.hpp"
#include "mirror/followed.hpp"
#include "mirror/sha256.hpp"
#include "support/raw_zip.hpp"
#include "support/skip.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>

#include <cstdlib>
#include <random>

using namespace vtmirror;
using namespace vtmirror::test;
using base::Errc;

namespace {

const ports::CheckRules every_rule[] = {
    {.zip = true, .digest = true}, {.zip = true, .digest = false}, {.zip = false, .digest = true}};

std::int64_t size_of(const std::string& bytes) { return static_cast<std::int64_t>(bytes.size()); }

mirror::ArrivalCheck check_of(const std::string& bytes, ports::CheckRules rules) {
  return {file_of(bytes), "a.zip", size_of(bytes), rules};
}

/// In steps of any length, each of which is interrupted again and again.
base::Result<ports::Checked> check_in_steps(const std::string& bytes, ports::CheckRules rules, std::mt19937_64& dice,
                                            std::int64_t& read) {
  auto check = check_of(bytes, rules);
  const ports::Watch seldom = [&](std::int64_t done) {
    CHECK(done >= read);
    read = done;
    return dice() % 2 == 0;
  };
  for (std::int64_t front = 0; front < size_of(bytes);) {
    front = std::min(size_of(bytes), front + 1 + static_cast<std::int64_t>(dice() % 9'000'000));
    for (auto outcome = check.advance(front, seldom); !outcome; outcome = check.advance(front, seldom))
      REQUIRE(outcome.error().code == Errc::cancelled);
  }
  // libzip begins again each time.
  for (int i = 0; i < 3; ++i) {
    auto outcome = check.finish(seldom);
    if (!failed_with(outcome, Errc::cancelled)) return outcome;
  }
  return check.finish({});
}

std::string large_zip() {
  return zip_of({{"zeros", std::string(60 << 20, '\0')}, {"bytes", body(13 << 20), ZIP_CM_STORE}, {"c", lines(90000)}});
}

/// A ZIP of many small members, made in pieces: it is larger than the memory that its check may use.
class ManyMembers {
 public:
  ManyMembers(std::filesystem::path path, std::uint64_t count) : path_(std::move(path)), count_(count) {
    std::ofstream file(path_, std::ios::binary);
    for (std::uint64_t i = 0; i < count; ++i) file << named(local_, 30, i);
    for (std::uint64_t i = 0; i < count; ++i) {
      named(entry_, 46, i).replace(42, 4, number(i * local_.size(), 4));
      file << entry_;
    }
    auto ends = ends_of({.members = {}, .zip64 = true}, count * local_.size(), count * entry_.size());
    file << ends.replace(24, 16, number(count, 8) + number(count, 8));
  }

  /// Gives a member the name of another one, in both places.
  void rename(std::uint64_t member, std::uint64_t other) {
    rename(member, named(local_, 30, other).substr(30, digits));
  }
  /// A name of eight letters.
  void rename(std::uint64_t member, const std::string& name) {
    std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(member * local_.size() + 30)) << name;
    file.seekp(static_cast<std::streamoff>(count_ * local_.size() + member * entry_.size() + 46)) << name;
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  static constexpr std::size_t digits = 8;
  static std::string& named(std::string& record, std::size_t at, std::uint64_t number) {
    for (auto digit = at + digits; digit-- > at; number /= 10) record[digit] = static_cast<char>('0' + number % 10);
    return record;
  }
  std::filesystem::path path_;
  std::uint64_t count_;
  RawMember member_{.name = std::string(digits, '0'), .text = "x"};
  std::string local_ = local_of(member_), entry_ = entry_of(member_, 0);
};

bool follower_proves(const std::filesystem::path& path) {
  const auto size = static_cast<std::int64_t>(std::filesystem::file_size(path));
  const base::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  mirror::ZipFollower follower;
  std::vector<std::byte> block(1U << 18U);
  for (std::int64_t at = 0; at < size;) {
    const auto got = ::pread(file.get(), block.data(), block.size(), at);
    REQUIRE(got > 0);
    follower.add(std::span(block).first(static_cast<std::size_t>(got)));
    at += got;
  }
  mirror::Tally tally({});
  return follower.finish(file, "many.zip", size, tally).value();
}

long peak_memory() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

}  // namespace

TEST_CASE("a check in many interrupted steps ends as one in a single pass, and counts no byte twice") {
  std::mt19937_64 dice(7);
  for (const bool damaged : {false, true}) {
    auto bytes = large_zip();
    if (damaged) flip(bytes, bytes.size() / 2);
    for (const auto& rules : every_rule) {
      const auto whole = check_arrival(bytes, rules);
      CHECK(whole.has_error() == (damaged && rules.zip));
      if (!damaged && rules.digest) CHECK(whole->sha256 == mirror::sha256(bytes));
      for (int i = 0; i < 5; ++i) {
        std::int64_t read = 0;
        const auto steps = check_in_steps(bytes, rules, dice, read);
        CHECK(steps.has_error() == whole.has_error());
        if (whole && steps) CHECK(steps->sha256 == whole->sha256);
        if (!whole && !steps) CHECK(steps.error() == whole.error());
        if (!damaged && mirror::Inflater::available()) CHECK(read == size_of(bytes));
      }
    }
  }
}

TEST_CASE("a step reads no further than it may, and can be made in any length") {
  const auto sound = sound_zip();
  for (const std::int64_t step : {1, 7, 4096}) {
    const base::Descriptor written = file_of(std::string(sound.size(), '?'));
    mirror::ArrivalCheck check(base::Descriptor(::dup(written.get())), "a.zip", size_of(sound), {});
    for (std::int64_t at = 0; at < size_of(sound); at += step) {
      const auto part = sound.substr(static_cast<std::size_t>(at), static_cast<std::size_t>(step));
      REQUIRE(::pwrite(written.get(), part.data(), part.size(), at) == static_cast<ssize_t>(part.size()));
      REQUIRE(check.advance(at + size_of(part), {}).has_value());
    }
    const auto checked = check.finish({});
    REQUIRE(checked.has_value());
    CHECK(checked->sha256 == mirror::sha256(sound));
    CHECK(checked->size == size_of(sound));
  }
}

TEST_CASE("the watch of a step is asked again and again, also while much is inflated from little") {
  const auto bytes = large_zip();
  for (const auto& rules : every_rule) {
    auto check = check_of(bytes, rules);
    int asked = 0;
    CHECK(check.advance(size_of(bytes), [&](std::int64_t) { return ++asked > 0; }).has_value());
    const bool inflates = rules.zip && mirror::Inflater::available();
    if (rules.digest || inflates) CHECK(asked >= (inflates ? 5 : 3));
    CHECK(failed_with(check.finish([](std::int64_t) { return false; }), Errc::cancelled));
    CHECK(check.finish({}).has_value());
  }
}

TEST_CASE("a file that is shorter or longer than expected is refused, and one that is cut meanwhile is not damaged") {
  const auto sound = sound_zip();
  for (const int difference : {-1, 1}) {
    mirror::ArrivalCheck check(file_of(sound), "a.zip", size_of(sound) + difference, {});
    const auto checked = check.finish({});
    REQUIRE(failed_with(checked, Errc::integrity));
    CHECK(checked.error().detail.find("were expected") != std::string::npos);
  }
  auto check = check_of(sound.substr(0, 100), {});
  CHECK(check.advance(1000, {}).has_value());
  mirror::ArrivalCheck cut(file_of(sound.substr(0, 100)), "a.zip", 1000, {});
  CHECK(failed_with(cut.advance(1000, {}), Errc::io));
}

TEST_CASE("a file that cannot be read is not damaged") {
  const TemporaryDirectory directory;
  mirror::ArrivalCheck check(base::Descriptor(::open(directory.string().c_str(), O_RDONLY | O_CLOEXEC)), "a.zip", 9,
                             {});
  CHECK(failed_with(check.advance(9, {}), Errc::io));
}

TEST_CASE("a ZIP of very many members is proven in little memory, and what collides among them is found") {
  if (!mirror::Inflater::available()) return skip(no_follower);
  const char* wanted = std::getenv("VTMIRROR_ZIP_MEMBERS");
  const std::uint64_t count = wanted == nullptr ? 360'000 : std::strtoull(wanted, nullptr, 10);
  const TemporaryDirectory directory(TemporaryDirectory::base_in_memory());
  ManyMembers zip(directory / "many.zip", count);
  const auto before = peak_memory();
  CHECK(follower_proves(zip.path()));
  const auto growth = peak_memory() - before;
  MESSAGE(count << " members: " << growth << " KiB more than before");
  CHECK(growth <= 8 * 1024);
  for (const auto twice : {std::uint64_t{1}, count - 1}) {
    zip.rename(twice, count / 2);
    CHECK_FALSE(follower_proves(zip.path()));
    zip.rename(twice, twice);
  }
  for (const auto* const file : {"d//e/./f", ".//././d"}) {
    zip.rename(1, file);
    CHECK(follower_proves(zip.path()));
    zip.rename(count - 1, "d/e//./f");
    CHECK_FALSE(follower_proves(zip.path()));
    zip.rename(count - 1, count - 1);
  }
}
