#include "vtmirror/core/pieces.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "support/upstream.hpp"

using namespace vtmirror::core;
using vtmirror::test::between;
using vtmirror::test::chance;
using vtmirror::test::Random;

namespace {

constexpr std::int64_t mib = std::int64_t{1} << 20;
constexpr std::int64_t bulk_size = 37'718'225'291;

bool all_written(const Pieces& pieces) { return pieces.bytes_written() == pieces.total(); }

RangeSet set_of(std::vector<Range> ranges) { return RangeSet(ranges); }

Range any_range(Random& random, std::int64_t total) {
  const std::int64_t a = between(random, 0, total);
  const std::int64_t b = between(random, 0, total);
  return {std::min(a, b), std::max(a, b)};
}

/// A transfer by several callers, with a model beside it of what each of them has and what the disk has.
class Transfer {
 public:
  Transfer(Random& random, std::int64_t total, std::int64_t piece_size, const RangeSet& durable)
      : random_(random),
        pieces_(total, piece_size, durable),
        piece_size_(piece_size),
        on_disk_(durable),
        cached_(durable) {}

  void ask() {
    const bool predicted = pieces_.has_next();
    const auto piece = pieces_.next();
    CHECK(piece.has_value() == predicted);
    if (!piece) {
      CHECK(is_all_taken());
      return;
    }
    REQUIRE_FALSE(piece->empty());
    CHECK(piece->size() <= piece_size_);
    const bool aligned = piece->end % std::min(piece_size_, smallest_piece) == 0;
    CHECK((aligned || piece->end == pieces_.total() || !is_free({piece->end, piece->end + 1})));
    CHECK(is_free(*piece));
    CHECK(is_lowest(*piece));
    asked_.push_back(*piece);
  }

  /// Some bytes of one caller arrive, in order, as they do on a connection.
  void arrive() {
    if (asked_.empty()) return;
    const std::size_t i = random_() % asked_.size();
    const Range got{asked_[i].begin, between(random_, asked_[i].begin + 1, asked_[i].end)};
    pieces_.written(got);
    cached_.add(got);
    asked_[i].begin = got.end;
    if (asked_[i].empty()) asked_.erase(asked_.begin() + static_cast<std::ptrdiff_t>(i));
  }

  void break_off() {
    if (asked_.empty()) return;
    const std::size_t i = random_() % asked_.size();
    pieces_.failed(asked_[i]);
    asked_.erase(asked_.begin() + static_cast<std::ptrdiff_t>(i));
  }

  void begin_sync() { syncing_ = pieces_.written_ranges(); }

  void end_sync() {
    pieces_.durable(syncing_);
    for (const Range& range : syncing_.ranges()) on_disk_.add(range);
  }

  void fail_sync() {
    pieces_.forget_unsynced();
    cached_ = on_disk_;
    syncing_ = on_disk_;
  }

  void step() {
    const std::int64_t dice = between(random_, 0, 99);
    if (dice < 30)
      ask();
    else if (dice < 75)
      arrive();
    else if (dice < 82)
      break_off();
    else if (dice < 90)
      begin_sync();
    else if (dice < 97)
      end_sync();
    else
      fail_sync();
    CHECK(pieces_.durable_ranges() == on_disk_);
    CHECK(pieces_.written_ranges() == cached_);
    CHECK(pieces_.bytes_written() == cached_.size());
  }

  /// Nothing breaks any more.
  void finish() {
    while (!all_written(pieces_)) {
      ask();
      arrive();
    }
    begin_sync();
    end_sync();
  }

  const Pieces& pieces() const { return pieces_; }

 private:
  bool is_free(Range range) const {
    RangeSet taken = cached_;
    for (const Range& other : asked_) taken.add(other);
    return taken.gaps(range) == std::vector<Range>{range};
  }

  bool is_lowest(Range range) const {
    RangeSet taken = cached_;
    for (const Range& other : asked_) taken.add(other);
    return taken.contains({0, range.begin});
  }

  bool is_all_taken() const { return is_lowest({pieces_.total(), pieces_.total()}); }

  Random& random_;
  Pieces pieces_;
  std::int64_t piece_size_;
  RangeSet on_disk_;
  RangeSet cached_;
  RangeSet syncing_;
  std::vector<Range> asked_;
};

}  // namespace

TEST_CASE("a file is asked for in pieces, lowest first") {
  Pieces pieces(10, 4, {});
  CHECK(pieces.next() == Range{0, 4});
  CHECK(pieces.next() == Range{4, 8});
  CHECK(pieces.next() == Range{8, 10});
  CHECK_FALSE(pieces.next());
}

TEST_CASE("a resume in the middle of a piece requests the rest of it, and continues aligned") {
  Pieces pieces(bulk_size, 16 * mib, set_of({{0, 16 * mib + 12345}}));
  CHECK(pieces.next() == Range{16 * mib + 12345, 32 * mib});
  CHECK(pieces.next() == Range{32 * mib, 48 * mib});
  CHECK(pieces.bytes_written() == 16 * mib + 12345);
}

