#include "vtmirror/core/transfer.hpp"

#include <algorithm>
#include <limits>

namespace vtmirror::core {
namespace {

using base::Errc;
using base::Error;

constexpr std::int64_t largest_piece = std::int64_t{128} << 20;

/// Half of a connection's share of what is left. A single connection requests everything at once.
std::int64_t piece_size(std::int64_t left, int connections) {
  if (connections <= 1) return std::max<std::int64_t>(left, 1);
  const auto share = left / (std::int64_t{2} * connections);
  const auto rounded = (share + smallest_piece - 1) / smallest_piece * smallest_piece;
  return std::clamp(rounded, smallest_piece, largest_piece);
}

/// A file whose number of connections is found is cut for a few from the beginning, so that they can join.
constexpr int least_cut_for = 4;

constexpr base::Milliseconds silence{2000};   ///< after which a connection is stalled
constexpr base::Milliseconds judgeable{500};  ///< after which its rate says something
constexpr base::Milliseconds between_looks{250};
/// What a new request takes before its first byte, at a guess.
constexpr double request_seconds = 0.5;

Error another_size(std::int64_t now, std::int64_t before) {
  return {Errc::changed_upstream,
          "listed with " + std::to_string(now) + " bytes now, and with " + std::to_string(before) + " before"};
}

Error too_long(std::int64_t size) {
  return {Errc::changed_upstream,
          "the object in the store is longer than the " + std::to_string(size) + " bytes that are listed"};
}

}  // namespace

Transfer::Transfer(TransferRules rules, Identity identity, RangeSet durable)
    : target_(std::max(rules.connections, 1)),
      found_(rules.found),
      takes_over_(rules.takes_over),
      identity_(std::move(identity)),
      pieces_(identity_.size, 1, std::move(durable)) {
  attempts_.limit = recording_.limit = rules.attempts;
}

std::vector<int> Transfer::begin() {
  pieces_ = Pieces(identity_.size, 1, pieces_.durable_ranges());
  cut_for_ = target_;
  cut();
  connections_.clear();
  replacements_ = 0;
  shared_ = false;
  start_over_ = false;
  failure_.reset();
  disk_failure_.reset();
  return {join()};
}

void Transfer::cut() {
  piece_size_ = piece_size(pieces_.bytes_unclaimed(), found_ ? std::max(target_, least_cut_for) : cut_for_);
  pieces_.cut(piece_size_);
}

void Transfer::forget() {
  identity_.etag.clear();
  witness_ = {};
  pieces_ = Pieces(identity_.size, 1, {});
}

void Transfer::start_over(std::int64_t size) {
  identity_.size = size;
  forget();
  attempts_.started_over = true;
}

RoundEnd Transfer::end() const {
  if (disk_failure_) return {RoundEnd::Kind::give_up, *disk_failure_};
  if (failure_) return {RoundEnd::Kind::give_up, *failure_};
  if (start_over_) return {RoundEnd::Kind::start_over, {}};
  if (pieces_.all_durable()) return {};
  return {RoundEnd::Kind::give_up, {Errc::io, "the transfer ended before all bytes were durable"}};
}

void Transfer::sync_failed(const Error& error) {
  pieces_.forget_unsynced();
  disk_failed(error);
}

std::optional<Retried> Transfer::record_failed(const Error& error, Moment at) {
  if (error.code != Errc::catalogue_busy) return std::nullopt;
  ++recording_.failed;
  const auto decision = next_attempt(error, recording_, at.dice);
  if (decision.next != Next::wait) return std::nullopt;
  return Retried{error, decision.next, decision.pause, attempts_.failed + 1};
}

int Transfer::join() {
  const int number = ++newest_connection_;
  connections_[number].number = number;
  return number;
}

std::vector<int> Transfer::recruit() {
  if (connections_.empty() || !shared_ || over()) return {};
  if (takes_over_ && !pieces_.has_next()) return {};
  const auto left = identity_.size - pieces_.bytes_written();
  const auto useful = (left + piece_size_ - 1) / piece_size_;
  const auto wanted = std::min<std::int64_t>(useful, target_);
  std::vector<int> opened;
  while (std::ssize(connections_) < wanted) opened.push_back(join());
  return opened;
}

std::vector<int> Transfer::aim(int connections) {
  target_ = std::max(connections, 1);
  if (found_) cut();
  return recruit();
}

std::vector<int> Transfer::to_wake() const {
  const bool useless = over() || !pieces_.has_next();
  const bool nothing_to_take = over() || pieces_.has_next() || busy() == 0;
  std::vector<int> named;
  for (const auto& [number, connection] : connections_) {
    if (!connection.pause) continue;
    const bool pointless = connection.unrecorded ? over() : connection.idle ? nothing_to_take : useless;
    if (pointless) named.push_back(number);
  }
  return named;
}

int Transfer::busy() const {
  return static_cast<int>(std::ranges::count_if(connections_, [](const auto& each) { return each.second.is_busy(); }));
}

double Transfer::Arrivals::rate(base::Steady now) const {
  const auto so_long = now - since;
  if (now - last > silence) return 0;
  if (so_long < judgeable) return before;
  return static_cast<double>(bytes) * 1000 / static_cast<double>(so_long.count());
}

void Transfer::Arrivals::go_on(base::Steady now) {
  const auto took = last - since;
  if (took >= judgeable) *this = {now, now, 0, rate(last)};
  since = now + (since - last);
  last = now;
}

TransferStep Transfer::step(Connection& connection, Kind kind) {
  connection.doing = kind;
  connection.pause.reset();
  connection.idle = false;
  return {.kind = kind};
}

TransferStep Transfer::leave(Connection& connection) {
  connections_.erase(connection.number);
  return {};
}

void Transfer::give_back(Connection& connection) {
  pieces_.failed(connection.claimed);
  connection.claimed = {};
}

TransferStep Transfer::next_piece(Connection& connection, base::Steady now) {
  give_back(connection);
  if (std::ssize(connections_) > target_) return leave(connection);
  if (!pieces_.has_next()) return takes_over_ ? take_over_or_wait(connection, now) : leave(connection);
  cut();
  connection.claimed = *pieces_.next();
  auto next = step(connection, Kind::find_link);
  next.newer_than = refused_listing_;
  return next;
}

TransferStep Transfer::take_over_or_wait(Connection& connection, base::Steady now) {
  if (auto* other = last_to_end(connection, now)) {
    ++replacements_;
    other->replaced = true;
    give_back(*other);
    auto next = next_piece(connection, now);
    next.close_other = other->number;
    return next;
  }
  if (busy() == (connection.is_busy() ? 1 : 0)) return leave(connection);
  auto next = wait(connection, {now, now + between_looks}, now);
  connection.idle = next.idle = true;
  return next;
}

/// The connection that would end last, if `taker` would end sooner in its place by far.
Transfer::Connection* Transfer::last_to_end(const Connection& taker, base::Steady now) {
  // Where nothing comes at all, replacing goes on without end.
  if (replacements_ >= 2 * std::max(target_, least_cut_for)) return nullptr;
  double fastest = 0;
  for (const auto& [number, each] : connections_)
    fastest = std::max(fastest, each.arrivals.rate(number == taker.number ? each.arrivals.last : now));
  if (fastest <= 0) return nullptr;
  Connection* last = nullptr;
  double longest = 0;
  for (auto& [number, each] : connections_) {
    if (each.doing != Kind::receive || each.replaced || each.content.whole || each.claimed.empty()) continue;
    if (now - each.arrivals.since < judgeable) continue;
    const auto left = static_cast<double>(each.claimed.size());
    const double rate = each.arrivals.rate(now);
    const double own = rate > 0 ? left / rate : std::numeric_limits<double>::infinity();
    if (own <= longest || own <= 2 * (left / fastest + request_seconds)) continue;
    longest = own;
    last = &each;
  }
  return last;
}

bool Transfer::received(int number, std::int64_t bytes, base::Steady now) {
  auto& connection = connections_.at(number);
  if (connection.replaced) return false;
  if (bytes <= 0) return true;
  connection.claimed.begin += bytes;
  connection.arrivals.bytes += bytes;
  connection.arrivals.last = now;
  attempts_.failed = 0;
  return true;
}

TransferStep Transfer::on(int number, const TransferEvent& event, Moment at) {
  auto& connection = connections_.at(number);
  if (over() || connection.replaced) return leave(connection);
  return std::visit([&](const auto& happened) { return heard(connection, happened, at); }, event);
}

TransferStep Transfer::heard(Connection& connection, const StepDone&, Moment at) {
  if (connection.doing == Kind::record) {
    recorded();
    return receive(connection, at.now);
  }
  if (connection.unrecorded) return record(connection);
  const bool whole = connection.doing == Kind::receive && connection.content.whole;
  return whole ? step(connection, Kind::expect_end) : next_piece(connection, at.now);
}

TransferStep Transfer::heard(Connection& connection, const LinkFound& found, Moment at) {
  connection.listing = found.listing;
  if (found.size != identity_.size) return fail(connection, another_size(found.size, identity_.size), at);
  auto next = step(connection, Kind::ask);
  next.range = connection.claimed;
  next.etag = if_match(identity_);
  return next;
}

TransferStep Transfer::heard(Connection& connection, const AnswerCame& came, Moment at) {
  auto content = judge_answer(came.answer, connection.claimed, identity_, witness_);
  if (content && content->whole && connections_.size() > 1)
    content = Error{Errc::protocol, "the store ignored the range that it had honoured before"};
  if (!content) {
    auto next = fail(connection, content.error(), at);
    if (next.close == TransferStep::Close::none) next.close = TransferStep::Close::own;
    return next;
  }
  renewed_ = false;
  connection.content = *content;
  if (came.answer.etag.empty() || !identity_.etag.empty()) return receive(connection, at.now);
  identity_.etag = came.answer.etag;
  return record(connection);
}

TransferStep Transfer::heard(Connection& connection, const MoreCame&, Moment at) {
  return fail(connection, too_long(identity_.size), at);
}

TransferStep Transfer::heard(Connection& connection, const Woken&, Moment at) {
  const bool useful = connection.unrecorded || pieces_.has_next();
  if (useful && !connection.idle && connection.pause && connection.pause->holds(at.now))
    return wait(connection, Pause(*connection.pause), at.now);
  return heard(connection, StepDone(), at);
}

TransferStep Transfer::heard(Connection& connection, const StepFailed& failed, Moment at) {
  switch (connection.doing) {
    case Kind::record:
      return record_later(connection, failed.error, at);
    case Kind::find_link:
    case Kind::wait:
      return give_up(connection, failed.error);
    default:
      return fail(connection, failed.error, at);
  }
}

TransferStep Transfer::record(Connection& connection) {
  connection.unrecorded = false;
  auto next = step(connection, Kind::record);
  next.etag = identity_.etag;
  return next;
}

TransferStep Transfer::record_later(Connection& connection, const Error& error, Moment at) {
  const auto retried = record_failed(error, at);
  if (!retried) return give_up(connection, error);
  connection.unrecorded = true;
  auto next = wait(connection, {at.now, at.now + retried->pause}, at.now);
  next.retried = retried;
  return next;
}

TransferStep Transfer::wait(Connection& connection, Pause pause, base::Steady now) {
  auto next = step(connection, Kind::wait);
  next.pause = pause.until - now;
  connection.pause = pause;
  return next;
}

TransferStep Transfer::receive(Connection& connection, base::Steady now) {
  auto next = step(connection, Kind::receive);
  connection.arrivals.go_on(now);
  if (connection.content.whole) {
    give_back(connection);
    connection.claimed = pieces_.claim_rest();
    next.range = connection.claimed;
    next.skip = connection.claimed.begin;
    return next;
  }
  next.range = connection.content.range;
  if (shared_) return next;
  shared_ = true;
  next.open = recruit();
  return next;
}

TransferStep Transfer::fail(Connection& connection, const Error& error, Moment at) {
  give_back(connection);
  if (error.code == Errc::link_refused && connection.listing <= refused_listing_) return next_piece(connection, at.now);
  ++attempts_.total;
  if (!pause_.holds(at.now)) ++attempts_.failed;
  attempts_.link_was_fresh = renewed_;
  const auto decision = next_attempt(error, attempts_, at.dice);
  const Retried retried{error, decision.next, decision.pause, attempts_.failed + 1};
  TransferStep next;
  switch (decision.next) {
    case Next::wait:
      pause(at.now, decision.pause);
      break;
    case Next::renew_link:
      refused_listing_ = connection.listing;
      renewed_ = true;
      break;
    case Next::start_over:
      start_over_ = true;
      next = leave(connection);
      next.close = TransferStep::Close::all;
      next.retried = retried;
      return next;
    case Next::renew_token:
    case Next::give_up:
      return give_up(connection, error);
  }
  const bool wanted = !found_ || std::ssize(connections_) <= target_;
  const bool paused = wanted && pause_.holds(at.now) && pieces_.has_next();
  next = paused ? wait(connection, pause_, at.now) : next_piece(connection, at.now);
  next.retried = retried;
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
