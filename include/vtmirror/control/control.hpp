// The control socket: HTTP/1.1 over a Unix socket (vtmirror-api(7)); metrics on a loopback port and the status page on
// an address, if they are configured. Promises that no client, however slow, silent or hostile, delays the loop or
// another client. Never decides what the answers are.
#pragma once

#include "vtmirror/base/result.hpp"
#include "vtmirror/ports/clock.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::control {

/// Answers the requests; implemented by the running daemon. Called on the loop's thread. Must outlive the loop's last
/// run, because an answer that is pending at the stop is still finished there. An error becomes the status that its
/// code stands for (vtmirror-api(7)): locked while the daemon is starting; catalogue and io if the catalogue cannot be
/// read.
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
  virtual boost::asio::awaitable<base::Result<std::string>> calendar(int days) = 0;  ///< of the newest `days` days
  /// The status page, with the week of that day in detail: the newest week if the day is empty.
  virtual boost::asio::awaitable<base::Result<std::string>> page(std::optional<base::Date> day) = 0;
  /// A file of the status page, such as "/style.css". Both views stay valid.
  struct Asset {
    std::string_view type{};  ///< for Content-Type
    std::string_view bytes{};
  };
  virtual std::optional<Asset> asset(std::string_view path) = 0;  ///< empty: no such file
  /// JSON of GET /v1/plan. May take as long as the service takes to answer. Errors: also those of a listing.
  virtual boost::asio::awaitable<base::Result<std::string>> plan() = 0;
  virtual boost::asio::awaitable<base::Result<std::string>> removals() = 0;  ///< JSON of GET /v1/prune
  virtual boost::asio::awaitable<base::Result<std::string>> prune() = 0;     ///< removes, and says what was removed
  /// What a consumer loads next. `may_change`: it is recorded and kept for it; otherwise it is only shown.
  virtual boost::asio::awaitable<base::Result<std::string>> next(std::string consumer, bool may_change) = 0;
  virtual boost::asio::awaitable<base::Result<std::string>> consumers() = 0;  ///< JSON of GET /v1/consumers
  /// Whether the chain is complete through a day, now: the JSON of GET /v1/wait.
  struct ChainLook {
    base::Date day{};
    bool complete = false;
    std::string json{};
  };
  /// Through the newest day whose delta is due, if the day is empty.
  virtual base::Result<ChainLook> look_at_chain(std::optional<base::Date> day) = 0;
  /// A change that consumers ask for: the JSON of the answer, or why it was refused.
  struct Outcome {
    std::string json{};
    std::string refusal{};  ///< empty: done
  };
  virtual boost::asio::awaitable<base::Result<Outcome>> acknowledge(std::string consumer, std::string ticket) = 0;
  virtual boost::asio::awaitable<base::Result<Outcome>> forget(std::string consumer) = 0;
  /// JSON of POST /v1/sync, with the number of the started cycle, or of the one that already runs. Its event `cycle`
  /// carries the same number.
  virtual boost::asio::awaitable<base::Result<std::string>> start_cycle() = 0;
  /// Reads held files again: those that `names` select, or all, at that rate at most (0: none). JSON of POST
  /// /v1/verify, with the number of the verification; its events carry the same one. Errors: config, for a name that
  /// selects no file; locked, while another one is not finished.
  virtual boost::asio::awaitable<base::Result<std::string>> start_verification(std::vector<std::string> names,
                                                                               std::int64_t bytes_a_second) = 0;
  /// JSON of POST /v1/reload. Errors: config, with every mistake; the old settings stay in use.
  virtual base::Result<std::string> reload() = 0;
};

struct ControlSettings {
  std::string socket;   ///< path; its directory must exist
  std::string group;    ///< the group that may connect; "" for only root and the daemon's user
  std::string metrics;  ///< such as "127.0.0.1:9464"; "" for none
  std::string web{};    ///< of the status page, such as "127.0.0.1:9465"; "" for none
  friend bool operator==(const ControlSettings&, const ControlSettings&) = default;
};

/// Must be destroyed before the loop and the stop. When destroyed or stopped, it closes all connections and removes
/// the socket's file.
class Server {
 public:
  virtual ~Server() = default;
  /// Sends an event to every follower of GET /v1/events. A follower that is too slow is disconnected.
  virtual void publish(const std::string& event, const std::string& json) = 0;
  virtual int followers() const = 0;  ///< connections that follow GET /v1/events
};

/// Listens. Replaces a stale socket file. Errors: locked if another process listens at the path, which is named; io;
/// config (no such group, no such address).
base::Result<std::unique_ptr<Server>> serve(boost::asio::io_context& loop, ports::Stop& stop, ControlSettings settings,
                                            Answers& answers);

/// Why this process could not listen at an address of the settings, as an errno; 0 if it could, if a process listens
/// there now, or if the address is empty. Listens to nothing.
int listening_error(const std::string& address);

}  // namespace vtmirror::control
