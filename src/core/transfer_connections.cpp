#include "vtmirror/core/transfer_connections.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>

namespace vtmirror::core {
namespace {

using Kind = TransferStep::Kind;

constexpr base::Milliseconds silence{2000};   ///< after which a connection is stalled
constexpr base::Milliseconds judgeable{500};  ///< after which its rate says something
/// From a request to its answer, before one has come.
constexpr double usual_answer = 0.5;
constexpr double shortest_answer = 0.02;
constexpr double longest_answer = 2.0;
/// A surplus connection may take so long to end its piece.
constexpr double seconds_to_leave = 2;

/// Without end if nothing comes.
double seconds_for(std::int64_t bytes, double rate) {
  return rate > 0 ? static_cast<double>(bytes) / rate : std::numeric_limits<double>::infinity();
}

/// How many members beside this one are so.
template <class Condition>
int others(const std::map<int, TransferConnection>& members, const TransferConnection& member, Condition is_so) {
  return static_cast<int>(std::ranges::count_if(
      members, [&](const auto& each) { return each.first != member.number && is_so(each.second); }));
}

}  // namespace

double Arrivals::rate(base::Steady now) const {
  const auto so_long = now - since;
  if (now - last > silence) return 0;
  if (so_long < judgeable) return before;
  return static_cast<double>(bytes) * 1000 / static_cast<double>(so_long.count());
}

void Arrivals::go_on(base::Steady now) {
  const auto took = last - since;
  if (took >= judgeable) *this = {now, now, 0, rate(last)};
  since = now + (since - last);
  last = now;
}

bool TransferConnection::receives(base::Steady now, bool answered) const {
  if (replaced || doing != Kind::receive || (!came && !answered)) return false;
  const auto last = answered ? std::max(came.value_or(asked), asked) : *came;
  return now - last <= silence;
}

TransferConnection& TransferConnections::join() {
  auto& member = members_[++newest_];
  member.number = newest_;
  return member;
}

int TransferConnections::busy() const {
  return static_cast<int>(std::ranges::count_if(members_, [](const auto& each) { return each.second.is_busy(); }));
}

int TransferConnections::staying() const {
  return static_cast<int>(std::ranges::count_if(members_, [](const auto& each) { return !each.second.replaced; }));
}

int TransferConnections::at_work_beside(const TransferConnection& member) const {
  return others(members_, member, [](const TransferConnection& other) { return !other.replaced && !other.pause; });
}

bool TransferConnections::receives(base::Steady now) const {
  return std::ranges::any_of(members_, [now](const auto& each) { return each.second.receives(now, true); });
}

bool TransferConnections::others_receive(const TransferConnection& member, base::Steady now) const {
  return others(members_, member, [now](const TransferConnection& other) { return other.receives(now, false); }) > 0;
}

bool TransferConnections::others_are_served(const TransferConnection& member) const {
  return others(members_, member, [](const TransferConnection& other) {
           return !other.replaced && other.is_served && other.is_busy();
         }) > 0;
}

bool TransferConnections::others_record(const TransferConnection& member) const {
  return others(members_, member, [](const TransferConnection& other) {
           return other.doing == Kind::record || (other.unrecorded && !other.queued);
         }) > 0;
}

void TransferConnections::answered_after(double seconds) {
  if (seconds > 0) answer_time_ = answer_time_ > 0 ? (3 * answer_time_ + seconds) / 4 : seconds;
}

double TransferConnections::answer_seconds() const {
  return answer_time_ > 0 ? std::clamp(answer_time_, shortest_answer, longest_answer) : usual_answer;
}

double TransferConnections::fastest(const TransferConnection* taker, base::Steady now) const {
  double rate = 0;
  for (const auto& [number, each] : members_)
    rate = std::max(rate, each.arrivals.rate(&each == taker ? each.arrivals.last : now));
  return rate;
}

std::int64_t TransferConnections::worth_an_answer(base::Steady now) const {
  return static_cast<std::int64_t>(8 * answer_time_ * fastest(nullptr, now));
}

std::optional<double> TransferConnections::rate_of(const TransferConnection& member, base::Steady now) const {
  if (member.doing == Kind::ask) {
    const std::chrono::duration<double> waits = now - member.asked;
    const bool stalled = now - member.asked > silence && waits.count() > 4 * answer_seconds();
    return stalled ? std::optional<double>(0) : std::nullopt;
  }
  if (member.doing != Kind::receive || now - member.arrivals.since < judgeable) return std::nullopt;
  return member.arrivals.rate(now);
}

std::vector<TransferConnection*> TransferConnections::surplus(int target, bool at_once, base::Steady now) {
  struct Leaving {
    double seconds = 0;  // that its piece will take
    TransferConnection* member = nullptr;
  };
  std::vector<Leaving> ends;
  int at_work = 0;
  for (auto& [number, each] : members_) {
    if (each.replaced) continue;
    at_work += each.is_busy();
    const bool may_go = each.doing == Kind::ask || (each.doing == Kind::receive && !each.content.whole) ||
                        (at_once && each.doing == Kind::find_link);
    if (!each.pause && may_go)
      ends.push_back({seconds_for(each.claimed.size(), rate_of(each, now).value_or(0)), &each});
  }
  std::ranges::sort(ends, std::greater(), &Leaving::seconds);
  const auto is_soon = [at_once](const Leaving& each) { return !at_once && each.seconds <= seconds_to_leave; };
  ends.erase(std::ranges::find_if(ends, is_soon), ends.end());
  const auto many = static_cast<std::size_t>(std::max(0, at_work - target));
  if (ends.size() > many) ends.resize(many);
  std::vector<TransferConnection*> members;
  for (const auto& each : ends) members.push_back(each.member);
  return members;
}

std::optional<TransferConnections::Share> TransferConnections::share_of_the_last(const TransferConnection& taker,
                                                                                 bool may_replace, base::Steady now) {
  const double best = fastest(&taker, now);
  if (best <= 0) return std::nullopt;
  const double answer = answer_seconds();
  std::optional<Share> share;
  double longest = 4 * answer;
  for (auto& [number, each] : members_) {
    if (number == taker.number || each.replaced || each.content.whole || each.claimed.empty()) continue;
    const auto rate = rate_of(each, now);
    if (!rate) continue;
    const double seconds = seconds_for(each.claimed.size(), *rate);
    if (seconds <= longest) continue;
    const auto left = static_cast<double>(each.claimed.size());
    const double kept = left - (left - answer * *rate) / (1 + *rate / best);
    auto from = each.claimed.begin + static_cast<std::int64_t>(kept);
    from += (worth_a_request - from % worth_a_request) % worth_a_request;
    // A very slow one would hold up the end with what is left to it.
    const bool all = seconds_for(from - each.claimed.begin, *rate) > 2 * (left / best + answer);
    if (all ? !may_replace : each.claimed.end - from < worth_a_request) continue;
    longest = seconds;
    share = Share{&each, all ? each.claimed.begin : from};
  }
  return share;
}

}  // namespace vtmirror::core
