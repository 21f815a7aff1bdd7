#include "vtmirror/core/answer.hpp"

#include "vtmirror/base/text.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace vtmirror::core {
namespace {

base::Error changed(std::string_view what, std::string_view now, std::string_view before) {
  return {base::Errc::changed_upstream,
          std::string(what) + " is " + base::printable(now, 80) + " now, and was " + base::printable(before, 80)};
}

base::Result<void> judge_identity(const RangeAnswer& answer, const Identity& identity) {
  if (answer.total && *answer.total != identity.size)
    return base::Error{base::Errc::changed_upstream, "the store's file has " + std::to_string(*answer.total) +
                                                         " bytes, the listing says " + std::to_string(identity.size)};
  if (!identity.etag.empty() && !answer.etag.empty() && answer.etag != identity.etag)
    return changed("the ETag", answer.etag, identity.etag);
  return {};
}

base::Result<Content> judge_part(const RangeAnswer& answer, Range wanted, const Identity& identity) {
  if (!answer.range) return base::Error{base::Errc::protocol, "206 without a readable Content-Range"};
  const auto range = *answer.range;
  // A shorter part is allowed (RFC 9110, 15.3.7); a part that begins elsewhere would be written at the wrong offset.
  if (range.begin != wanted.begin || range.end > wanted.end || range.empty())
    return base::Error{base::Errc::protocol, "206 with bytes " + std::to_string(range.begin) + "-" +
                                                 std::to_string(range.end - 1) + " instead of " +
                                                 std::to_string(wanted.begin) + "-" + std::to_string(wanted.end - 1)};
  if (auto same = judge_identity(answer, identity); !same) return same.error();
  return Content{range, false};
}

base::Result<Content> judge_whole(const RangeAnswer& answer, const Identity& identity) {
  const auto type = base::lower(answer.content_type);
  if (type.starts_with("text/html") || type.starts_with("application/xhtml"))
    return base::Error{base::Errc::protocol, store_at(answer.host) + " sent a page instead of a file (Content-Type " +
                                                 base::printable(type, 60) + ")"};
  if (auto same = judge_identity(answer, identity); !same) return same.error();
  return Content{{0, identity.size}, true};
}

}  // namespace

std::string store_at(std::string_view host) {
  return host.empty() ? std::string("the store") : "the store at " + std::string(host);
}

base::Result<Content> judge_answer(const RangeAnswer& answer, Range wanted, const Identity& identity) {
  if (answer.status == 206) return judge_part(answer, wanted, identity);
  return judge_whole(answer, identity);
}

base::Result<Content> judge_answer(const RangeAnswer& answer, Range wanted, const Identity& identity,
                                   Witness& witness) {
  auto content = judge_answer(answer, wanted, identity);
  if (!content) return content;
  const bool lacks_etag = answer.etag.empty() && !identity.etag.empty();
  if (lacks_etag && !(witness.confirmed && answer.total)) {
    const bool again = std::exchange(witness.doubted, true);
    return base::Error{again ? base::Errc::changed_upstream : base::Errc::protocol,
                       "the answer has no ETag, so that it may be of another object than the bytes that are held"};
  }
  witness.doubted = false;
  witness.confirmed = witness.confirmed || !answer.etag.empty();
  return content;
}

std::string if_match(const Identity& identity) {
  return identity.etag.starts_with("W/") ? std::string() : identity.etag;
}

}  // namespace vtmirror::core
