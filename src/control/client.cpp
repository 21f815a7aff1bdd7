#include "control/client.hpp"

#include "control/spawn.hpp"
#include "vtmirror/ports/stream_event.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace vtmirror::control {
namespace {

namespace asio = boost::asio;
using asio::awaitable;
using base::Errc;
using Clock = Wire::Clock;
using Step = RequestReader::Step;

/// How many bytes a client may send while it follows the events or waits for a day, before the connection is closed.
constexpr std::size_t most_unasked = 64 << 10;

/// Of what a refused client still sends.
constexpr std::size_t most_at_once = 64 << 10;

Answer too_many() { return failure(503, "too_many_clients", "too many clients: try again in a moment"); }

}  // namespace

Client::Client(ServerState& shared, const asio::any_io_executor& loop, base::Descriptor socket, Asker asker)
    : shared_(shared),
      asker_(asker),
      wire_(loop, std::move(socket)),
      reader_(shared.limits),
      waits_since_(Clock::now()) {}

awaitable<void> Client::converse() {
  for (bool stays = true; stays && !wire_.closed();) {
    const Step step = co_await read_request();
    stays = false;
    if (step == Step::refused) {
      co_await refuse(reader_.refusal());
    } else if (step == Step::status_line && asker_.entrance != Entrance::control) {
      co_await refuse(failure(400, "bad_request", "this is not an HTTP request"));
    } else if (step == Step::status_line) {
      const std::string table = shared_.answers.status_table();
      answered_ = true;
      [[maybe_unused]] const auto sent = co_await wire_.write(table, Clock::now() + shared_.limits.answer);
    } else if (step == Step::request) {
      stays = co_await respond();
    }
  }
}

/// The next step that calls for something; `more` when the conversation is over.
awaitable<Step> Client::read_request() {
  const auto idle = Clock::now() + shared_.limits.idle;
  std::optional<Deadline> deadline;  // from the first byte on
  for (;;) {
    const Step step = reader_.next();
    if (step != Step::more) {
      waits_since_.reset();
      co_return step;
    }
    if (reader_.wants_continue()) wire_.write_what_fits("HTTP/1.1 100 Continue\r\n\r\n");
    if (!deadline && reader_.has_begun()) deadline.emplace(wire_, Clock::now() + shared_.limits.request);
    const auto got = co_await listen(deadline ? Wire::no_end : idle);
    if (deadline && deadline->passed() && !wire_.closed()) {
      deadline.reset();
      co_await refuse(failure(408, "request_timeout", "the request took too long to come"));
      co_return Step::more;
    }
    if (!got) co_return Step::more;
    if (*got == 0) co_return reader_.next_at_end();
  }
}

/// Gives the reader more to read; 0 at its end.
awaitable<base::Result<std::size_t>> Client::listen(Clock::time_point until) {
  std::array<char, 4096> bytes;
  const auto got = co_await wire_.read(bytes, until);
  if (got) reader_.add({bytes.data(), *got});
  co_return got;
}

/// The request, which the caller must keep, was read whole.
awaitable<Answer> Client::answer(const Request& request) {
  if (asker_.entrance == Entrance::web) co_return co_await web_answer(request, shared_.web_hosts, shared_.answers);
  if (asker_.entrance == Entrance::metrics) {
    auto refusal = objection_to_origin(request, shared_.metrics_hosts, "the metrics are not given by this name",
                                       "pages of other sites cannot read the metrics");
    if (refusal) co_return std::move(*refusal);
  }
  co_return co_await answer_to(request, asker_, shared_.answers);
}

/// As this entrance sends it.
Answer Client::dressed(Answer answer, std::string_view host) const {
  return asker_.entrance == Entrance::web ? for_browsers(std::move(answer), host) : answer;
}

awaitable<bool> Client::respond() {
  const Request request = reader_.request();
  Answer answer = co_await this->answer(request);
  const bool head = request.method == "HEAD";
  if (answer.follow && !head) {
    if (shared_.followers.count() < shared_.limits.followers) {
      const std::string fields = dressed({}, request.host).fields;
      co_await send_events(fields);
      co_return false;
    }
    answer = failure(503, "too_many_followers", "too many clients follow the events: try again in a moment");
  }
  if (answer.wait.limit.count() > 0 && !head) {
    auto over = co_await wait_for(answer.wait);
    if (!over) co_return false;
    answer = std::move(*over);
  }
  answer = dressed(std::move(answer), request.host);
  const std::string bytes = text(answer, request.keep_alive, head ? Body::left_out : Body::sent);
  answered_ = true;
  waits_since_ = Clock::now();  // a client that does not take its answer may be asked to make room too
  const auto sent = co_await wire_.write(bytes, *waits_since_ + shared_.limits.answer);
  co_return sent.has_value() && request.keep_alive;
}

