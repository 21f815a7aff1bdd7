// The notification channels of the settings, and the outbox that delivers to them, in a daemon or after a cycle.
// Promises that a channel's name contains no secret, does not change while its receiver stays the same, and begins
// with its kind.
#pragma once

#include "vtmirror/agent/agent.hpp"
#include "vtmirror/agent/outbox.hpp"
#include "vtmirror/notify/channels.hpp"
#include "vtmirror/settings/config.hpp"
#include "vtmirror/settings/load.hpp"

#include <boost/asio/io_context.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

namespace vtmirror::wiring {

struct ChannelSettings {
  std::vector<notify::MailSettings> mail;  ///< one for each address
  std::optional<notify::WebhookSettings> webhook;
  std::optional<base::Url> heartbeat;
  std::vector<notify::HookSettings> hooks;
};
ChannelSettings channel_settings(const settings::Config& config);

/// A channel for each mail address, then the webhook, the heartbeat and the hooks, which have `hook_grace` to end by
/// themselves after the stop.
agent::Channels make_channels(const notify::Resources& resources, const settings::Config& config,
                              std::chrono::seconds hook_grace = {});

/// VTMIRROR_HOOK_GRACE, which the unit sets; without it none. Errors: config.
base::Result<std::chrono::seconds> hook_grace(const settings::Environment& environment);

/// HTTP for the channels, with the certificates and proxies of the settings. Unlike the service's, a channel's address
/// may be plain http. Errors: config, tls.
base::Result<std::unique_ptr<ports::Http>> channel_http(boost::asio::io_context& loop, ports::Stop& stop,
                                                        const settings::Config& config);

class Notifications {
 public:
  /// `parts` are those of the agent; its catalogue wakes the outbox. Errors: config, tls.
  static base::Result<std::unique_ptr<Notifications>> open(boost::asio::io_context& loop, agent::Ports parts,
                                                           const settings::Config& config,
                                                           std::chrono::seconds hook_grace = {});
  ~Notifications();
  Notifications(const Notifications&) = delete;
  Notifications& operator=(const Notifications&) = delete;

  agent::Outbox& outbox() { return *outbox_; }
  void use(const settings::Config& config) { outbox_->use(channels(config)); }
  /// New ones, for what cannot go by the outbox. They must not outlive this.
  agent::Channels channels(const settings::Config& config) {
    return make_channels(channel_parts(), config, hook_grace_);
  }

 private:
  Notifications(agent::Ports parts, std::chrono::seconds hook_grace) : parts_(parts), hook_grace_(hook_grace) {}
  notify::Resources channel_parts() {
    return {parts_.loop, parts_.pool.get_executor(), *http_, parts_.journal, parts_.stop};
  }

  agent::Ports parts_;
  std::chrono::seconds hook_grace_;
  std::unique_ptr<ports::Http> http_;
  std::unique_ptr<agent::Outbox> outbox_;
};

}  // namespace vtmirror::wiring
