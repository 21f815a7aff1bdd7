// Links that have time left. One fresh listing replaces all links at once and serves all who wait.
// Never asks again for a cycle in which a fresh listing could not be had.
#pragma once

#include "agent/service.hpp"
#include "agent/wake.hpp"

#include <map>
#include <optional>
#include <string>

namespace vtmirror::agent {

struct Link {
  base::Secret url;
  std::int64_t size = 0;  ///< what the listing that brought the link says now
  base::Date date{};
  int generation = 0;  ///< which listing brought it: 1 is the cycle's first
};

class LinkSupply {
 public:
  LinkSupply(Parts parts, Service& service) : parts_(parts), service_(service), turn_(parts.loop, 1) {}

  /// A new cycle's first listing.
  void begin(const FreshListing& fresh);

  /// A link for `name` from a listing newer than `refused` (0: any), with time left. Errors: link_refused (listed no
  /// longer, or listed with links that have ended already), and those of the listing; all of them final for this cycle.
  boost::asio::awaitable<base::Result<Link>> link_for(std::string name, int refused);

  /// Which listing the links are of now: 1 is the cycle's first.
  int generation() const { return generation_; }

 private:
  bool usable(const std::string& name, int refused) const;
  const Link& known(const std::string& name) const;
  bool says_no(const std::string& name) const;
  base::Error refusal(const std::string& name) const;
  void keep(const FreshListing& fresh);

  struct Known {
    Link link;
    base::Steady good_until{};
  };

  Parts parts_;
  Service& service_;
  Slots turn_;
  std::map<std::string, Known> links_;
  int generation_ = 0;
  base::Steady received_{};  ///< the newest listing
  std::optional<base::Error> broken_;
};

}  // namespace vtmirror::agent