/// The answer when the day is complete or the time is over; nothing if the client has gone, which its end says too.
awaitable<std::optional<Answer>> Client::wait_for(Wait wait) {
  const Waiting waiting(shared_.waiters);
  if (shared_.waiters > shared_.limits.waiters)
    co_return failure(503, "too_many_waiters", "too many clients wait for a day: try again in a moment");
  const auto end = Clock::now() + wait.limit;
  std::size_t unasked = 0;
  for (;;) {
    const Deadline next_look(wire_, std::min(end, Clock::now() + shared_.limits.look));
    while (!next_look.passed()) {
      // It may send its next request already.
      const auto got = co_await listen(Wire::no_end);
      if (got) unasked += *got;
      const bool gone = got ? *got == 0 : !next_look.passed() || wire_.closed();
      if (gone || unasked > most_unasked) co_return std::nullopt;
    }
    auto look = shared_.answers.look_at_chain(wait.day);
    if (!look) co_return failure(look.error());
    if (look->complete || Clock::now() >= end) co_return Answer{.body = std::move(look->json)};
  }
}

awaitable<void> Client::send_events(std::string fields) {
  Follower follower(shared_.followers, wire_, shared_.limits.queue);
  follower_ = &follower;
  // A new follower receives the current status first.
  follower.add(events_head(fields) + event_text(ports::name(ports::StreamEvent::status), shared_.answers.status()));
  const auto loop = co_await asio::this_coro::executor;
  spawn(loop, watch(shared_from_this()));
  while (!wire_.closed()) {
    const std::string events = follower.send();
    const auto sent = co_await wire_.write(events, Clock::now() + shared_.limits.answer);
    if (!sent) break;
    follower.sent();
    co_await follower.wait_for_events(shared_.limits.heartbeat);
  }
  follower_ = nullptr;
}

/// Reads beside the events. What a follower sends is dropped; too much of it, or its end, ends the conversation.
awaitable<void> Client::watch(std::shared_ptr<Client> client) {
  std::array<char, 512> ignored;
  for (std::size_t unasked = 0; unasked <= most_unasked;) {
    const auto got = co_await client->wire_.read(ignored, Wire::no_end);
    if (!got || *got == 0) break;
    unasked += *got;
  }
  client->close();
}

awaitable<void> Client::refuse(Answer refusal) {
  const std::string bytes = text(dressed(std::move(refusal)), false, Body::sent);
  answered_ = true;
  const auto sent = co_await wire_.write(bytes, Clock::now() + shared_.limits.answer);
  if (sent) co_await part();
}

/// Closing a socket with unread bytes resets the connection, and the client would not see the response: what it still
/// sends is dropped, however much it is, while it keeps sending and for as long as an answer may take.
awaitable<void> Client::part() {
  wire_.finish_writing();
  waits_since_ = Clock::now();
  const auto end = *waits_since_ + shared_.limits.answer;
  std::vector<char> ignored(most_at_once);
  for (;;) {
    const auto until = std::min(end, Clock::now() + shared_.limits.farewell);
    const auto got = co_await wire_.read(ignored, until);
    if (!got || *got == 0 || Clock::now() >= end) co_return;
  }
}

void Client::close() {
  if (follower_ != nullptr) follower_->hang_up();
  wire_.close();
}

awaitable<void> Client::reject() { co_await refuse(too_many()); }

void Client::make_room() {
  // A client that was answered before would mistake this for the answer to its next request.
  if (!answered_) wire_.write_what_fits(text(dressed(too_many()), false, Body::sent));
  close();
}

void Followers::publish(const std::string& event) {
  for (auto* follower : all_) follower->add(event);
}

Follower::Follower(Followers& all, Wire& wire, std::size_t limit)
    : all_(all), wire_(wire), limit_(limit), at_(all.all_.insert(all.all_.end(), this)), news_(wire.executor()) {}

Follower::~Follower() { all_.all_.erase(at_); }

void Follower::add(const std::string& text) {
  if (wire_.closed()) return;
  // One event alone is always taken: a status may be longer than the limit.
  const auto waiting = queue_.size() + under_way_;
  if (waiting > 0 && waiting + text.size() > limit_) {
    hang_up();
    return;
  }
  queue_ += text;
  news_.cancel();
}

void Follower::hang_up() {
  wire_.close();
  news_.cancel();
}

asio::awaitable<void> Follower::wait_for_events(Wire::Clock::duration heartbeat) {
  if (wire_.closed() || !queue_.empty()) co_return;
  boost::system::error_code woken;
  news_.expires_after(heartbeat);
  co_await news_.async_wait(asio::redirect_error(asio::use_awaitable, woken));
  if (queue_.empty()) add(":\n\n");
}

std::string Follower::send() {
  under_way_ = queue_.size();
  return std::exchange(queue_, {});
}

}  // namespace vtmirror::control
