#include "vtmirror/core/transfer.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <limits>
#include <utility>

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
/// From a request to its answer, before one has come.
constexpr double usual_answer = 0.5;
constexpr double shortest_answer = 0.02;
constexpr double longest_answer = 2.0;
/// Fewer bytes than this are not worth a request.
constexpr std::int64_t worth_a_request = std::int64_t{1} << 20;
/// A surplus connection may take so long to end its piece.
constexpr double seconds_to_leave = 2;
/// A connection that is refused because of other files asks again after so long at the latest.
constexpr base::Milliseconds longest_wait_for_room{5000};
/// A held connection looks again after so long.
constexpr base::Milliseconds between_holds = std::chrono::hours(1);

/// Without end where nothing comes.
double seconds_for(std::int64_t bytes, double rate) {
  return rate > 0 ? static_cast<double>(bytes) / rate : std::numeric_limits<double>::infinity();
}

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
    : target_(std::max(rules.connections, 0)),
      found_(rules.found),
      takes_over_(rules.takes_over),
      expects_parts_(rules.expects_parts),
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
  parts_ = expects_parts_ ? Parts::expected : Parts::unknown;
  start_over_ = false;
  failure_.reset();
  disk_failure_.reset();
  std::vector<int> opened{join()};
  std::ranges::copy(recruit(), std::back_inserter(opened));
  return opened;
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
  if (connections_.empty() || parts_ == Parts::unknown || over()) return {};
  if (takes_over_ && !pieces_.has_next()) return {};
  const auto left = identity_.size - pieces_.bytes_written();
  const auto useful = (left + piece_size_ - 1) / piece_size_;
  const auto wanted = std::min<std::int64_t>(useful, target_);
  std::vector<int> opened;
  while (std::ssize(connections_) < wanted) opened.push_back(join());
  return opened;
}

Transfer::Change Transfer::aim(int connections, base::Steady now, bool at_once) {
  target_ = std::max(connections, 0);
  Change change;
  if (found_ || at_once || target_ == 0) change.close = dismiss_surplus(now, at_once || target_ == 0);
  if (found_) cut();
  change.open = recruit();
  return change;
}

std::vector<int> Transfer::dismiss_surplus(base::Steady now, bool at_once) {
  std::vector<std::pair<double, Connection*>> ends;
  for (auto& [number, each] : connections_) {
    const bool in_body = each.doing == Kind::receive;
    const bool may_go =
        each.doing == Kind::ask || (in_body && !each.content.whole) || (at_once && each.doing == Kind::find_link);
    if (each.pause || each.replaced || !may_go) continue;
    ends.emplace_back(seconds_for(each.claimed.size(), rate_of(each, now).value_or(0)), &each);
  }
  std::ranges::sort(ends, std::greater(), [](const auto& end) { return end.first; });
  std::vector<int> closed;
  const auto busy = std::ranges::count_if(
      connections_, [](const auto& each) { return each.second.is_busy() && !each.second.replaced; });
  for (auto surplus = busy - target_; const auto& [seconds, connection] : ends) {
    if (surplus-- <= 0 || (!at_once && seconds <= seconds_to_leave)) break;
    connection->replaced = true;
    give_back(*connection);
    closed.push_back(connection->number);
  }
  return closed;
}

std::vector<int> Transfer::to_wake() const {
  const bool useless = over() || !pieces_.has_next();
  const bool nothing_to_take = over() || pieces_.has_next() || busy() == 0;
  std::vector<int> named;
  for (const auto& [number, connection] : connections_) {
    if (!connection.pause) continue;
    const bool pointless = connection.unrecorded ? over()
                           : connection.held     ? over() || target_ > 0
                           : connection.idle     ? nothing_to_take
                                                 : useless;
    if (pointless) named.push_back(number);
  }
  return named;
}

int Transfer::busy() const {
  return static_cast<int>(std::ranges::count_if(connections_, [](const auto& each) { return each.second.is_busy(); }));
}

int Transfer::staying() const {
  return static_cast<int>(std::ranges::count_if(connections_, [](const auto& each) { return !each.second.replaced; }));
}

