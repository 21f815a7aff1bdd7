#include "vtmirror/core/transfer.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

// What follows a failure of a connection: rules 6 to 10, 18, 21 and 22.

namespace vtmirror::core {
namespace {

using base::Errc;
using base::Error;

/// A connection that is refused because of other files asks again after so long at the latest.
constexpr base::Milliseconds longest_wait_for_room{5000};

/// Beside links that are good, refused ones are renewed no more often: so long does a link live.
constexpr base::Milliseconds between_renewals = std::chrono::minutes(5);

}  // namespace

TransferStep Transfer::no_link(Connection& connection, const Error& error, Moment at) {
  if (error.code == Errc::cancelled || !connections_.others_receive(connection, at.now))
    return give_up(connection, error);
  has_links_ = false;
  give_back(connection);
  return leave(connection);
}

TransferStep Transfer::fail(Connection& connection, const Error& error, Moment at) {
  give_back(connection);
  if (error.code == Errc::link_refused && connection.listing <= refused_listing_) return next_piece(connection, at.now);
  connection.is_served = false;
  const bool are_links_good = error.code == Errc::link_refused && connections_.others_are_served(connection);
  if (are_links_good || connections_.others_receive(connection, at.now))
    return fail_beside_others(connection, error, at);
  const bool progress = std::exchange(connection.brought, 0) >= worth_a_request;
  if (!pause_.holds(at.now)) attempts_.count(error, progress);
  attempts_.link_was_fresh = renewed_;
  const auto decision = next_attempt(error, attempts_, at.dice);
  if (decision.next == Next::wait) pause(at.now, decision.pause);
  return after_failure(connection, {error, decision.next, decision.pause, attempts_.failed + 1}, pause_, at);
}

TransferStep Transfer::fail_beside_others(Connection& connection, const Error& error, Moment at) {
  if (error.code == Errc::rate_limited) return leave(connection);
  ++connection.failed;
  auto as = error;
  const bool was_renewed = renewed_at_ && at.now - *renewed_at_ < between_renewals;
  if (error.code == Errc::link_refused && (renewed_ || was_renewed)) as.code = Errc::unreachable;
  if (as.retry_after) as.retry_after = std::min(*as.retry_after, attempts_.longest_retry_after);
  const Attempts past{
      .failed = connection.failed, .limit = connection.failed + 1, .started_over = attempts_.started_over};
  const auto decision = next_attempt(as, past, at.dice);
  const Pause own{at.now, at.now + decision.pause};
  return after_failure(connection, {error, decision.next, decision.pause, connection.failed + 1},
                       own.holds(at.now) ? own : pause_, at);
}

TransferStep Transfer::after_failure(Connection& connection, Retried retried, Pause pause, Moment at) {
  TransferStep next;
  switch (retried.next) {
    case Next::wait:
      break;
    case Next::renew_link:
      refused_listing_ = connection.listing;
      renewed_ = true;
      renewed_at_ = at.now;
      break;
    case Next::start_over:
      start_over_ = true;
      next = leave(connection);
      next.close = TransferStep::Close::all;
      next.retried = std::move(retried);
      return next;
    case Next::renew_token:
    case Next::give_up:
      return give_up(connection, retried.why);
  }
  const bool wanted = !found_ || !is_surplus(connection);
  const bool paused = wanted && pause.holds(at.now) && pieces_.has_next();
  next = paused ? wait(connection, pause, at.now) : next_piece(connection, at.now);
  next.retried = std::move(retried);
  return next;
}

TransferStep Transfer::wait_for_room(Connection& connection, const Error& error, Moment at) {
  give_back(connection);
  if (connections_.others_receive(connection, at.now)) return leave(connection);
  if (target_ == 0 || is_surplus(connection)) return next_piece(connection, at.now);
  const auto decision = next_attempt(error, {.failed = ++crowded_out_, .limit = crowded_out_ + 1}, at.dice);
  const bool patient = decision.next == Next::wait && decision.pause < longest_wait_for_room;
  const auto length = patient ? decision.pause : longest_wait_for_room;
  pause(at.now, length);
  auto next = pieces_.has_next() ? wait(connection, pause_, at.now) : next_piece(connection, at.now);
  next.retried = Retried{error, Next::wait, length, attempts_.failed + 1};
  return next;
}

void Transfer::pause(base::Steady now, base::Milliseconds length) {
  const auto until = now + length;
  pause_ = {now, pause_.holds(now) ? std::max(pause_.until, until) : until};
}

TransferStep Transfer::give_up(Connection& connection, const Error& error) {
  failure_ = error;
  auto next = leave(connection);
  next.close = TransferStep::Close::all;
  return next;
}

}  // namespace vtmirror::core
