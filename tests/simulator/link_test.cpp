#include "simulator/link.hpp"

#include <doctest/doctest.h>

namespace vtmirror::simulator {
namespace {

using Is = LinkVerdict::Is;
constexpr std::string_view host = "localhost:1234";
constexpr std::string_view path = "/v1/public/delta/year=2026/month=11/day=16/delta-light-vehicle_16-11-2026.zip";
const LinkKey key{.secret = "the store's own"};
const base::Time now = base::parse_time("2026-11-18T08:00:00Z").value();

Request use_of(const std::string& query) {
  return {.at = At::store,
          .method = "GET",
          .path = std::string(path),
          .query = query,
          .headers = {{"host", std::string(host)}}};
}

Request good_use() { return use_of(sign_link(key, host, path, now, std::chrono::seconds(300))); }

TEST_CASE("a link opens its file until it expires, and not a moment longer") {
  const Request request = good_use();
  CHECK(judge_link(key, request, now).is == Is::good);
  CHECK(judge_link(key, request, now + std::chrono::milliseconds(299'999)).is == Is::good);
  CHECK(judge_link(key, request, now + std::chrono::seconds(300)).is == Is::expired);
  CHECK(judge_link(key, request, now + std::chrono::seconds(300)).expires == now + std::chrono::seconds(300));
}

TEST_CASE("a link carries the six parameters of its kind") {
  const std::string query = good_use().query;
  CHECK(parameter(query, "X-Amz-Algorithm") == "AWS4-HMAC-SHA256");
  CHECK(parameter(query, "X-Amz-Date") == "20261118T080000Z");
  CHECK(parameter(query, "X-Amz-Expires") == "300");
  CHECK(parameter(query, "X-Amz-SignedHeaders") == "host");
  CHECK(parameter(query, "X-Amz-Credential")->find("/20261118/") != std::string::npos);
  CHECK(parameter(query, "X-Amz-Signature")->size() == 64);
}

TEST_CASE("a link with any one character changed is forged") {
  const Request request = good_use();
  for (std::size_t i = 0; i < request.query.size(); ++i) {
    Request changed = request;
    changed.query[i] = changed.query[i] == 'x' ? 'y' : 'x';
    INFO(changed.query);
    CHECK(judge_link(key, changed, now).is != Is::good);
  }
}

TEST_CASE("a link is of no use for another file, host or method, or with another key") {
  Request other = good_use();
  other.path += "x";
  CHECK(judge_link(key, other, now).is == Is::forged);
  other = good_use();
  other.method = "HEAD";
  CHECK(judge_link(key, other, now).is == Is::forged);
  other = good_use();
  other.headers[0].second = "127.0.0.1:1234";
  CHECK(judge_link(key, other, now).is == Is::forged);
  CHECK(judge_link({.secret = "another"}, good_use(), now).is == Is::forged);
}

TEST_CASE("a link without its query is not signed") { CHECK(judge_link(key, use_of(""), now).is == Is::unsigned_); }

TEST_CASE("raising the epoch expires the links so far, and not those to come") {
  LinkKey later = key;
  ++later.epoch;
  const LinkVerdict verdict = judge_link(later, good_use(), now);
  CHECK(verdict.is == Is::expired);
  CHECK(verdict.expires < now);
  CHECK(judge_link(later, use_of(sign_link(later, host, path, now, std::chrono::seconds(300))), now).is == Is::good);
}

}  // namespace
}  // namespace vtmirror::simulator
