// The channels that the settings name, and the outbox that serves them beside a daemon or behind a cycle.
// Promises that a channel's name holds no secret, stays the same as long as its receiver does, and begins with its
// kind.
#pragma once

#include "vtmirror/agent/agent.hpp"
#include "vtmirror/agent/outbox.hpp"
#include "vtmirror/notify/channels.hpp"
#include "vtmirror/settings/config.hpp"

#include <boost/asio/io_context.hpp>

#include <memory>
#include <optional>
#include <vector>

namespace vtmirror::wiring {

struct ChannelSettings {
  std::vector<notify::MailSettings> mail;  ///< one for each address
  std::optional<base::Url> webhook;
  std::optional<base::Url> heartbeat;
  std::vector<notify::HookSettings> hooks;
};
ChannelSettings channel_settings(const settings::Config& config);

/// Mail to each address, webhook, heartbeat, hooks; in this order.
agent::Channels make_channels(const notify::Parts& parts, const settings::Config& config);

/// A network for channels: what the settings say of certificates and proxies counts, and their addresses may be plain
/// http. Errors: config, tls.
base::Result<std::unique_ptr<ports::Http>> channel_http(boost::asio::io_context& loop, ports::Stop& stop,
                                                        const settings::Config& config);

class Telling {
 public:
  /// `parts` as the agent has them; its catalogue wakes the outbox. Errors: config, tls.
  static base::Result<std::unique_ptr<Telling>> open(boost::asio::io_context& loop, agent::Parts parts,
                                                     const settings::Config& config);
  ~Telling();
  Telling(const Telling&) = delete;
  Telling& operator=(const Telling&) = delete;

  agent::Outbox& outbox() { return *outbox_; }
  void take(const settings::Config& config) { outbox_->take(make_channels(channel_parts(), config)); }

 private:
  explicit Telling(agent::Parts parts) : parts_(parts) {}
  notify::Parts channel_parts() {
    return {parts_.loop, parts_.pool.get_executor(), *http_, parts_.journal, parts_.stop};
  }

  agent::Parts parts_;
  std::unique_ptr<ports::Http> http_;
  std::unique_ptr<agent::Outbox> outbox_;
};

}  // namespace vtmirror::wiring
