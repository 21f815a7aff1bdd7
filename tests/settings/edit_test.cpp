// This program's own fsync stands before the C library's, and may meet a full disk.
#include "vtmirror/settings/edit.hpp"

#include "support/directory.hpp"
#include "vtmirror/settings/load.hpp"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <string>
#include <utility>

namespace {

std::atomic<int> sync_error{0};

}  // namespace

extern "C" int fsync(int file) {
  if (sync_error == 0) return static_cast<int>(::syscall(SYS_fsync, file));
  errno = sync_error;
  return -1;
}

namespace vtmirror::settings {
namespace {

mode_t mode_of(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 07777U : 0;
}

TEST_CASE("a value is set where it stands, and every comment stays") {
  const std::string text =
      "# Ünïcode before\n[service]\n# why\nbase_url = \"\"  # here\nscope = 'old' # 's'\n[mirror]\nreserve = \"1GB\"\n";
  const auto once = with_value(text, "service", "base_url", "https://api.example");
  REQUIRE(once);
  const auto twice = with_value(*once, "service", "scope", "a\"b");
  REQUIRE(twice);
  CHECK(*twice ==
        "# Ünïcode before\n[service]\n# why\nbase_url = \"https://api.example\"  # here\nscope = \"a\\\"b\" # 's'\n"
        "[mirror]\nreserve = \"1GB\"\n");
  const auto read = read_config(*twice);
  CHECK(read.config.service.base_url == "https://api.example");
  CHECK(read.config.service.scope == "a\"b");
}

TEST_CASE("characters of several bytes before a value do not move it") {
  const auto text = with_value("[credentials]\n\"client_id\" = \"äöü\" # ß\n", "credentials", "client_id", "me");
  REQUIRE(text);
  CHECK(*text == "[credentials]\n\"client_id\" = \"me\" # ß\n");
}

TEST_CASE("a key that nothing precedes follows its table's header, and a table that is not there stands at the end") {
  const auto key = with_value("[service] # of the registration\nproxy = \"\"\n", "service", "scope", "x");
  REQUIRE(key);
  CHECK(*key == "[service] # of the registration\nscope = \"x\"\nproxy = \"\"\n");
  const auto last = with_value("[service]", "service", "scope", "x");
  REQUIRE(last);
  CHECK(*last == "[service]\nscope = \"x\"\n");
  const auto table = with_flag(*key, "credentials", "auto_rotate", true);
  REQUIRE(table);
  CHECK(*table == *key + "\n[credentials]\nauto_rotate = true\n");
  const auto first = with_value("", "service", "scope", "x");
  REQUIRE(first);
  CHECK(*first == "[service]\nscope = \"x\"\n");
}

TEST_CASE("keys that are added one after another stand in the order of the shipped file, each on a line of its own") {
  std::string text = "# mine\n";
  for (const auto& [table, key] : {std::pair{"service", "scope"},
                                   {"service", "ca_file"},
                                   {"service", "base_url"},
                                   {"credentials", "api_key_file"},
                                   {"credentials", "client_id"},
                                   {"service", "token_url"}}) {
    auto longer = with_value(text, table, key, "x");
    REQUIRE(longer);
    text = *longer;
  }
  CHECK(text ==
        "# mine\n\n[service]\nbase_url = \"x\"\ntoken_url = \"x\"\nscope = \"x\"\nca_file = \"x\"\n"
        "\n[credentials]\nclient_id = \"x\"\napi_key_file = \"x\"\n");
  const auto behind = with_value("[service]\nno_proxy = [\n  \"a\",\n] # why\n# end\n", "service", "allow_http", "x");
  REQUIRE(behind);
  CHECK(*behind == "[service]\nno_proxy = [\n  \"a\",\n] # why\nallow_http = \"x\"\n# end\n");
}

TEST_CASE("a text that cannot be edited is an error of the settings") {
  CHECK(with_value("not toml", "service", "scope", "x").has_error());
  CHECK(with_value("service = 7\n", "service", "scope", "x").has_error());
  CHECK(with_value("service = {}\n", "service", "scope", "x").has_error());
  CHECK(with_value("[service]\nscope = []\n", "service", "scope", "x").has_error());
  CHECK(with_value("service.proxy = ''\n", "service", "scope", "x").has_error());
}

TEST_CASE("a new file gets its mode; one that is replaced keeps its mode and leaves nothing beside it") {
  const test::Directory directory;
  const auto path = directory.path("a.toml");
  CHECK(replace_file(path, "one", 0640));
  CHECK(mode_of(path) == 0640);
  ::chmod(path.c_str(), 0604);
  CHECK(replace_file(path, "two", 0600));
  CHECK(mode_of(path) == 0604);
  CHECK(read_file(path).value() == "two");
  CHECK(std::distance(std::filesystem::directory_iterator(directory.path()), {}) == 1);
}

TEST_CASE("a file that a full disk does not take is refused for lack of room, and the old one stays") {
  const test::Directory directory;
  const auto path = directory.write("a.toml", "old");
  for (const int number : {ENOSPC, EDQUOT, EIO}) {
    const auto code = number == EIO ? base::Errc::io : base::Errc::no_space;
    CAPTURE(number);
    sync_error = number;
    const auto written = replace_file(path, "new", 0600);
    sync_error = 0;
    REQUIRE(written.has_error());
    CHECK(written.error().code == code);
    CHECK(read_file(path).value() == "old");
    CHECK(std::distance(std::filesystem::directory_iterator(directory.path()), {}) == 1);
  }
}

TEST_CASE("a file that cannot be written is an error, and the old one stays") {
  const test::Directory directory;
  CHECK(make_directory(directory.path("a/b")));
  CHECK(std::filesystem::is_directory(directory.path("a/b")));
  const auto written = replace_file(directory.path("none/a.toml"), "x", 0600);
  REQUIRE(written.has_error());
  CHECK(written.error().detail == directory.path("none/a.toml") + " cannot be written: No such file or directory");
  CHECK(replace_file(directory.path("a"), "x", 0600).has_error());  // a directory in its place
  CHECK(std::filesystem::is_directory(directory.path("a")));
}

}  // namespace
}  // namespace vtmirror::settings
