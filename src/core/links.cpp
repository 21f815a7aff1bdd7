#include "vtmirror/core/links.hpp"

namespace vtmirror::core {
namespace {

/// The lifetime of a link (vtmirror-service(7) 8).
constexpr base::Milliseconds speaks_for = std::chrono::minutes(5);

}  // namespace

void Links::begin(const FreshListing& fresh) {
  listing_ = 0;
  renew(fresh);
}

void Links::renew(const FreshListing& fresh) {
  links_.clear();
  broken_.reset();
  ++listing_;
  received_ = fresh.received;
  for (const Entry& entry : fresh.listing.entries) {
    const auto lifetime = link_lifetime(entry.link.reveal(), fresh.server_now);
    links_[entry.name] = {{entry.link, entry.size, entry.date, listing_}, fresh.received + link_usable_for(lifetime)};
  }
}

const Link* Links::usable(const std::string& name, int refused, base::Steady now) const {
  const auto found = links_.find(name);
  if (found == links_.end() || found->second.link.listing <= refused) return nullptr;
  return now < found->second.good_until ? &found->second.link : nullptr;
}

bool Links::says_no(const std::string& name, base::Steady now) const {
  if (listing_ == 1 || now - received_ > speaks_for) return false;
  const auto found = links_.find(name);
  return found == links_.end() || found->second.good_until <= received_;
}

base::Error Links::refusal(const std::string& name) const {
  if (!links_.contains(name)) return {base::Errc::link_refused, "it is no longer listed"};
  return {base::Errc::link_refused, "the service's links have already expired"};
}

base::Result<std::optional<Link>> Links::find(const std::string& name, int refused, base::Steady now) const {
  if (const Link* link = usable(name, refused, now)) return std::optional(*link);
  if (broken_) return *broken_;
  if (listing_ > refused && says_no(name, now)) return refusal(name);
  return std::optional<Link>();
}

base::Result<Link> Links::in_newest(const std::string& name, int refused, base::Steady now) const {
  if (const Link* link = usable(name, refused, now)) return *link;
  return refusal(name);
}

}  // namespace vtmirror::core
