// The notification channels: mail, webhook, hook, heartbeat. One factory each.
// Promises that child processes get none of this program's secrets, that each one ends at its timeout, or its patience
// after the stop signal, and that nothing here blocks the loop. Never retries a delivery.
#pragma once

#include "vtmirror/base/url.hpp"
#include "vtmirror/ports/channel.hpp"
#include "vtmirror/ports/clock.hpp"
#include "vtmirror/ports/http.hpp"
#include "vtmirror/ports/journal.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace vtmirror::notify {

/// References that must outlive the channels.
struct Resources {
  boost::asio::any_io_executor loop;      ///< run by one thread
  boost::asio::any_io_executor blocking;  ///< threads for blocking work: starting a program
  ports::Http& http;
  ports::Journal& journal;
  ports::Stop& stop;
};

/// How people read an instant: in UTC without `show`. Two that show times of one `zone` are equal.
struct LocalTimes {
  std::string zone{};
  std::function<std::string(base::Time)> show{};
  friend bool operator==(const LocalTimes& one, const LocalTimes& other) { return one.zone == other.zone; }
};

struct MailSettings {
  std::string program;  ///< compatible with sendmail: -i, -f, --, addresses, the message on stdin
  std::string from;     ///< empty: the program's default
  std::string to;
  std::string host;  ///< the machine's name, for the subject
  std::chrono::milliseconds timeout = std::chrono::minutes(2);
  LocalTimes times{};
  friend bool operator==(const MailSettings&, const MailSettings&) = default;
};
/// Sends warnings only, to one address, so that a refused address does not delay the others.
std::shared_ptr<ports::Channel> make_mail(Resources resources, MailSettings settings);

/// What the receiver of a webhook accepts: the notice's own JSON, or a message for people as Slack or Teams show it.
enum class WebhookFormat { json, slack, teams };

struct WebhookSettings {
  base::Url url;
  WebhookFormat format = WebhookFormat::json;
  std::string host{};  ///< the machine's name, for messages to people
};
/// With its ID as `Idempotency-Key`. Delivered if the status is 200 to 299. As JSON every notice; to people warnings
/// alone, as by mail, because a cycle that fails would be reported twice otherwise.
std::shared_ptr<ports::Channel> make_webhook(Resources resources, WebhookSettings settings);

/// GET after each complete cycle; after any other, with "/fail" appended to the path. Only the newest cycle is
/// reported.
std::shared_ptr<ports::Channel> make_heartbeat(Resources resources, base::Url url);

struct HookSettings {
  std::string name;  ///< the channel's name
  std::vector<std::string> command;
  std::vector<core::Topic> on;
  std::chrono::milliseconds timeout = std::chrono::hours(1);
  std::string directory;                  ///< the mirror's directory: VTMIRROR_DIRECTORY
  std::chrono::milliseconds patience{0};  ///< how long it may continue after the stop signal
  friend bool operator==(const HookSettings&, const HookSettings&) = default;
};
/// Runs the operator's program without a shell: the notice's JSON on stdin, its fields as VTMIRROR_*. Notices are
/// delivered in order, one at a time. While a process of an earlier attempt still runs, the notice is not tried again.
std::shared_ptr<ports::Channel> make_hook(Resources resources, HookSettings settings);

}  // namespace vtmirror::notify
