#include "agent/store_answer.hpp"

#include "vtmirror/base/url.hpp"
#include "vtmirror/core/answer.hpp"

#include <array>
#include <utility>

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

constexpr std::size_t error_body_limit = 4096;
/// The status is known: a body that comes slowly is not worth a longer wait.
constexpr base::Milliseconds error_body_time{5000};

awaitable<base::Error> refusal(ports::Lane& lane, ports::RangeAnswer answer, const base::KnownSecrets& known,
                               ports::Clock& clock) {
  const auto until = clock.steady() + error_body_time;
  std::array<std::byte, error_body_limit> body;
  std::size_t length = 0;
  while (length < body.size() && clock.steady() < until) {
    const auto room = std::span(body).subspan(length);
    const auto got = co_await lane.read(room);
    if (!got || *got == 0) break;
    length += *got;
  }
  if (clock.steady() >= until) lane.close();
  const std::string_view text(reinterpret_cast<const char*>(body.data()), length);
  co_return core::store_error(
      {.status = answer.status, .body = text, .retry_after = answer.retry_after, .known = &known, .host = answer.host});
}

}  // namespace

std::string store_host(std::string_view link) {
  const auto url = base::parse_url(link);
  return url ? url->authority() : std::string();
}

awaitable<base::Result<ports::RangeAnswer>> ask_store(ports::Http& http, ports::Clock& clock, ports::Lane& lane,
                                                      std::string url, core::Range range, std::string if_match) {
  auto host = store_host(url);
  auto answer = co_await lane.get(std::move(url), range, std::move(if_match));
  const auto& known = http.known();
  if (!answer) co_return known.masked(answer.error());
  answer->host = std::move(host);
  answer->content_type = known.masked(answer->content_type);
  if (known.appear_in(answer->etag)) answer->etag.clear();
  if (core::brings_bytes(*answer)) co_return answer;
  auto refused = co_await refusal(lane, *answer, known, clock);
  co_return refused;
}

}  // namespace vtmirror::agent
