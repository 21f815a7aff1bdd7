// The second names of files that consumers were offered.
#include "mirror/stored.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

using namespace vtmirror;
using namespace vtmirror::test;
namespace fs = std::filesystem;

namespace {

const std::string bulk_bytes = "the bulk file";
const std::string delta_bytes = "the delta";
const std::vector<ports::VerifiedFile> both{{bulk_name, std::ssize(bulk_bytes), "b"},
                                            {delta_name, std::ssize(delta_bytes), "d"}};
const std::vector<ports::VerifiedFile> only_delta{both.back()};

struct Published : Mirror {
  Published() : Mirror{TemporaryDirectory(TemporaryDirectory::base_in_memory())} {
    REQUIRE(fetch_and_publish(bulk_name, bulk_bytes).has_value());
    REQUIRE(fetch_and_publish(delta_name, delta_bytes).has_value());
  }
  std::vector<std::string> lend(const std::string& consumer, const std::vector<ports::VerifiedFile>& files) const {
    const auto loan = shelf->lend(consumer, files).value();
    CHECK(loan.is_kept);
    return loan.paths;
  }
  std::optional<ports::Loan> lent(const std::vector<ports::VerifiedFile>& files) const {
    return shelf->lent("warehouse", files).value();
  }
};

}  // namespace

TEST_CASE("what is lent has a name of its own below the consumer's, which ends in the listed one") {
  const Published mirror;
  const auto paths = mirror.lend("warehouse", both);
  REQUIRE(paths.size() == 2);
  CHECK(paths[0] == (mirror / ".vtmirror/next/warehouse" / bulk_name).string());
  CHECK(paths[1] == (mirror / ".vtmirror/next/warehouse" / delta_name).string());
  CHECK(read_file(paths[0]) == bulk_bytes);
  CHECK(read_file(paths[1]) == delta_bytes);
  CHECK(mirror.lent(both).value().is_kept);
  CHECK(mirror.lent(both).value().paths == paths);
  CHECK(mirror.shelf->files().value().size() == 2);
  CHECK(mirror.shelf->path_of(bulk_name) == (mirror / bulk_name).string());
}

TEST_CASE("what is lent stays as it is when its public name gets other bytes, or goes") {
  const Published mirror;
  const auto paths = mirror.lend("warehouse", both);
  REQUIRE(mirror.fetch_and_publish(delta_name, "a corrected delta").has_value());
  REQUIRE(mirror.shelf->remove(bulk_name).has_value());
  CHECK(read_file(paths[0]) == bulk_bytes);
  CHECK(read_file(paths[1]) == delta_bytes);
  CHECK(mirror.lent(both).value().is_kept);
  CHECK(mirror.lent(both).value().paths == paths);
}

TEST_CASE("another loan takes the place of the one before, and leaves those of others alone") {
  const Published mirror;
  const auto paths = mirror.lend("warehouse", both);
  const auto others = mirror.lend("other", both);
  REQUIRE(mirror.fetch_and_publish(delta_name, "a corrected delta").has_value());
  const std::vector<ports::VerifiedFile> corrected{{delta_name, 17, "c"}};
  const auto next = mirror.lend("warehouse", corrected);
  REQUIRE(next.size() == 1);
  CHECK(read_file(next[0]) == "a corrected delta");
  CHECK_FALSE(is_there(paths[0]));
  CHECK(read_file(others[1]) == delta_bytes);
}

TEST_CASE("what is taken back is gone, with its directories, and the public files stay") {
  const Published mirror;
  const auto paths = mirror.lend("warehouse", both);
  const auto others = mirror.lend("other", both);
  REQUIRE(mirror.shelf->withdraw({"other"}).has_value());
  CHECK_FALSE(is_there(mirror / ".vtmirror/next/warehouse"));
  CHECK(read_file(others[0]) == bulk_bytes);
  REQUIRE(mirror.shelf->withdraw({}).has_value());
  CHECK(fs::is_empty(mirror / ".vtmirror/next"));
  CHECK(read_file(mirror / bulk_name) == bulk_bytes);
  CHECK(read_file(mirror / delta_name) == delta_bytes);
}

TEST_CASE("a file that is not public as it was offered cannot be lent") {
  const Published mirror;
  const auto lent = mirror.shelf->lend("warehouse", {{delta_name, 5, "d"}});
  REQUIRE(lent.has_error());
  CHECK(lent.error().code == base::Errc::io);
  REQUIRE(mirror.shelf->remove(delta_name).has_value());
  CHECK(mirror.shelf->lend("warehouse", only_delta).has_error());
  CHECK_FALSE(mirror.lent(only_delta).has_value());
}

TEST_CASE("a second name that somebody removed leaves the public one, which may be replaced") {
  const Published mirror;
  const auto paths = mirror.lend("warehouse", both);
  fs::remove(paths[1]);
  const auto loan = mirror.lent(both).value();
  CHECK_FALSE(loan.is_kept);
  CHECK(loan.paths[0] == paths[0]);
  CHECK(loan.paths[1] == (mirror / delta_name).string());
  CHECK(mirror.lend("warehouse", both) == paths);
}

TEST_CASE("names that are lost are made again, and a reader that comes meanwhile finds the others where they were") {
  const Published mirror;
  const auto paths = mirror.lend("warehouse", both);
  const auto before = fs::last_write_time(fs::path(paths[1]).parent_path());
  fs::remove(paths[0]);
  CHECK(mirror.lend("warehouse", both) == paths);
  CHECK(read_file(paths[0]) == bulk_bytes);
  CHECK_MESSAGE(fs::last_write_time(fs::path(paths[1]).parent_path()) == before, "nothing was removed and made there");
}

TEST_CASE("a loan of which somebody cut a file is not there any more") {
  const Published mirror;
  const auto paths = mirror.lend("warehouse", only_delta);
  fs::resize_file(paths[0], 2);
  CHECK_FALSE(mirror.lent(only_delta).has_value());
}

TEST_CASE("no name of a consumer or of a file leads out of the mirror") {
  const Published mirror;
  for (const auto* const name : {"..", ".", "", "a/b", "../other"}) {
    CAPTURE(name);
    CHECK(mirror.shelf->lend(name, only_delta).has_error());
    CHECK(mirror.shelf->lent(name, only_delta).has_error());
  }
  CHECK(mirror.shelf->lend("warehouse", {{"../outside.zip", 3, ""}}).has_error());
}
