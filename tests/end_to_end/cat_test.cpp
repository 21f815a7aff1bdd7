// `vtmirror cat` as scripts use it: in pipelines, into files, beside a daemon's work.
#include "end_to_end/rig.hpp"
#include "support/skip.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <fstream>

using namespace vtmirror::test;
namespace fs = std::filesystem;

namespace {

constexpr char small[] = R"({"bulk_bytes": 3000000, "delta_bytes": 200000})";
const std::string delta = "v1/public/delta/year=2026/month=11/day=16/delta-light-vehicle_16-11-2026.zip";

std::string quoted(const std::vector<std::string>& line) {
  std::string text;
  for (const auto& word : line) text += " '" + word + '\'';
  return text;
}

/// In a shell that reports the failure of any part of a pipeline. `behind` follows the command.
Ended in_shell(const Rig& rig, const std::vector<std::string>& command, const std::string& behind) {
  return run({"bash", "-c", "set -o pipefail;" + quoted(rig.command_line(command)) + ' ' + behind});
}

/// By the tools that everybody has, of the files in that directory in the order of their names.
std::string unpacked(const Rig& rig, const std::string& files) {
  const auto ended = run({"bash", "-c",
                          "set -e -o pipefail; cd '" + rig.mirror().string() + "'; for file in " + files +
                              "; do unzip -p $file | gzip -dc; done"});
  CHECK(ended.status == 0);
  return ended.out;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

void flip(const fs::path& path, std::streamoff at) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(at);
  const auto byte = static_cast<char>(file.get() ^ 0x55);
  file.seekp(at).put(byte);
}

}  // namespace

TEST_CASE("cat prints a file's lines, or the whole chain's, as unzip and gzip do") {
  Rig rig(small);
  REQUIRE(rig.vtmirror({"sync"}).status == 0);
  const auto chain = rig.vtmirror({"cat", "--chain"});
  CHECK(chain.status == 0);
  CHECK(chain.err.empty());
  const bool as_by_others = chain.out == unpacked(rig, "current/*");
  CHECK(as_by_others);
  const auto text = unpacked(rig, delta);
  CHECK(chain.out.size() > text.size());
  for (const std::string& name : {std::string("2026-11-16"), delta, delta.substr(delta.rfind('/') + 1)})
    CHECK(rig.vtmirror({"cat", name}).out == text);
  CHECK(rig.vtmirror({"cat", "bulk"}).out == unpacked(rig, "current/01*"));
  CHECK(text.starts_with(rig.vtmirror({"cat", "2026-11-16", "light-vehicle-tests-0.json.gz"}).out));
}

TEST_CASE("what the mirror does not have is said in words, with what it has, and prints nothing") {
  Rig rig(small);
  auto ended = rig.vtmirror({"cat", "bulk"});
  CHECK(ended.status == 1);
  CHECK(has(ended.err, "no cycle has run yet"));
  REQUIRE(rig.vtmirror({"sync"}).status == 0);
  for (const auto& [words, said] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"cat", "2026-11-20"}, "did you mean 2026-11-18?"},
           {{"cat", "blk"}, "did you mean bulk?"},
           {{"cat", "bulk", "light-vehicle-tests-0.json"}, "bulk 15 Nov has no member light-vehicle-tests-0.json"}}) {
    ended = rig.vtmirror(words);
    CHECK(ended.status == 1);
    CHECK(ended.out.empty());
    INFO(ended.err);
    CHECK(has(ended.err, said));
  }
  CHECK(rig.vtmirror({"cat"}).status == 2);
  CHECK(rig.vtmirror({"cat", "bulk", "--chain"}).status == 2);
}

