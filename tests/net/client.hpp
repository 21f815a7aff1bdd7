// The room's public interface as a test calls it: each call runs the event loop until its coroutine has ended.
#pragma once

#include "support/certificate.hpp"
#include "support/temporary_directory.hpp"
#include "vtmirror/net/http.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace vtmirror::test {

template <class T>
T run(boost::asio::io_context& loop, boost::asio::awaitable<T> task, std::function<void()> then = {}) {
  std::optional<T> out;
  boost::asio::co_spawn(loop, std::move(task), [&out](const std::exception_ptr& thrown, T value) {
    if (thrown) std::rethrow_exception(thrown);
    out = std::move(value);
  });
  if (then) boost::asio::post(loop, std::move(then));  // its turn comes when the task has begun and waits
  loop.restart();
  while (!out) {
    if (loop.run_one() == 0) throw std::runtime_error("the task waits for nothing");
  }
  return std::move(*out);
}

inline net::HttpSettings quick() {
  net::HttpSettings settings;
  settings.allow_http = true;
  return settings;
}

/// An authority, and settings that trust it.
struct Trust {
  Trust() { write_file(directory / "ca.pem", authority.pem()); }
  net::HttpSettings settings() const {
    auto settings = quick();
    settings.ca_file = directory.string() + "/ca.pem";
    return settings;
  }
  Authority authority;
  TemporaryDirectory directory;
};

class Client {
 public:
  explicit Client(net::HttpSettings settings = quick()) {
    auto made = net::make_http(loop, stop, std::move(settings));
    if (!made) throw std::runtime_error(made.error().detail);
    http = std::move(*made);
    lane = http->lane();
  }

  base::Result<ports::RangeAnswer> get(std::string url, std::int64_t begin, std::int64_t end,
                                       std::string if_match = "") {
    return run(loop, lane->get(std::move(url), core::Range{begin, end}, std::move(if_match)));
  }
  base::Result<std::size_t> read(std::span<std::byte> into) { return run(loop, lane->read(into)); }
  base::Result<ports::Response> exchange(ports::Request request) {
    return run(loop, http->exchange(std::move(request)));
  }

  /// The whole body, by reads of at most `piece` bytes.
  base::Result<std::string> body(std::size_t piece = 256 << 10) {
    std::string all;
    for (;;) {
      const auto before = all.size();
      all.resize(before + piece);
      const auto got = read(std::as_writable_bytes(std::span(all)).subspan(before));
      if (!got) return got.error();
      all.resize(before + *got);
      if (*got == 0) return all;
    }
  }

  /// A read that finds nothing to take, and `act` when it waits.
  base::Result<std::size_t> read_while(std::span<std::byte> into, std::function<void()> act) {
    return run(loop, lane->read(into), std::move(act));
  }
  /// Does `act` in the loop's turn, asked from a server's thread.
  void post(std::function<void()> act) { boost::asio::post(loop, std::move(act)); }

  boost::asio::io_context loop;
  ports::Stop stop;
  std::unique_ptr<ports::Http> http;
  std::unique_ptr<ports::Lane> lane;
};

}  // namespace vtmirror::test
