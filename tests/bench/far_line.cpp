// A line to a server that is far away. Forwards TCP connections to a port of loopback, below TLS.
//
//   far_line PORT ROUND_TRIP_MS WINDOW_KIB [MBIT]      prints the port on which it listens
//
// Each direction is delayed by half the round trip. What the server sends is also limited: each connection has a
// congestion window, which begins with 14 KiB and doubles with each round trip up to WINDOW_KIB, and all connections
// together send at most MBIT a second. Bytes beyond the rate wait in a queue without a limit; nothing is lost.
//
// It shares the cores with what is measured. So it does not wake for each packet, but every two milliseconds, and then
// moves everything that is due.
#include <fcntl.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <list>

namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;
using Time = Clock::time_point;
using namespace std::chrono_literals;

constexpr auto between_looks = 2ms;
constexpr std::uint64_t first_window = std::uint64_t{14} << 10;
constexpr std::uint64_t request_window = std::uint64_t{64} << 10;
/// What is read at once, so that the connections take turns on the line that they share.
constexpr std::uint64_t turn = std::uint64_t{128} << 10;

struct Distance {
  Clock::duration half{};  ///< of the round trip
  std::uint64_t window = 0;
};

/// What all connections together may send.
class Line {
 public:
  explicit Line(double bytes_per_second) : rate_(bytes_per_second) {}

  /// When the last of `bytes` has left, if they are sent now. A rate of 0 is no limit.
  Time depart(std::uint64_t bytes, Time now) {
    if (rate_ <= 0) return now;
    const std::chrono::duration<double> takes(static_cast<double>(bytes) / rate_);
    free_ = std::max(free_, now) + std::chrono::duration_cast<Clock::duration>(takes);
    return free_;
  }

 private:
  double rate_;
  Time free_{};
};

class Pipe {
 public:
  explicit Pipe(int buffer_bytes) {
    if (::pipe2(ends_.data(), O_CLOEXEC | O_NONBLOCK) != 0) std::abort();
    // It counts buffers, which are rarely full. Only root may have a large one; a full one delays what follows.
    if (::fcntl(in(), F_SETPIPE_SZ, buffer_bytes) < 0) ::fcntl(in(), F_SETPIPE_SZ, 1 << 20);
  }
  ~Pipe() {
    ::close(in());
    ::close(out());
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int out() const { return ends_[0]; }
  int in() const { return ends_[1]; }

 private:
  std::array<int, 2> ends_{};
};

/// One direction of a connection. What was read and is not yet acknowledged is at most a window. Bytes are counted from
/// the beginning of the connection. They wait in a pipe and never come into this process, which would cost as much
/// again.
class Direction {
 public:
  Direction(tcp::socket& from, tcp::socket& to, Clock::duration half, std::uint64_t first, std::uint64_t most)
      : from_(from),
        to_(to),
        half_(half),
        window_(std::min(first, most)),
        most_(most),
        pipe_(static_cast<int>(2 * most)) {}

  bool over() const { return over_; }

  /// Moves what is due. False if the connection broke.
  bool move(Line& line, Time now) {
    acknowledge(now);
    if (!ended_ && !read(line, now)) return false;
    if (!write(now)) return false;
    if (ended_ && !over_ && written_ == read_) {
      error_code ignored;
      to_.shutdown(tcp::socket::shutdown_send, ignored);
      over_ = true;
    }
    return true;
  }

 private:
  struct Mark {
    std::uint64_t end = 0;
    Time at{};
  };

  void acknowledge(Time now) {
    for (; !unacknowledged_.empty() && unacknowledged_.front().at <= now; unacknowledged_.pop_front()) {
      const auto end = unacknowledged_.front().end;
      window_ = std::min(window_ + (end - acknowledged_), most_);
      acknowledged_ = end;
    }
  }

  bool read(Line& line, Time now) {
    while (read_ - acknowledged_ < window_) {
      const auto room = std::min(window_ - (read_ - acknowledged_), turn);
      const auto got = splice(from_.native_handle(), pipe_.in(), room);
      if (got < 0) return errno == EAGAIN;
      if (got == 0) return ended_ = true;
      read_ += static_cast<std::uint64_t>(got);
      travelling_.push_back({read_, line.depart(static_cast<std::uint64_t>(got), now) + half_});
    }
    return true;
  }

