// Provides links that have time left. One fresh listing replaces all links at once and serves all waiters.
// Never asks again in a cycle in which a fresh listing failed.
#pragma once

#include "agent/service.hpp"
#include "agent/wake.hpp"

#include <map>
#include <optional>
#include <string>

namespace vtmirror::agent {

struct Link {
  base::Secret url;
  std::int64_t size = 0;  ///< the file's size in the listing that brought the link
  base::Date date{};
  int generation = 0;  ///< which listing brought it: 1 is the cycle's first
};

class LinkSupply {
 public:
  LinkSupply(Parts parts, Service& service) : parts_(parts), service_(service), turn_(parts.loop, 1) {}

  /// Starts a cycle with its first listing.
  void begin(const FreshListing& fresh);

  /// A link for `name` with time left, from a listing newer than `refused` (0: any). Errors: link_refused (no longer
  /// listed, or listed with links that have already expired), and those of the listing; all are final for this cycle.
  boost::asio::awaitable<base::Result<Link>> link_for(std::string name, int refused);

  /// The number of the listing that the links are from: 1 is the cycle's first.
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
