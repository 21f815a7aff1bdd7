// The ways to tell somebody that this program knows: mail, webhook, hook, heartbeat. One factory each.
// Promises that children get no secret of ours, that every one of them ends with its time or with the stop signal, and
// that nothing here holds up the loop. Never tries twice by itself.
#pragma once

#include "vtmirror/base/url.hpp"
#include "vtmirror/ports/channel.hpp"
#include "vtmirror/ports/http.hpp"
#include "vtmirror/ports/journal.hpp"
#include "vtmirror/ports/stop.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace vtmirror::notify {

/// Borrowed; all of it outlives the channels.
struct Parts {
  boost::asio::any_io_executor loop;      ///< run by one thread
  boost::asio::any_io_executor blocking;  ///< threads for what blocks: starting a program
  ports::Http& http;
  ports::Journal& journal;
  ports::Stop& stop;
};

struct MailSettings {
  std::string program;  ///< takes what sendmail takes: -i, -f, --, addresses, the message on stdin
  std::string from;     ///< empty: the program's own
  std::string to;
  std::string host;  ///< the machine's name, for the subject
  std::chrono::milliseconds timeout = std::chrono::minutes(2);
  friend bool operator==(const MailSettings&, const MailSettings&) = default;
};
/// Warnings alone, to one address, so that one which is refused does not hold up the others.
std::shared_ptr<ports::Channel> make_mail(Parts parts, MailSettings settings);

/// Everything, as JSON, with the notice's id as `Idempotency-Key`. Only a status of 200 to 299 is taken for an answer.
std::shared_ptr<ports::Channel> make_webhook(Parts parts, base::Url url);

/// GET after each complete cycle; after another one, with "/fail" behind the path. The newest cycle alone counts.
std::shared_ptr<ports::Channel> make_heartbeat(Parts parts, base::Url url);

struct HookSettings {
  std::string name;  ///< of the channel
  std::vector<std::string> command;
  std::vector<core::Topic> on;
  std::chrono::milliseconds timeout = std::chrono::hours(1);
  std::string directory;  ///< of the mirror: VTMIRROR_DIRECTORY
  friend bool operator==(const HookSettings&, const HookSettings&) = default;
};
/// A program of the operator, started without a shell: the notice's JSON on stdin, its parts as VTMIRROR_*. Notices
/// come in order, one at a time; one for which a process of an earlier attempt still runs is not started again.
std::shared_ptr<ports::Channel> make_hook(Parts parts, HookSettings settings);

}  // namespace vtmirror::notify
