// Webhook and heartbeat. Their addresses may hold a token in the path or the query: nothing but the host is ever told.
#include "vtmirror/base/text.hpp"
#include "vtmirror/notify/channels.hpp"

#include <algorithm>
#include <utility>

namespace vtmirror::notify {
namespace {

using boost::asio::awaitable;

/// "hooks.example:8443" of "https://user@hooks.example:8443/path?query".
std::string host_of(const std::string& url) {
  const auto mark = url.find("://");
  const auto begin = mark == std::string::npos ? 0 : mark + 3;
  const auto host = url.substr(begin, url.find_first_of("/?#", begin) - begin);
  return base::printable(host.substr(host.rfind('@') + 1), 100);  // npos + 1 is 0
}

/// What the network says may quote the address.
base::Error without_address(base::Error error, const std::string& url) {
  const auto begin = url.find_first_of("/?#", url.find("://") + 3);
  const auto rest =
      begin == std::string::npos ? std::string() : url.substr(begin, url.find_first_of("?#", begin) - begin);
  if (rest.size() > 1 && error.detail.find(rest) != std::string::npos) error.detail = host_of(url);
  return error;
}

base::Error refusal(const ports::Response& response, const std::string& host) {
  base::Error error{.code = base::Errc::http_status,
                    .detail = "HTTP " + std::to_string(response.status) + " from " + host};
  error.status = response.status;
  error.retry_after = response.retry_after;
  if (response.status == 429 || response.status == 503) error.code = base::Errc::rate_limited;
  if (response.status >= 400 && response.status < 500 && response.status != 429 && response.status != 408)
    error.code = base::Errc::forbidden;
  if (response.status >= 300 && response.status < 400)
    error.detail += ": a redirect is not followed, set the address that it leads to";
  return error;
}

/// One request; taken when the answer says so.
awaitable<base::Result<std::string>> ask(Parts parts, ports::Request request) {
  const auto url = request.url;
  const auto host = host_of(url);
  request.body_limit = std::size_t{64} << 10;
  request.status_only = true;  // whoever has said 2xx has the notice: told again, it would have it twice
  const auto response = co_await parts.http.exchange(std::move(request));
  if (!response) co_return without_address(response.error(), url);
  if (response->status < 200 || response->status > 299) co_return refusal(*response, host);
  co_return "HTTP " + std::to_string(response->status) + " from " + host;
}

class Webhook : public ports::Channel {
 public:
  Webhook(Parts parts, std::string url) : parts_(parts), url_(std::move(url)) {}
  const std::string& name() const override { return name_; }
  const std::vector<core::Topic>& topics() const override { return topics_; }
  core::DeliveryOrder order() const override { return core::DeliveryOrder::by_due; }

  awaitable<base::Result<std::string>> deliver(core::Notice notice) override {
    ports::Request request{.method = "POST", .url = url_};
    request.headers = {{"Content-Type", "application/json"}, {"Idempotency-Key", notice.id}};
    request.body = core::notice_json(notice);
    auto answer = co_await ask(parts_, std::move(request));
    co_return answer;
  }

 private:
  Parts parts_;
  std::string url_;
  std::string name_ = "webhook";
  std::vector<core::Topic> topics_{core::Topic::published, core::Topic::cycle, core::Topic::warning};
};

/// "https://ping.example/id?a=b" as "https://ping.example/id/fail?a=b".
std::string failing(std::string url) {
  auto end = std::min(url.find_first_of("?#"), url.size());
  if (end > 0 && url[end - 1] == '/') url.erase(--end, 1);
  return url.insert(end, "/fail");
}

class Heartbeat : public ports::Channel {
 public:
  Heartbeat(Parts parts, std::string url) : parts_(parts), url_(std::move(url)) {}
  const std::string& name() const override { return name_; }
  const std::vector<core::Topic>& topics() const override { return topics_; }
  core::DeliveryOrder order() const override { return core::DeliveryOrder::newest; }

  awaitable<base::Result<std::string>> deliver(core::Notice notice) override {
    const bool well = notice.urgency == core::Urgency::info;
    ports::Request request;
    request.url = well ? url_ : failing(url_);
    auto answer = co_await ask(parts_, std::move(request));
    co_return answer;
  }

 private:
  Parts parts_;
  std::string url_;
  std::string name_ = "heartbeat";
  std::vector<core::Topic> topics_{core::Topic::cycle};
};

}  // namespace

std::shared_ptr<ports::Channel> make_webhook(Parts parts, std::string url) {
  return std::make_shared<Webhook>(parts, std::move(url));
}

std::shared_ptr<ports::Channel> make_heartbeat(Parts parts, std::string url) {
  return std::make_shared<Heartbeat>(parts, std::move(url));
}

}  // namespace vtmirror::notify
