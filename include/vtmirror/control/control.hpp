// The control socket: HTTP/1.1 over a Unix socket (vtmirror-api(7)), and metrics on a loopback port where that is asked
// for. Promises that no client, however slow, silent or hostile, holds up the loop or another client. Never decides
// what the answers are.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/ports/stop.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace vtmirror::control {

/// What the socket is asked, answered by whoever runs the daemon. Called on the loop's thread; must outlive the loop's
/// last run, since an answer that is under way when the stop comes still ends there.
class Answers {
 public:
  virtual ~Answers() = default;
  virtual std::string status() = 0;        ///< JSON of GET /v1/status
  virtual std::string status_table() = 0;  ///< what `vtmirror status` prints, for the plain line `status`
  virtual std::string metrics() = 0;       ///< Prometheus text
  virtual boost::asio::awaitable<base::Result<std::string>> files() = 0;
  virtual boost::asio::awaitable<base::Result<std::string>> coverage() = 0;
  virtual boost::asio::awaitable<base::Result<std::string>> history(int newest) = 0;
  virtual boost::asio::awaitable<base::Result<std::string>> changes(std::int64_t since) = 0;
  virtual boost::asio::awaitable<base::Result<std::string>> plan() = 0;  ///< may take as long as the service does
  /// Which of the daemon's cycles it will be: the next one, or the one that runs. Its event `cycle` says the same.
  virtual base::Result<std::int64_t> start_cycle() = 0;
  virtual base::Result<void> reload() = 0;  ///< Errors: config, with every mistake; the old settings stay
};

struct ControlSettings {
  std::string socket;   ///< path; its directory must exist
  std::string group;    ///< may ask ("" for nobody else)
  std::string metrics;  ///< "127.0.0.1:9464", "" for none
  friend bool operator==(const ControlSettings&, const ControlSettings&) = default;
};

/// Goes before the loop and the stop do. Going, or at the stop, it hangs up on everybody and removes its file.
class Server {
 public:
  virtual ~Server() = default;
  /// A server-sent event to all who follow GET /v1/events; a follower that is too slow is let go.
  virtual void publish(const std::string& event, const std::string& json) = 0;
  virtual int followers() const = 0;
};

/// Listens. A stale socket file is replaced; a live one is `locked`, naming the path. Errors: io, config (no such
/// group, no such address).
base::Result<std::unique_ptr<Server>> serve(boost::asio::io_context& loop, ports::Stop& stop, ControlSettings settings,
                                            Answers& answers);

}  // namespace vtmirror::control