TEST_CASE("a damaged file ends cat with exit status 1 and the place, and is never a short output that looks whole") {
  Rig rig(small);
  REQUIRE(rig.vtmirror({"sync"}).status == 0);
  const auto whole = rig.vtmirror({"cat", "2026-11-16"}).out;
  const auto path = rig.mirror() / delta;
  flip(path, 150'000);
  auto ended = rig.vtmirror({"cat", "2026-11-16"});
  INFO(ended.err);
  CHECK(ended.status == 1);
  CHECK(has(ended.err, "delta 16 Nov: member light-vehicle-tests-0.json.gz: "));
  CHECK(has(ended.err, "what was printed is not complete"));
  CHECK(ended.out.size() < whole.size());
  CHECK(rig.vtmirror({"cat", "--chain"}).status == 1);
  fs::resize_file(path, 100'000);
  ended = rig.vtmirror({"cat", "2026-11-16"});
  CHECK(ended.status == 1);
  CHECK(ended.out.empty());
  CHECK(has(ended.err, "vtmirror: delta 16 Nov: it has 100000 bytes, 200000 were published\n"));
  CHECK(has(ended.err, "`vtmirror verify --repair '2026-11-16'` downloads it again\n"));
  fs::remove(path);
  ended = rig.vtmirror({"cat", "2026-11-16"});
  CHECK(ended.status == 1);
  CHECK(has(ended.err, "vtmirror: delta 16 Nov is no longer on disk\n"));
  CHECK(has(ended.err, "`vtmirror verify --repair '2026-11-16'` downloads it again\n"));
  CHECK_FALSE(has(ended.err, "check the disk"));
}

TEST_CASE("another whole ZIP in the place of a file is damage, although each of its members is sound") {
  Rig rig(small), other(small);
  REQUIRE(rig.vtmirror({"sync"}).status == 0);
  other.control("POST", "/script", R"({"republish": {"delta:2026-11-16": 2}})");
  REQUIRE(other.vtmirror({"sync"}).status == 0);
  REQUIRE(fs::file_size(other.mirror() / delta) == fs::file_size(rig.mirror() / delta));
  fs::copy_file(other.mirror() / delta, rig.mirror() / delta, fs::copy_options::overwrite_existing);
  for (const std::vector<std::string>& command : {std::vector<std::string>{"cat", "2026-11-16"},
                                                  {"cat", "2026-11-16", "light-vehicle-tests-0.json.gz"},
                                                  {"cat", "--chain"}}) {
    const auto ended = rig.vtmirror(command);
    CAPTURE(ended.err);
    CHECK(ended.status == 1);
    CHECK(has(ended.err, "delta 16 Nov: its digest is not the one that was published"));
    CHECK(has(ended.err, "what was printed is not what was published"));
    CHECK(has(ended.err, "vtmirror verify --repair"));
  }
  CHECK(rig.vtmirror({"cat", "bulk"}).status == 0);
}

TEST_CASE("a chain with a file that is known to be damaged or lost is not printed without it") {
  Rig rig(small);
  REQUIRE(rig.vtmirror({"sync"}).status == 0);
  flip(rig.mirror() / delta, 150'000);
  REQUIRE(rig.vtmirror({"verify"}).status == 1);
  auto ended = rig.vtmirror({"cat", "--chain"});
  CAPTURE(ended.err);
  CHECK(ended.status == 1);
  CHECK(ended.out.empty());
  CHECK(has(ended.err, "delta 16 Nov is damaged on disk"));
  CHECK(has(ended.err, "`vtmirror verify --repair` downloads it again"));
  fs::remove(rig.mirror() / delta);
  REQUIRE(rig.vtmirror({"verify"}).status == 1);
  ended = rig.vtmirror({"cat", "--chain"});
  CHECK(ended.status == 1);
  CHECK(ended.out.empty());
  CHECK(has(ended.err, "delta 16 Nov is no longer on disk"));
  REQUIRE(rig.vtmirror({"verify", "--repair"}).status == 0);
  CHECK(rig.vtmirror({"cat", "--chain"}).status == 0);
}

TEST_CASE("a closed pipe ends cat quietly, and lost output is a failure that says why") {
  Rig rig(small);
  REQUIRE(rig.vtmirror({"sync"}).status == 0);
  const auto closed = in_shell(rig, {"cat", "bulk"}, "| head -c 10");
  CHECK(closed.status == 128 + SIGPIPE);
  CHECK(closed.err.empty());
  CHECK(closed.out.size() == 10);
  const auto full = in_shell(rig, {"cat", "bulk"}, "> /dev/full");
  CHECK(full.status == 1);
  CHECK(has(full.err, "cannot write to stdout: No space left on device"));
  const auto shut = in_shell(rig, {"cat", "bulk"}, ">&-");
  CHECK(shut.status == 1);
  CHECK(has(shut.err, "cannot write to stdout: Bad file descriptor"));
}

TEST_CASE("Ctrl-C ends cat at once") {
  Rig rig(small);
  REQUIRE(rig.vtmirror({"sync"}).status == 0);
  Child cat(rig.command_line({"cat", "bulk"}));
  REQUIRE(cat.read_until([](const Ended& ended) { return !ended.out.empty(); }));
  cat.signal(SIGINT);
  const auto ended = cat.wait();
  CHECK(ended.status == 130);
  CHECK(ended.err.empty());
}

TEST_CASE("cat of the chain prints the files that it began with, whatever is published meanwhile") {
  Rig rig(small);
  REQUIRE(rig.vtmirror({"sync"}).status == 0);
  const auto before = rig.vtmirror({"cat", "--chain"}).out;
  Child cat(rig.command_line({"cat", "--chain"}));
  REQUIRE(cat.read_until([](const Ended& ended) { return !ended.out.empty(); }));
  rig.control("POST", "/script", R"({"republish": {"delta:2026-11-16": 2}, "sizes": {"delta:2026-11-16": 150000}})");
  REQUIRE(rig.vtmirror({"sync"}).status == 0);
  CHECK(fs::file_size(rig.mirror() / delta) == 150'000);
  const auto ended = cat.wait();
  CHECK(ended.status == 0);
  const bool unchanged = ended.out == before;
  CHECK(unchanged);
  const bool now_another = rig.vtmirror({"cat", "--chain"}).out != before;
  CHECK(now_another);
}
