#include "agent/link_supply.hpp"

#include <algorithm>

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

/// A link is not used in its last seconds: the request must reach the store while it is good.
base::Milliseconds usable_for(std::chrono::seconds lifetime) {
  const base::Milliseconds whole = lifetime;
  return whole - std::min<base::Milliseconds>(std::chrono::seconds(10), whole / 5);
}

}  // namespace

void LinkSupply::begin(const FreshListing& fresh) {
  generation_ = 0;
  broken_.reset();
  keep(fresh);
}

void LinkSupply::keep(const FreshListing& fresh) {
  links_.clear();
  ++generation_;
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

base::Result<Link> LinkSupply::known(const std::string& name) const {
  const auto found = links_.find(name);
  if (found == links_.end()) return base::Error{base::Errc::link_refused, name + " is listed no longer"};
  return found->second.link;
}

awaitable<base::Result<Link>> LinkSupply::link_for(std::string name, int refused) {
  if (usable(name, refused)) co_return known(name);
  co_await turn_.take();
  const Taken turn(turn_);
  // Whoever had the turn before may have brought what we wait for.
  if (usable(name, refused)) co_return known(name);
  if (broken_) co_return *broken_;
  const auto fresh = co_await service_.listing();
  if (!fresh) {
    broken_ = fresh.error();
    co_return fresh.error();
  }
  keep(*fresh);
  auto link = known(name);
  if (link && !usable(name, refused))
    link = base::Error{base::Errc::link_refused, "the service hands out links that have ended already"};
  co_return link;
}

}  // namespace vtmirror::agent
