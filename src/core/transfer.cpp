#include "vtmirror/core/transfer.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

namespace vtmirror::core {
namespace {

using base::Errc;
using base::Error;

/// A file whose number of connections is found is cut for a few from the beginning, so that they can join.
constexpr int least_cut_for = 4;

constexpr base::Milliseconds between_looks{250};
/// A held connection looks again after so long.
constexpr base::Milliseconds between_holds = std::chrono::hours(1);

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
      splits_rest_(rules.splits_rest),
      expects_parts_(rules.expects_parts),
      identity_(std::move(identity)),
      pieces_(identity_.size, 1, std::move(durable)) {
  attempts_.limit = recording_.limit = rules.attempts;
}

std::vector<int> Transfer::begin() {
  pieces_ = Pieces(identity_.size, 1, pieces_.durable_ranges());
  cut_for_ = target_;
  connections_.clear();
  cut({});
  replacements_ = 0;
  ranges_ = expects_parts_ ? Ranges::expected : Ranges::unknown;
  start_over_ = false;
  has_links_ = true;
  failure_.reset();
  disk_failure_.reset();
  std::vector<int> opened{connections_.join().number};
  std::ranges::copy(recruit(), std::back_inserter(opened));
  return opened;
}

void Transfer::cut(base::Steady now) {
  const auto worth = splits_rest_ ? connections_.worth_an_answer(now) : 0;
  piece_size_ = size_of_pieces(pieces_.bytes_unclaimed(), found_ ? std::max(target_, least_cut_for) : cut_for_, worth);
  pieces_.cut(piece_size_);
}

void Transfer::forget() {
  identity_.etag.clear();
  is_recorded_ = true;
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

std::vector<int> Transfer::recruit() {
  if (connections_.size() == 0 || ranges_ == Ranges::unknown || !has_links_ || over()) return {};
  if (splits_rest_ && !pieces_.has_next()) return {};
  const auto left = identity_.size - pieces_.bytes_written();
  const auto useful = (left + piece_size_ - 1) / piece_size_;
  const auto wanted = std::min<std::int64_t>(useful, target_);
  std::vector<int> opened;
  while (connections_.size() < wanted) opened.push_back(connections_.join().number);
  return opened;
}

Transfer::Change Transfer::aim(int connections, base::Steady now, bool at_once) {
  target_ = std::max(connections, 0);
  Change change;
  const bool none = target_ == 0;
  if (found_ || at_once || none) {
    for (auto* leaving : connections_.surplus(target_, at_once || none, now)) {
      leaving->replaced = true;
      give_back(*leaving);
      change.close.push_back(leaving->number);
    }
  }
  if (found_) cut(now);
  change.open = recruit();
  return change;
}

std::vector<int> Transfer::to_wake() const {
  const bool useless = over() || !pieces_.has_next();
  const bool nothing_to_take = over() || pieces_.has_next() || busy() == 0;
  std::vector<int> named;
  for (const auto& [number, connection] : connections_.all()) {
    if (!connection.pause) continue;
    const bool pointless = connection.unrecorded ? over()
                           : connection.held     ? over() || target_ > 0
                           : connection.idle     ? nothing_to_take
                                                 : useless;
    if (pointless) named.push_back(number);
  }
  return named;
}

bool Transfer::is_surplus(const Connection& connection) const {
  return connections_.at_work_beside(connection) >= std::max(target_, 1);
}

TransferStep Transfer::step(Connection& connection, Kind kind) {
  connection.doing = kind;
  connection.pause.reset();
  connection.idle = connection.held = false;
  return {.kind = kind};
}

TransferStep Transfer::leave(Connection& connection) {
  connections_.leave(connection.number);
  return {};
}

void Transfer::give_back(Connection& connection) {
  pieces_.failed(connection.claimed);
  connection.claimed = {};
}

TransferStep Transfer::next_piece(Connection& connection, base::Steady now) {
  give_back(connection);
  if (is_surplus(connection)) return leave(connection);
  if (!pieces_.has_next()) return splits_rest_ ? take_over_or_wait(connection, now) : leave(connection);
  if (target_ == 0) return hold(connection, now);
  cut(now);
  connection.claimed = *pieces_.next();
  auto next = step(connection, Kind::find_link);
  next.newer_than = refused_listing_;
  return next;
}

TransferStep Transfer::take_over_or_wait(Connection& connection, base::Steady now) {
  // While no byte arrives, connections would replace each other forever.
  const bool may_replace = replacements_ < 2 * std::max(target_, least_cut_for);
  if (const auto share = connections_.share_of_the_last(connection, may_replace, now)) {
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

std::int64_t Transfer::received(int number, std::int64_t bytes, base::Steady now) {
  auto& connection = connections_.at(number);
  const auto wanted = connection.replaced ? 0 : std::min(bytes, connection.claimed.size());
  if (wanted <= 0) return 0;
  connection.claimed.begin += wanted;
  connection.brought += wanted;
  connection.came = now;
  connection.arrivals.bytes += wanted;
  connection.arrivals.last = now;
  connection.failed = attempts_.failed = attempts_.tls = crowded_out_ = 0;
  return wanted;
}

bool Transfer::expects(int number) const {
  const auto& connection = connections_.at(number);
  return !connection.replaced && !connection.claimed.empty();
}

TransferStep Transfer::on(int number, const TransferEvent& event, Moment at) {
  auto& connection = connections_.at(number);
  if (over() || (connection.replaced && connections_.staying() > 0)) return leave(connection);
  if (std::exchange(connection.replaced, false)) return next_piece(connection, at.now);
  return std::visit([&](const auto& happened) { return heard(connection, happened, at); }, event);
}

TransferStep Transfer::heard(Connection& connection, const StepDone&, Moment at) {
  if (connection.doing == Kind::record) {
    recorded();
    is_recorded_ = true;
    return receive(connection, at.now);
  }
  if (connection.unrecorded) return receive_if_recorded(connection, at.now);
  const bool waited = connection.pause && !connection.idle && !connection.held;
  if (waited && pause_.holds(at.now) && pieces_.has_next()) return wait(connection, pause_, at.now);
  const bool whole = connection.doing == Kind::receive && connection.content.whole;
  return whole ? step(connection, Kind::expect_end) : next_piece(connection, at.now);
}

TransferStep Transfer::heard(Connection& connection, const LinkFound& found, Moment at) {
  connection.listing = found.listing;
  const bool had_none = !std::exchange(has_links_, true);
  if (found.size != identity_.size) return fail(connection, another_size(found.size, identity_.size), at);
  auto next = step(connection, Kind::ask);
  connection.asked = at.now;
  next.range = connection.claimed;
  next.etag = if_match(identity_);
  if (had_none) next.open = recruit();
  return next;
}

TransferStep Transfer::heard(Connection& connection, const AnswerCame& came, Moment at) {
  auto content = judge_answer(came.answer, connection.claimed, identity_, witness_);
  if (content && content->whole && connections_.staying() > 1) {
    if (ranges_ != Ranges::shown) return leave_the_whole_to_another(connection);
    content = Error{Errc::protocol, "the store ignored the range that it had honoured before"};
  }
  if (!content) {
    auto next = fail(connection, content.error(), at);
    if (next.close == TransferStep::Close::none) next.close = TransferStep::Close::own;
    return next;
  }
  renewed_ = false;
  connection.is_served = true;
  connection.content = *content;
  connections_.answered_after(std::chrono::duration<double>(at.now - connection.asked).count());
  if (identity_.etag.empty() && !came.answer.etag.empty()) {
    identity_.etag = came.answer.etag;
    is_recorded_ = false;
  }
  return receive_if_recorded(connection, at.now);
}

TransferStep Transfer::leave_the_whole_to_another(Connection& connection) {
  ranges_ = Ranges::unknown;
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
      return no_link(connection, failed.error, at);
    case Kind::wait:
      return give_up(connection, failed.error);
    default:
      return failed.crowded ? wait_for_room(connection, failed.error, at) : fail(connection, failed.error, at);
  }
}

TransferStep Transfer::receive_if_recorded(Connection& connection, base::Steady now) {
  if (is_recorded_) return receive(connection, now);
  if (!connections_.others_record(connection)) return record(connection);
  auto next = wait(connection, {now, now + between_looks}, now);
  connection.unrecorded = connection.queued = true;
  return next;
}

TransferStep Transfer::record(Connection& connection) {
  connection.unrecorded = connection.queued = false;
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
  connection.unrecorded = connection.queued = false;
  connection.arrivals.go_on(now);
  if (connection.content.whole) {
    give_back(connection);
    connection.claimed = pieces_.claim_rest();
    next.range = connection.claimed;
    next.skip = connection.claimed.begin;
    return next;
  }
  next.range = connection.content.range;
  if (std::exchange(ranges_, Ranges::shown) != Ranges::shown) next.open = recruit();
  return next;
}

}  // namespace vtmirror::core
