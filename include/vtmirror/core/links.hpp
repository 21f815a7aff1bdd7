// The links to the store: which file has one with time left, and when a fresh listing is asked for.
// Pure: what was listed, and when, are arguments. Holds links, which are secrets, and prints none.
//
// The rules, each with its reason:
//
//  1. A link is used only while it has time left, and not if the store refused one of its listing or of a later one.
//  2. Otherwise a fresh listing is asked for, whose links replace all of those before: that costs one request for all
//     files, because each asks again when the listing that another one waits for has come.
//  3. After a listing that could not be had, none is asked for again before one came for another reason: each of many
//     files would wait for minutes, one after the other.
//  4. A listing that was made during the cycle is valid for all files for five minutes: when many of them leave the
//     listing at once, one answers for all. The cycle's first one does not: it is what the plan was made of.
//  5. A link that has no time left when it comes is refused, because the next one would have none either.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/base/secret.hpp"
#include "vtmirror/base/time.hpp"
#include "vtmirror/core/listing.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace vtmirror::core {

/// A listing and what is needed to compute how long its links live.
struct FreshListing {
  Listing listing;
  std::optional<base::Time> server_now;  ///< the answer's `Date` header
  base::Steady received{};
  base::Time at{};  ///< the same by this machine's clock
};

struct Link {
  base::Secret url;
  std::int64_t size = 0;  ///< the file's size in the listing that brought the link
  base::Date date{};
  int listing = 0;  ///< which listing brought it: 1 is the cycle's first
};

class Links {
 public:
  /// A cycle begins with its first listing.
  void begin(const FreshListing& fresh);
  /// A later one came.
  void renew(const FreshListing& fresh);
  /// A later one could not be had.
  void failed(const base::Error& error) { broken_ = error; }

  /// A link for `name` from a listing newer than `refused` (0: any); empty if a fresh listing is needed.
  /// Errors: link_refused (it is no longer listed, or was listed with a link that had already expired), and the last
  /// one of `failed`.
  base::Result<std::optional<Link>> find(const std::string& name, int refused, base::Steady now) const;
  /// The same when the listing that `find` asked for has come: it asks for no other one.
  base::Result<Link> in_newest(const std::string& name, int refused, base::Steady now) const;

  /// The number of the listing that the links are from: 1 is the cycle's first.
  int listing() const noexcept { return listing_; }

 private:
  struct Known {
    Link link;
    base::Steady good_until{};
  };
  const Link* usable(const std::string& name, int refused, base::Steady now) const;
  bool says_no(const std::string& name, base::Steady now) const;
  base::Error refusal(const std::string& name) const;

  std::map<std::string, Known> links_;
  int listing_ = 0;
  base::Steady received_{};  ///< the newest listing
  std::optional<base::Error> broken_;
};

}  // namespace vtmirror::core
