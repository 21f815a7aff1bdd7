#include "agent/link_supply.hpp"

#include <algorithm>

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

/// A link is not used in its last seconds, because the request must reach the store while the link is valid.
base::Milliseconds usable_for(std::chrono::seconds lifetime) {
  const base::Milliseconds whole = lifetime;
  return whole - std::min<base::Milliseconds>(std::chrono::seconds(10), whole / 5);
}

/// The lifetime of a link (vtmirror-service(7) 8).
constexpr base::Milliseconds speaks_for = std::chrono::minutes(5);

}  // namespace

void LinkSupply::begin(const FreshListing& fresh) {
  generation_ = 0;
  broken_.reset();
  keep(fresh);
}

void LinkSupply::keep(const FreshListing& fresh) {
  links_.clear();
  ++generation_;
  received_ = fresh.received;
  for (const auto& entry : fresh.listing.entries) {
    const auto lifetime = core::link_lifetime(entry.link.reveal(), fresh.server_now);
    links_[entry.name] = {{entry.link, entry.size, entry.date, generation_}, fresh.received + usable_for(lifetime)};
  }
}

bool LinkSupply::usable(const std::string& name, int refused) const {
  const auto found = links_.find(name);
  return found != links_.end() && found->second.link.generation > refused &&
         parts_.clock.steady() < found->second.good_until;
}

const Link& LinkSupply::known(const std::string& name) const { return links_.at(name).link; }

/// Whether the newest listing, made during this cycle, already shows that there is no link for `name`: when many files
/// leave the listing at once, one listing answers for all of them.
bool LinkSupply::says_no(const std::string& name) const {
  if (generation_ == 1 || parts_.clock.steady() - received_ > speaks_for) return false;
  const auto found = links_.find(name);
  return found == links_.end() || found->second.good_until <= received_;
}

base::Error LinkSupply::refusal(const std::string& name) const {
  if (!links_.contains(name)) return {base::Errc::link_refused, name + " is no longer listed"};
  return {base::Errc::link_refused, "the service's links have already expired"};
}

awaitable<base::Result<Link>> LinkSupply::link_for(std::string name, int refused) {
  if (usable(name, refused)) co_return known(name);
  co_await turn_.take();
  const Taken turn(turn_);
  // The previous holder of the turn may have obtained the link.
  if (usable(name, refused)) co_return known(name);
  if (broken_) co_return *broken_;
  if (generation_ > refused && says_no(name)) co_return refusal(name);
  const auto fresh = co_await service_.listing();
  if (!fresh) {
    broken_ = fresh.error();
    co_return fresh.error();
  }
  keep(*fresh);
  if (!usable(name, refused)) co_return refusal(name);
  co_return known(name);
}

}  // namespace vtmirror::agent
