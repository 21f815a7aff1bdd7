// Webhook and heartbeat. Their addresses may contain a token in the path or the query, so messages name only the host.
#include "notify/chat.hpp"
#include "vtmirror/notify/channels.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vtmirror::notify {
namespace {

using boost::asio::awaitable;

base::Error refusal(const ports::Response& response, const std::string& host) {
  base::Error error{.code = base::Errc::http_status,
                    .detail = "HTTP " + std::to_string(response.status) + " from " + host};
  error.status = response.status;
  error.retry_after = response.retry_after;
  if (response.status == 429 || response.status == 503) error.code = base::Errc::rate_limited;
  if (response.status >= 400 && response.status < 500 && response.status != 429 && response.status != 408)
    error.code = base::Errc::forbidden;
  if (response.status >= 300 && response.status < 400)
    error.detail += ": redirects are not followed; set the address that it leads to";
  return error;
}

/// Neither JSON nor the "ok" of a chat service begins like that. The type does not distinguish them: Slack calls its
/// "ok" HTML.
bool is_web_page(std::string_view body) {
  const auto begin = body.find_first_not_of("\xef\xbb\xbf \t\r\n");
  return begin != std::string_view::npos && body[begin] == '<';
}

enum class Pages { accepted, refused };

/// Sends one request to `url`. Delivered if the status is 200 to 299 and, if `pages` says so, the answer is no web
/// page.
awaitable<base::Result<std::string>> ask(Resources resources, base::Url url, ports::Request request, Pages pages) {
  const auto host = url.authority();
  request.url = url.text();
  request.private_path = true;
  request.body_limit = std::size_t{1} << 20;
  request.status_only = true;  // after a 2xx, a fault in the body must not cause a second delivery
  const auto response = co_await resources.http.exchange(std::move(request));
  if (!response) co_return response.error();
  if (response->status < 200 || response->status > 299) co_return refusal(*response, host);
  const auto answered = "HTTP " + std::to_string(response->status) + " from " + host;
  if (!is_web_page(response->body)) co_return answered;
  if (pages == Pages::accepted) co_return answered + ", with a web page";
  co_return base::Error{base::Errc::protocol,
                        answered +
                            ", but with a web page: a proxy or a login page answers in its place, "
                            "or the address is that of a page"};
}

std::string body_of(const core::Notice& notice, const WebhookSettings& settings) {
  switch (settings.format) {
    case WebhookFormat::slack:
      return slack_json(notice, settings.host);
    case WebhookFormat::teams:
      return teams_json(notice, settings.host);
    case WebhookFormat::json:
      break;
  }
  return core::notice_json(notice);
}

std::vector<core::Topic> topics_of(WebhookFormat format) {
  if (format != WebhookFormat::json) return {core::Topic::warning};
  return {core::subscribable.begin(), core::subscribable.end()};
}

class Webhook : public ports::Channel {
 public:
  Webhook(Resources resources, WebhookSettings settings)
      : resources_(resources), settings_(std::move(settings)), topics_(topics_of(settings_.format)) {}
  const std::string& name() const override { return name_; }
  const std::vector<core::Topic>& topics() const override { return topics_; }
  core::DeliveryOrder order() const override { return core::DeliveryOrder::by_due; }

  awaitable<base::Result<std::string>> deliver(core::Notice notice) override {
    ports::Request request{.method = "POST"};
    request.headers = {{"Content-Type", "application/json"}, {"Idempotency-Key", notice.id}};
    request.body = body_of(notice, settings_);
    const auto pages = settings_.format == WebhookFormat::json ? Pages::accepted : Pages::refused;
    auto answer = co_await ask(resources_, settings_.url, std::move(request), pages);
    co_return answer;
  }

 private:
  Resources resources_;
  WebhookSettings settings_;
  std::string name_ = "webhook";
  std::vector<core::Topic> topics_;
};

/// Changes "https://ping.example/id?a=b" to "https://ping.example/id/fail?a=b".
base::Url failing(base::Url url) {
  auto end = url.path().size();
  if (url.path().ends_with('/')) url.target.erase(--end, 1);
  url.target.insert(end, "/fail");
  return url;
}

class Heartbeat : public ports::Channel {
 public:
  Heartbeat(Resources resources, base::Url url) : resources_(resources), url_(std::move(url)) {}
  const std::string& name() const override { return name_; }
  const std::vector<core::Topic>& topics() const override { return topics_; }
  core::DeliveryOrder order() const override { return core::DeliveryOrder::newest; }

  awaitable<base::Result<std::string>> deliver(core::Notice notice) override {
    const bool well = notice.urgency == core::Urgency::info;
    const auto url = well ? url_ : failing(url_);
    ports::Request request;
    auto answer = co_await ask(resources_, url, std::move(request), Pages::accepted);
    co_return answer;
  }

 private:
  Resources resources_;
  base::Url url_;
  std::string name_ = "heartbeat";
  std::vector<core::Topic> topics_{core::Topic::cycle};
};

}  // namespace

std::shared_ptr<ports::Channel> make_webhook(Resources resources, WebhookSettings settings) {
  return std::make_shared<Webhook>(resources, std::move(settings));
}

std::shared_ptr<ports::Channel> make_heartbeat(Resources resources, base::Url url) {
  return std::make_shared<Heartbeat>(resources, std::move(url));
}

}  // namespace vtmirror::notify
