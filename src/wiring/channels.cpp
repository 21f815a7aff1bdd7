#include "vtmirror/wiring/channels.hpp"

#include "vtmirror/base/text.hpp"
#include "vtmirror/base/url.hpp"
#include "vtmirror/host/local_time.hpp"
#include "vtmirror/net/http.hpp"
#include "vtmirror/report/days.hpp"
#include "vtmirror/wiring/agent_settings.hpp"

#include <boost/asio/post.hpp>

#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <set>
#include <utility>

namespace vtmirror::wiring {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : "localhost";
}

/// FNV-1a over the whole command: hooks with the same program and different arguments are different channels, whatever
/// their order in the settings, and no argument, which may be secret, shows in a name.
std::string fingerprint(const settings::Texts& command) {
  std::uint32_t hash = 2166136261U;
  for (const auto& argument : command)
    for (const char byte : argument + '\0') hash = (hash ^ static_cast<unsigned char>(byte)) * 16777619U;
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%08x", static_cast<unsigned>(hash));
  return text.data();
}

std::string hook_name(const settings::Texts& command, std::set<std::string>& taken) {
  const auto& program = command.front();
  const auto name = "hook " + program.substr(program.rfind('/') + 1) + ' ' + fingerprint(command);
  auto unique = name;
  for (int n = 2; !taken.insert(unique).second; ++n) unique = name + " #" + std::to_string(n);
  return unique;
}

std::vector<core::Topic> topics(const settings::Texts& words) {
  std::vector<core::Topic> all;
  for (const auto topic : core::subscribable)
    for (const auto& word : words)
      if (word == core::name(topic)) all.push_back(topic);
  return all;
}

notify::WebhookFormat format_of(const std::string& word) {
  switch (settings::chosen<settings::WebhookFormat>(word, settings::webhook_formats)) {
    case settings::WebhookFormat::slack:
      return notify::WebhookFormat::slack;
    case settings::WebhookFormat::teams:
      return notify::WebhookFormat::teams;
    case settings::WebhookFormat::json:
      break;
  }
  return notify::WebhookFormat::json;
}

/// By the same clock as the log and the status. TZ does not change while the program runs.
notify::LocalTimes machine_times() {
  return {"", [](base::Time time) { return report::local_time_with_offset(time, &host::utc_offset); }};
}

}  // namespace

ChannelSettings channel_settings(const settings::Config& config) {
  ChannelSettings settings;
  const auto& set = config.notify;
  // An address that is listed twice is one receiver.
  for (const auto& address : std::set<std::string>(set.mail_to.begin(), set.mail_to.end()))
    settings.mail.push_back(
        {.program = set.sendmail, .from = set.mail_from, .to = address, .host = host_name(), .times = machine_times()});
  if (!set.webhook.empty())
    settings.webhook = {base::parse_url(set.webhook).value(), format_of(set.webhook_format), host_name()};
  if (!set.heartbeat.empty()) settings.heartbeat = base::parse_url(set.heartbeat).value();
  std::set<std::string> names;
  for (const auto& hook : config.hooks)
    settings.hooks.push_back({.name = hook_name(hook.command, names),
                              .command = hook.command,
                              .on = topics(hook.on),
                              .timeout = hook.timeout,
                              .directory = config.mirror.directory});
  return settings;
}

base::Result<std::chrono::seconds> hook_grace(const settings::Environment& environment) {
  const std::string name = "VTMIRROR_HOOK_GRACE";
  const auto text = environment(name);
  if (!text || text->empty()) return std::chrono::seconds(0);
  auto grace = base::parse_duration(*text);
  if (grace) return grace;
  return base::Error{base::Errc::config,
                     name + ": must be a duration (\"80s\", \"30m\"), not \"" + base::printable(*text, 40) + '"'};
}

agent::Channels make_channels(const notify::Resources& resources, const settings::Config& config,
                              std::chrono::seconds hook_grace) {
  const auto settings = channel_settings(config);
  agent::Channels all;
  for (const auto& mail : settings.mail) all.push_back(notify::make_mail(resources, mail));
  if (settings.webhook) all.push_back(notify::make_webhook(resources, *settings.webhook));
  if (settings.heartbeat) all.push_back(notify::make_heartbeat(resources, *settings.heartbeat));
  for (auto hook : settings.hooks) {
    hook.patience = hook_grace;
    all.push_back(notify::make_hook(resources, std::move(hook)));
  }
  return all;
}

base::Result<std::unique_ptr<ports::Http>> channel_http(boost::asio::io_context& loop, ports::Stop& stop,
                                                        const settings::Config& config) {
  auto settings = http_settings(config);
  settings.allow_http = true;
  return net::make_http(loop, stop, std::move(settings));
}

base::Result<std::unique_ptr<Notifications>> Notifications::open(boost::asio::io_context& loop, agent::Ports parts,
                                                                 const settings::Config& config,
                                                                 std::chrono::seconds hook_grace) {
  auto http = channel_http(loop, parts.stop, config);
  if (http.has_error()) return http.error();
  std::unique_ptr<Notifications> notifications(new Notifications(parts, hook_grace));
  notifications->http_ = std::move(*http);
  const agent::Outbox::Ports needed{parts.loop, parts.clock, parts.journal, parts.stop, parts.catalogue};
  notifications->outbox_ =
      std::make_unique<agent::Outbox>(needed, make_channels(notifications->channel_parts(), config, hook_grace));
  // Called on a thread of the pool.
  parts.catalogue.catalogue().on_queued([executor = parts.loop, outbox = notifications->outbox_.get()] {
    boost::asio::post(executor, [outbox] { outbox->wake(); });
  });
  return notifications;
}

Notifications::~Notifications() { parts_.catalogue.catalogue().on_queued({}); }

}  // namespace vtmirror::wiring
