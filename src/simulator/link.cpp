#include "simulator/link.hpp"

#include "simulator/digest.hpp"

#include "vtmirror/base/encoding.hpp"
#include "vtmirror/base/text.hpp"

#include <algorithm>

namespace vtmirror::simulator {
namespace {

constexpr std::string_view algorithm = "AWS4-HMAC-SHA256";

struct Signed {
  std::string method;
  std::string host;
  std::string path;
  std::string credential;
  std::string date;
  std::string expires;
};

std::string text_of(const Signed& s) {
  std::string text(algorithm);
  for (const std::string* part : {&s.method, &s.host, &s.path, &s.credential, &s.date, &s.expires})
    text += "\n" + *part;
  return text;
}

std::string credential(std::uint64_t epoch, std::string_view date) {
  return "VTSIMULATOR" + std::to_string(epoch) + "/" + std::string(date.substr(0, 8)) + "/eu-west-1/s3/aws4_request";
}

// The time in X-Amz-Date. It is covered by the signature, so it has the form that this program writes.
base::Time time_of(std::string_view date) {
  const std::string iso = std::string(date.substr(0, 4)) + "-" + std::string(date.substr(4, 2)) + "-" +
                          std::string(date.substr(6, 5)) + ":" + std::string(date.substr(11, 2)) + ":" +
                          std::string(date.substr(13));
  return base::parse_time(iso).value();
}

}  // namespace

std::string amz_date(base::Time time) {
  std::string text = base::iso8601(time);
  text.erase(std::remove_if(text.begin(), text.end(), [](char c) { return c == '-' || c == ':'; }), text.end());
  return text;
}

std::string sign_link(const LinkKey& key, std::string_view host, std::string_view path, base::Time now,
                      std::chrono::seconds lifetime) {
  const std::string date = amz_date(now);
  const Signed parts{.method = "GET",
                     .host = std::string(host),
                     .path = std::string(path),
                     .credential = credential(key.epoch, date),
                     .date = date,
                     .expires = std::to_string(lifetime.count())};
  return "X-Amz-Algorithm=" + std::string(algorithm) + "&X-Amz-Credential=" + base::percent_encoded(parts.credential) +
         "&X-Amz-Date=" + date + "&X-Amz-Expires=" + parts.expires +
         "&X-Amz-SignedHeaders=host&X-Amz-Signature=" + hmac_sha256(key.secret, text_of(parts));
}

LinkVerdict judge_link(const LinkKey& key, const Request& request, base::Time now) {
  LinkVerdict verdict{.is = LinkVerdict::Is::unsigned_};
  const auto get = [&](std::string_view name) { return parameter(request.query, name).value_or(""); };
  const Signed parts{.method = request.method,
                     .host = std::string(request.header("host").value_or("")),
                     .path = request.path,
                     .credential = get("X-Amz-Credential"),
                     .date = get("X-Amz-Date"),
                     .expires = get("X-Amz-Expires")};
  verdict.credential = parts.credential;
  verdict.signature = get("X-Amz-Signature");
  verdict.to_sign = text_of(parts);
  if (verdict.signature.empty()) return verdict;
  verdict.is = LinkVerdict::Is::forged;
  const bool complete = get("X-Amz-Algorithm") == algorithm && get("X-Amz-SignedHeaders") == "host";
  if (!complete || !same_secret(verdict.signature, hmac_sha256(key.secret, verdict.to_sign))) return verdict;
  verdict.lifetime_s = static_cast<std::uint64_t>(base::parse_int(parts.expires).value());
  verdict.expires = time_of(parts.date) + std::chrono::seconds(verdict.lifetime_s);
  const bool current = parts.credential == credential(key.epoch, parts.date);
  if (!current) verdict.expires = std::min(verdict.expires, now - std::chrono::seconds(1));
  verdict.is = now < verdict.expires ? LinkVerdict::Is::good : LinkVerdict::Is::expired;
  return verdict;
}

}  // namespace vtmirror::simulator
