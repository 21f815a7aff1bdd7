#include "simulator/send_answer.hpp"

#include <boost/beast/http/status.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

namespace vtmirror::simulator {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t largest_chunk = 262'144;
constexpr std::uint64_t chunks_a_second = 20;  // of a slow body

std::string status_line(int status) {
  const auto known = boost::beast::http::int_to_status(static_cast<unsigned>(status));
  return "HTTP/1.1 " + std::to_string(status) + " " + std::string(boost::beast::http::obsolete_reason(known)) + "\r\n";
}

std::string head_of(const Exchange& exchange, const Answer& answer, bool stays) {
  std::string head = status_line(answer.status) + "Date: " + exchange.date + "\r\nServer: vtmirror-simulator\r\n";
  for (const auto& [name, value] : answer.headers) head.append(name).append(": ").append(value).append("\r\n");
  if (answer.delivery.chunked) {
    head += "Transfer-Encoding: chunked\r\n";
  } else {
    head += "Content-Length: " + std::to_string(answer.length.value_or(answer.body_size())) + "\r\n";
  }
  return head + (stays ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n");
}

void read_body(const Answer& answer, std::uint64_t at, std::span<char> into) {
  if (!answer.file) {
    std::memcpy(into.data(), answer.text.data() + at, into.size());
    return;
  }
  const FileBody& file = *answer.file;
  const std::uint64_t offset = file.offset + at;
  file.archive->read(offset, into);
  if (file.flip_at && *file.flip_at >= offset && *file.flip_at - offset < into.size()) {
    char& byte = into[static_cast<std::size_t>(*file.flip_at - offset)];
    byte = static_cast<char>(~byte);
  }
}

std::string chunk_size(std::size_t size) {
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), size, 16).ptr;
  return std::string(digits.data(), end) + "\r\n";
}

// Where and how the body ends.
struct Plan {
  enum class End { whole, cut, stall } end = End::whole;
  std::uint64_t bytes = 0;
};

Plan plan_for(const Answer& answer, bool head_only) {
  Plan plan{.bytes = head_only ? 0 : answer.body_size()};
  const Delivery& delivery = answer.delivery;
  if (delivery.cut_after && *delivery.cut_after <= plan.bytes) plan = {Plan::End::cut, *delivery.cut_after};
  if (delivery.stall_after && *delivery.stall_after <= plan.bytes) plan = {Plan::End::stall, *delivery.stall_after};
  return plan;
}

class Sending {
 public:
  Sending(const Exchange& exchange, const Answer& answer, const Sent& sent)
      : exchange_(exchange), answer_(answer), sent_(sent), plan_(plan_for(answer, exchange.head_only)) {}

  /// False if the connection broke.
  bool run(const std::string& head) {
    const bool empty = plan_.bytes == 0;
    if (empty) log(plan_.end == Plan::End::whole, 0);
    bool good = exchange_.wire.write(head, !empty) && send_body();
    if (good && empty) good = exchange_.wire.write(last_chunk());
    if (!reported_) log(false, done_);
    return good;
  }
  Plan::End end() const noexcept { return plan_.end; }

 private:
  bool send_body() {
    const std::optional<std::uint64_t> rate = answer_.delivery.rate;
    std::uint64_t most = largest_chunk;
    if (rate) most = std::clamp<std::uint64_t>(*rate / chunks_a_second, 1, largest_chunk);
    buffer_.resize(static_cast<std::size_t>(std::min(most, plan_.bytes)));
    const Clock::time_point start = Clock::now();
    while (done_ < plan_.bytes) {
      if (rate && wait_for_turn(start, *rate)) return false;
      if (!send_piece(std::min<std::uint64_t>(buffer_.size(), plan_.bytes - done_))) return false;
    }
    return true;
  }

  // True if the program must stop.
  bool wait_for_turn(Clock::time_point start, std::uint64_t rate) {
    const std::chrono::duration<double> due(static_cast<double>(done_) / static_cast<double>(rate));
    const auto wait = std::chrono::duration_cast<std::chrono::nanoseconds>(due) - (Clock::now() - start);
    return wait.count() > 0 && exchange_.stop.wait_for(wait);
  }

  bool send_piece(std::uint64_t count) {
    const std::span<char> piece(buffer_.data(), static_cast<std::size_t>(count));
    read_body(answer_, done_, piece);
    const bool last = done_ + count == plan_.bytes;
    if (last) log(is_complete(), plan_.bytes);
    if (answer_.delivery.chunked && !exchange_.wire.write(chunk_size(piece.size()), true)) return false;
    if (!exchange_.wire.write({piece.data(), piece.size()}, answer_.delivery.chunked)) return false;
    done_ += count;
    if (!answer_.delivery.chunked) return true;
    return exchange_.wire.write(last ? "\r\n" + last_chunk() : "\r\n");
  }

  std::string last_chunk() const {
    const bool wanted = answer_.delivery.chunked && plan_.end == Plan::End::whole && !exchange_.head_only;
    return wanted ? "0\r\n\r\n" : "";
  }

  bool is_complete() const {
    return plan_.end == Plan::End::whole && answer_.length.value_or(plan_.bytes) == plan_.bytes;
  }
  void log(bool complete, std::uint64_t bytes) {
    reported_ = true;
    sent_(bytes, complete);
  }

  const Exchange& exchange_;
  const Answer& answer_;
  const Sent& sent_;
  Plan plan_;
  std::string buffer_;
  std::uint64_t done_ = 0;
  bool reported_ = false;
};

}  // namespace

bool send_answer(const Exchange& exchange, const Answer& answer, const Sent& sent) {
  const Delivery& delivery = answer.delivery;
  if (delivery.delay.count() > 0 && exchange.stop.wait_for(delivery.delay)) return false;
  if (delivery.no_answer) {
    sent(0, false);
    exchange.wire.close();
    return false;
  }
  const bool stays = exchange.keep_alive && !delivery.close_after;
  Sending sending(exchange, answer, sent);
  if (!sending.run(head_of(exchange, answer, stays))) return false;
  if (sending.end() == Plan::End::stall) exchange.wire.wait_for_hangup();
  if (sending.end() == Plan::End::cut) exchange.wire.reset(exchange.stop);
  if (sending.end() == Plan::End::whole && !stays) exchange.wire.close();
  return sending.end() == Plan::End::whole && stays;
}

}  // namespace vtmirror::simulator