TEST_CASE("holes between durable bytes are asked for and nothing else") {
  Pieces pieces(100, 50, set_of({{10, 20}, {30, 90}}));
  CHECK(pieces.next() == Range{0, 10});
  CHECK(pieces.next() == Range{20, 30});
  CHECK(pieces.next() == Range{90, 100});
  CHECK_FALSE(pieces.next());
}

TEST_CASE("a connection that breaks gives back what it has not written") {
  Pieces pieces(8, 4, {});
  CHECK(pieces.next() == Range{0, 4});
  pieces.written({0, 3});
  pieces.failed({0, 4});
  CHECK(pieces.next() == Range{3, 4});
  CHECK(pieces.next() == Range{4, 8});
}

TEST_CASE("bytes are durable only once a sync that began after their write has ended") {
  Pieces pieces(8, 4, {});
  pieces.written({0, 4});
  const RangeSet before = pieces.written_ranges();
  pieces.written({4, 8});
  pieces.durable(before);
  CHECK(all_written(pieces));
  CHECK_FALSE(pieces.all_durable());
  CHECK(pieces.durable_ranges() == set_of({{0, 4}}));
  pieces.durable(pieces.written_ranges());
  CHECK(pieces.all_durable());
}

TEST_CASE("a sync that fails has its bytes asked for again, and what others still fetch stays theirs") {
  Pieces pieces(12, 4, {});
  CHECK(pieces.next() == Range{0, 4});
  CHECK(pieces.next() == Range{4, 8});
  pieces.written({0, 4});
  const RangeSet syncing = pieces.written_ranges();
  pieces.forget_unsynced();
  CHECK(pieces.bytes_written() == 0);
  CHECK(pieces.next() == Range{0, 4});
  CHECK(pieces.next() == Range{8, 12});
  pieces.durable(syncing);
  CHECK(pieces.durable_ranges().empty());
}

TEST_CASE("a store that ignores ranges has one caller fetch all that is missing") {
  Pieces pieces(100, 10, set_of({{0, 15}, {40, 50}}));
  CHECK(pieces.next() == Range{15, 20});
  const Range rest = pieces.claim_rest();
  CHECK(rest == Range{20, 100});
  CHECK_FALSE(pieces.next());

  SUBCASE("what is on its way to the disk is not part of it") {
    pieces.failed(rest);
    CHECK(pieces.next() == Range{20, 30});
    pieces.written({15, 20});
    CHECK(pieces.written_ranges() == set_of({{0, 20}, {40, 50}}));
  }
  SUBCASE("written bytes inside it may be written again") {
    pieces.written({15, 20});
    pieces.written({20, 100});
    CHECK(all_written(pieces));
  }
  SUBCASE("when it breaks, what did not come is asked for in pieces again, and what came stays its own") {
    pieces.failed({32, 100});
    CHECK(pieces.next() == Range{32, 40});
    CHECK(pieces.next() == Range{50, 60});
    pieces.written({20, 32});
    CHECK(pieces.next() == Range{60, 70});
  }
}

TEST_CASE("the rest of a file that is all written is empty") {
  Pieces pieces(10, 4, set_of({{0, 10}}));
  CHECK(pieces.claim_rest().empty());
  CHECK_FALSE(pieces.next());
}

TEST_CASE("an empty file is written and durable from the start") {
  Pieces pieces(0, 4, {});
  CHECK_FALSE(pieces.next());
  CHECK(all_written(pieces));
  CHECK(pieces.all_durable());
}

TEST_CASE("durable bytes beyond the end of the file do not count") {
  Pieces pieces(10, 4, set_of({{8, 20}}));
  CHECK(pieces.bytes_written() == 2);
  CHECK(pieces.durable_ranges() == set_of({{8, 10}}));
  pieces.written({5, 50});
  CHECK(pieces.bytes_written() == 5);
}

TEST_CASE("a 40 GB file is asked for whole, each byte once") {
  constexpr std::int64_t total = 40'000'000'000;
  Pieces pieces(total, 64 * mib, {});
  std::int64_t bytes = 0;
  while (const auto piece = pieces.next()) {
    CHECK(piece->begin == bytes);
    bytes = piece->end;
    pieces.written(*piece);
  }
  CHECK(bytes == total);
  CHECK(all_written(pieces));
  CHECK(pieces.written_ranges().ranges().size() == 1);
}

TEST_CASE("whatever breaks in whatever order, no byte is asked for that is durable or on its way, and all arrive") {
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    const std::int64_t total = chance(random, 50) ? between(random, 1, 200) : between(random, 1, 40'000'000'000);
    const std::int64_t piece_size = std::max<std::int64_t>(1, total / between(random, 1, 40));
    RangeSet durable;
    for (std::int64_t i = between(random, 0, 3); i > 0; --i) durable.add(any_range(random, total));
    Transfer transfer(random, total, piece_size, durable);
    for (int step = 0; step < 200; ++step) transfer.step();
    transfer.finish();
    CHECK(transfer.pieces().all_durable());
    CHECK(transfer.pieces().bytes_written() == total);
  }
}
