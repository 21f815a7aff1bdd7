// A large file through TLS, with all its checks. `./dev large` does the same with 40 GiB, and measures the time too.
#include "end_to_end/measured_run.hpp"
#include "end_to_end/nginx_store.hpp"
#include "support/hostile_zips.hpp"
#include "support/sanitizer.hpp"
#include "support/skip.hpp"

#include <doctest/doctest.h>

#include <fstream>

using namespace vtmirror;
using namespace vtmirror::test;

namespace {

constexpr std::uint32_t gib = 1U << 30;
constexpr std::uint32_t checksum_of_a_gib_of_zeros = 0x5B64C2B0;
constexpr long most_memory = 44 << 10;  // KiB: a release build may need 32 MiB, one without optimisation some more
constexpr char bulk[] = "v1/public/bulk/year=2026/month=11/day=15/bulk-light-vehicle_15-11-2026.zip";

/// A sound ZIP with one stored member of 1 GiB, which is a hole in the file.
void make_sparse_zip(const fs::path& path) {
  auto bytes = written({.members = {{.name = "zeros.json", .crc = checksum_of_a_gib_of_zeros, .size = gib}}});
  const auto directory = bytes.rfind(hostile::entry_mark);
  REQUIRE(directory != std::string::npos);
  for (const auto& [mark, packed_size] :
       {std::pair{std::string("PK\x03\x04"), std::size_t{18}}, {hostile::entry_mark, 20}})
    bytes = hostile::with(bytes, mark, packed_size, gib, 4);
  bytes = hostile::with(bytes, hostile::end_mark, 16, directory + gib, 4);
  fs::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file << bytes.substr(0, directory);
  file.seekp(static_cast<std::streamoff>(directory + gib));
  file << bytes.substr(directory);
  REQUIRE(file.flush().good());
}

}  // namespace

TEST_CASE("a file of 1 GiB comes through TLS with all its checks, in a memory that does not grow with it") {
  if (const auto why = absent("nginx", "nginx")) return skip(*why);
  for (const int connections : {1, 16}) {
    CAPTURE(connections);
    Rig rig;
    rig.set("download", "connections", std::to_string(connections));
    NginxStore nginx(rig);
    make_sparse_zip(nginx.store() / bulk);
    nginx.serve_everything();
    nginx.list(std::time(nullptr) + 3600);
    const auto measured = measured_run(rig.command_line({"sync"}));
    CAPTURE(measured.ended.err);
    CHECK(measured.ended.status == 0);
    CHECK(rig.vtmirror({"files"}).out.find("1.07 GB") != std::string::npos);
    CHECK(fs::file_size(rig.mirror() / bulk) == fs::file_size(nginx.store() / bulk));
    CHECK(nginx.connections_to_the_bulk_file() >= static_cast<std::size_t>(connections));
    MESSAGE(measured.peak << " KiB with " << connections << " connections");
    REQUIRE(measured.peak > 0);
    if (sanitized)
      skip("a sanitizer's records grow with what a program touches, so its memory says nothing of the program's");
    else
      CHECK(measured.peak <= most_memory);
  }
}
