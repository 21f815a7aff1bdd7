#include "vtmirror/core/listing.hpp"

#include "fuzz/targets.hpp"
#include "vtmirror/base/known_secrets.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/base/url.hpp"

#include <algorithm>
#include <set>

namespace vtmirror::fuzz {

namespace {

const std::string secret = "Qx7~fuzz-secret-42";

const base::KnownSecrets& known_secrets() {
  static const auto* known = [] {
    auto* made = new base::KnownSecrets;  // lives as long as the process
    made->add(base::Secret(secret));
    return made;
  }();
  return *known;
}

bool is_printable(std::string_view text) {
  return std::ranges::none_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

}  // namespace

void listing(std::string_view input) {
  const auto listing = core::parse_listing(input, {.allow_http = false, .known = &known_secrets()});
  if (!listing) {
    demand(listing.error().code == base::Errc::protocol, "a listing that cannot be read is a protocol error");
    demand(!known_secrets().appear_in(listing.error().detail), "no error quotes a secret");
    return;
  }
  std::set<std::string> names;
  for (const auto& entry : listing->entries) {
    demand(core::check_name(entry.name).has_value(), "an entry's name stays inside the mirror");
    demand(names.insert(entry.name).second, "no two entries have one name");
    demand(entry.size >= 0 && entry.size <= core::largest_file, "an entry's size is plausible");
    demand(entry.date.ok(), "an entry's day exists");
    demand(base::parse_url(entry.link.reveal()).has_value(), "an entry's link is an address");
    demand(!known_secrets().appear_in(entry.name), "no name repeats a secret");
  }
  const auto order = [](const core::Entry& a, const core::Entry& b) {
    return std::tie(a.kind, a.date) < std::tie(b.kind, b.date);
  };
  demand(std::ranges::is_sorted(listing->entries, order), "entries come by kind and day");
  for (const auto& refused : listing->refused) {
    demand(is_printable(refused.name) && is_printable(refused.why), "what is said of a refused entry is printable");
    demand(!refused.why.empty(), "a refusal has its reason");
    // Each by itself: the end of a line between them would count as a "-" of the secret.
    const bool quotes = known_secrets().appear_in(refused.name) || known_secrets().appear_in(refused.why);
    demand(!quotes, "no refusal quotes a secret");
  }
}

void link(std::string_view input) {
  const auto lifetime = core::link_lifetime(input, base::Time(std::chrono::seconds(1'763'000'000)));
  demand(lifetime <= std::chrono::days(7) || lifetime == core::link_lifetime(input, std::nullopt),
         "a link lives no longer than it says");
  demand(core::link_usable_for(lifetime) <= lifetime, "a link is used only while it lives");
  const auto url = base::parse_url(input);
  if (!url) return;
  demand(!url->host.empty() && !url->target.empty() && url->target.front() == '/', "an address has its parts");
  demand(is_printable(url->target) && url->target.find(' ') == std::string::npos, "a target fits a request line");
  const auto again = base::parse_url(url->text());
  demand(again.has_value(), "an address that was printed can be read");
  demand(again->same_origin(*url) && again->target == url->target, "and is the same");
  demand(url->without_query().find('?') == std::string::npos, "what is logged has no query");
  const auto other = base::resolve_reference(*url, input);
  demand(other.has_value() && other->same_origin(*url), "an address relative to another is itself");
}

}  // namespace vtmirror::fuzz