bool Transfer::is_surplus(const Connection& connection) const {
  const auto others = std::ranges::count_if(connections_, [&](const auto& each) {
    return each.first != connection.number && !each.second.replaced && !each.second.pause;
  });
  return others >= std::max(target_, 1);
}

bool Transfer::receives(base::Steady now) const {
  return std::ranges::any_of(connections_, [now](const auto& each) {
    const auto& connection = each.second;
    const auto last = std::max(connection.came.value_or(connection.asked), connection.asked);
    return !connection.replaced && connection.doing == Kind::receive && now - last <= silence;
  });
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
  connection.idle = connection.held = false;
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
  if (is_surplus(connection)) return leave(connection);
  if (!pieces_.has_next()) return takes_over_ ? take_over_or_wait(connection, now) : leave(connection);
  if (target_ == 0) return hold(connection, now);
  cut();
  connection.claimed = *pieces_.next();
  auto next = step(connection, Kind::find_link);
  next.newer_than = refused_listing_;
  return next;
}

TransferStep Transfer::take_over_or_wait(Connection& connection, base::Steady now) {
  if (const auto share = share_of_the_last(connection, now)) {
    auto& other = *share->of;
    const bool all = share->from == other.claimed.begin;
    if (all) {
      ++replacements_;
      other.replaced = true;
    }
    pieces_.failed({share->from, std::exchange(other.claimed.end, share->from)});
    auto next = next_piece(connection, now);
    if (all) next.close_other = other.number;
    return next;
  }
  if (busy() == (connection.is_busy() ? 1 : 0)) return leave(connection);
  auto next = wait(connection, {now, now + between_looks}, now);
  connection.idle = next.idle = true;
  return next;
}

double Transfer::answer_seconds() const {
  return answer_time_ > 0 ? std::clamp(answer_time_, shortest_answer, longest_answer) : usual_answer;
}

std::optional<double> Transfer::rate_of(const Connection& connection, base::Steady now) const {
  if (connection.doing == Kind::ask) {
    const std::chrono::duration<double> waits = now - connection.asked;
    const bool stalled = now - connection.asked > silence && waits.count() > 4 * answer_seconds();
    return stalled ? std::optional<double>(0) : std::nullopt;
  }
  if (connection.doing != Kind::receive || now - connection.arrivals.since < judgeable) return std::nullopt;
  return connection.arrivals.rate(now);
}

/// Of the connection that would end last, if that is worth a request.
std::optional<Transfer::Share> Transfer::share_of_the_last(const Connection& taker, base::Steady now) {
  double fastest = 0;
  for (const auto& [number, each] : connections_)
    fastest = std::max(fastest, each.arrivals.rate(number == taker.number ? each.arrivals.last : now));
  if (fastest <= 0) return std::nullopt;
  // Where nothing comes at all, replacing goes on without end.
  const bool may_replace = replacements_ < 2 * std::max(target_, least_cut_for);
  const double answer = answer_seconds();
  std::optional<Share> share;
  double longest = 4 * answer;
  for (auto& [number, each] : connections_) {
    if (number == taker.number || each.replaced || each.content.whole || each.claimed.empty()) continue;
    const auto rate = rate_of(each, now);
    if (!rate) continue;
    const double seconds = seconds_for(each.claimed.size(), *rate);
    if (seconds <= longest) continue;
    const auto left = static_cast<double>(each.claimed.size());
    const double kept = left - (left - answer * *rate) / (1 + *rate / fastest);
    auto from = each.claimed.begin + static_cast<std::int64_t>(kept);
    from += (worth_a_request - from % worth_a_request) % worth_a_request;
    // What is left to a very slow one would hold up the end all the same.
    const bool all = seconds_for(from - each.claimed.begin, *rate) > 2 * (left / fastest + answer);
    if (all ? !may_replace : each.claimed.end - from < worth_a_request) continue;
    longest = seconds;
    share = Share{&each, all ? each.claimed.begin : from};
  }
  return share;
}

bool Transfer::others_receive(const Connection& connection, base::Steady now) const {
  return std::ranges::any_of(connections_, [&](const auto& each) {
    const auto& other = each.second;
    return other.number != connection.number && !other.replaced && other.doing == Kind::receive && other.came &&
           now - *other.came <= silence;
  });
}