  bool write(Time now) {
    std::uint64_t due = written_;
    for (const auto& mark : travelling_) {
      if (mark.at > now) break;
      due = mark.end;
    }
    while (written_ < due) {
      const auto put = splice(pipe_.out(), to_.native_handle(), due - written_);
      if (put < 0 && errno == EAGAIN) break;
      if (put <= 0) return false;
      written_ += static_cast<std::uint64_t>(put);
    }
    for (; !travelling_.empty() && travelling_.front().end <= written_; travelling_.pop_front()) {
      const auto& mark = travelling_.front();
      // A short delay is this program's own; a longer one means that the receiver does not read.
      const bool taken_at_once = now - mark.at < half_ / 2;
      unacknowledged_.push_back({mark.end, (taken_at_once ? mark.at : now) + half_});
    }
    return true;
  }

  static ssize_t splice(int from, int to, std::uint64_t most) {
    return ::splice(from, nullptr, to, nullptr, most, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
  }

  tcp::socket& from_;
  tcp::socket& to_;
  Clock::duration half_;
  std::uint64_t window_, most_;
  Pipe pipe_;
  std::uint64_t read_ = 0, written_ = 0, acknowledged_ = 0;
  std::deque<Mark> travelling_;      ///< with the time of arrival
  std::deque<Mark> unacknowledged_;  ///< with the time at which the sender hears of it
  bool ended_ = false, over_ = false;
};

class Connection {
 public:
  Connection(tcp::socket client, tcp::socket server, const Distance& distance)
      : client_(std::move(client)),
        server_(std::move(server)),
        opens_(Clock::now() + 2 * distance.half),
        requests_(client_, server_, distance.half, request_window, request_window),
        answers_(server_, client_, distance.half, first_window, distance.window) {
    for (auto* socket : {&client_, &server_}) {
      socket->non_blocking(true);
      socket->set_option(tcp::no_delay(true));
    }
  }

  /// Moves what is due. False if there will be nothing more. The kernel has already connected the client; over the line
  /// that takes a round trip.
  bool move(Line& requests, Line& answers, Time now) {
    if (now < opens_) return true;
    if (!requests_.move(requests, now) || !answers_.move(answers, now)) return false;
    return !requests_.over() || !answers_.over();
  }

 private:
  tcp::socket client_, server_;
  Time opens_;
  Direction requests_, answers_;
};

class Proxy {
 public:
  Proxy(boost::asio::io_context& loop, tcp::endpoint server, Distance distance, double bytes_per_second)
      : loop_(loop),
        listener_(loop, tcp::endpoint(server.address(), 0)),
        timer_(loop),
        server_(std::move(server)),
        distance_(distance),
        answers_(bytes_per_second) {
    accept();
  }

  int port() const { return listener_.local_endpoint().port(); }

 private:
  void accept() {
    listener_.async_accept([this](const error_code& error, tcp::socket client) {
      if (!error) add(std::move(client));
      accept();
    });
  }

  void add(tcp::socket client) {
    tcp::socket server(loop_);
    error_code refused;
    server.connect(server_, refused);
    if (refused) return;
    connections_.emplace_back(std::move(client), std::move(server), distance_);
    if (connections_.size() > 1) return;
    next_ = Clock::now();
    wait();
  }

  void wait() {
    next_ = std::max(next_ + between_looks, Clock::now());
    timer_.expires_at(next_);
    timer_.async_wait([this](const error_code&) {
      const auto now = Clock::now();
      connections_.remove_if([&](Connection& each) { return !each.move(requests_, answers_, now); });
      if (!connections_.empty()) wait();
    });
  }

  boost::asio::io_context& loop_;
  tcp::acceptor listener_;
  boost::asio::steady_timer timer_;
  tcp::endpoint server_;
  Distance distance_;
  Line requests_{0}, answers_;
  std::list<Connection> connections_;
  Time next_{};
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const auto server =
      tcp::endpoint(boost::asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(std::atoi(argv[1])));
  const Distance distance{std::chrono::microseconds(500 * std::atoi(argv[2])), std::strtoull(argv[3], nullptr, 10)
                                                                                   << 10};
  const double mbit = argc > 4 ? std::atof(argv[4]) : 0;
  std::signal(SIGPIPE, SIG_IGN);
  boost::asio::io_context loop(1);
  const Proxy proxy(loop, server, distance, mbit * 1e6 / 8);
  std::printf("%d\n", proxy.port());
  std::fflush(stdout);
  loop.run();
}
