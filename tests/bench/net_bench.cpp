// Reads one range through a lane into a scratch buffer and drops it: the ceiling of the network side, beside `curl -o
// /dev/null`. Usage: net_bench URL BYTES [CA_FILE]. Not a test.
#include "vtmirror/net/http.hpp"

#include <sys/resource.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace vtmirror;

namespace {

boost::asio::awaitable<void> drain(ports::Lane& lane, std::string url, std::int64_t size, std::int64_t& done) {
  std::vector<std::byte> scratch(256 << 10);
  const core::Range all{0, size};
  const auto answer = co_await lane.get(url, all, std::string());
  if (!answer) std::fprintf(stderr, "%s\n", answer.error().detail.c_str());
  for (bool more = answer.has_value(); more;) {
    const auto got = co_await lane.read(scratch);
    if (!got) std::fprintf(stderr, "%s\n", got.error().detail.c_str());
    more = got && *got > 0;
    if (more) done += static_cast<std::int64_t>(*got);
  }
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  boost::asio::io_context loop(1);
  ports::Stop stop;
  net::HttpSettings settings;
  settings.allow_http = true;
  if (argc > 3) settings.ca_file = argv[3];
  auto http = net::make_http(loop, stop, settings);
  if (!http) return 2;
  std::int64_t done = 0;
  const auto start = std::chrono::steady_clock::now();
  {
    const auto lane = (*http)->lane();
    boost::asio::co_spawn(loop, drain(*lane, argv[1], std::atoll(argv[2]), done), boost::asio::detached);
    loop.run();
  }
  const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const double mib = static_cast<double>(done) / 1048576;
  std::printf("%.0f MiB/s, %.3f CPU s/GiB\n", mib / took,
              (seconds(used.ru_utime) + seconds(used.ru_stime)) / (mib / 1024));
  return done == std::atoll(argv[2]) ? 0 : 1;
}