std::int64_t Transfer::received(int number, std::int64_t bytes, base::Steady now) {
  auto& connection = connections_.at(number);
  const auto wanted = connection.replaced ? 0 : std::min(bytes, connection.claimed.size());
  if (wanted <= 0) return 0;
  connection.claimed.begin += wanted;
  connection.brought += wanted;
  connection.came = now;
  connection.arrivals.bytes += wanted;
  connection.arrivals.last = now;
  attempts_.failed = crowded_out_ = 0;
  return wanted;
}

bool Transfer::expects(int number) const {
  const auto& connection = connections_.at(number);
  return !connection.replaced && !connection.claimed.empty();
}

TransferStep Transfer::on(int number, const TransferEvent& event, Moment at) {
  auto& connection = connections_.at(number);
  if (over() || (connection.replaced && staying() > 0)) return leave(connection);
  if (std::exchange(connection.replaced, false)) return next_piece(connection, at.now);
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
  connection.asked = at.now;
  next.range = connection.claimed;
  next.etag = if_match(identity_);
  return next;
}

TransferStep Transfer::heard(Connection& connection, const AnswerCame& came, Moment at) {
  auto content = judge_answer(came.answer, connection.claimed, identity_, witness_);
  if (content && content->whole && staying() > 1) {
    if (parts_ != Parts::shown) return leave_the_whole_to_another(connection);
    content = Error{Errc::protocol, "the store ignored the range that it had honoured before"};
  }
  if (!content) {
    auto next = fail(connection, content.error(), at);
    if (next.close == TransferStep::Close::none) next.close = TransferStep::Close::own;
    return next;
  }
  renewed_ = false;
  connection.content = *content;
  const double took = std::chrono::duration<double>(at.now - connection.asked).count();
  if (took > 0) answer_time_ = answer_time_ > 0 ? (3 * answer_time_ + took) / 4 : took;
  if (came.answer.etag.empty() || !identity_.etag.empty()) return receive(connection, at.now);
  identity_.etag = came.answer.etag;
  return record(connection);
}

TransferStep Transfer::leave_the_whole_to_another(Connection& connection) {
  parts_ = Parts::unknown;
  expects_parts_ = false;
  give_back(connection);
  auto next = leave(connection);
  next.close = TransferStep::Close::own;
  return next;
}

TransferStep Transfer::heard(Connection& connection, const MoreCame&, Moment at) {
  return fail(connection, too_long(identity_.size), at);
}

TransferStep Transfer::heard(Connection& connection, const Woken&, Moment at) {
  const bool useful = connection.unrecorded || pieces_.has_next();
  if (useful && !connection.idle && !connection.held && connection.pause && connection.pause->holds(at.now))
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
      return failed.crowded ? wait_for_room(connection, failed.error, at) : fail(connection, failed.error, at);
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

TransferStep Transfer::hold(Connection& connection, base::Steady now) {
  auto next = wait(connection, {now, now + between_holds}, now);
  connection.held = next.idle = true;
  next.close = TransferStep::Close::own;
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
  if (std::exchange(parts_, Parts::shown) != Parts::shown) next.open = recruit();
  return next;
}

TransferStep Transfer::fail(Connection& connection, const Error& error, Moment at) {
  give_back(connection);
  if (error.code == Errc::link_refused && connection.listing <= refused_listing_) return next_piece(connection, at.now);
  const bool beside_others = others_receive(connection, at.now);
  if (beside_others && error.code == Errc::rate_limited) return leave(connection);
  const bool progress = beside_others || std::exchange(connection.brought, 0) >= worth_a_request;
  if (!pause_.holds(at.now)) {
    ++attempts_.failed;
    if (!progress) ++attempts_.total;
  }
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
  const bool wanted = !found_ || !is_surplus(connection);
  const bool paused = wanted && pause_.holds(at.now) && pieces_.has_next();
  next = paused ? wait(connection, pause_, at.now) : next_piece(connection, at.now);
  next.retried = retried;
  return next;
}

TransferStep Transfer::wait_for_room(Connection& connection, const Error& error, Moment at) {
  give_back(connection);
  if (others_receive(connection, at.now)) return leave(connection);
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
