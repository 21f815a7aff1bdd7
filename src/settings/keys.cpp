#include "vtmirror/settings/keys.hpp"

#include "settings/checks.hpp"

#include <array>
#include <cstdio>
#include <string_view>
#include <utility>

// The address of a setting in its owner, for `Key::place`.
#define VTMIRROR_AT(Owner, member) +[](Owner& owner) -> decltype((owner.member)) { return owner.member; }
#define VTMIRROR_PATH(Owner, member)                           \
  PathOf<Owner> {                                              \
    +[](Owner& owner) -> std::string& { return owner.member; } \
  }
// A check over the whole configuration, `c`.
#define VTMIRROR_CHECK(expression) +[]([[maybe_unused]] const Config& c) -> std::string { return check::expression; }

namespace vtmirror::settings {
namespace {

using K = Key<Config>;

const std::array all_config_keys{
    K{"service", "base_url", VTMIRROR_AT(Config, service.base_url), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(base_address(c.service.base_url, c.service.listing_path, c.service.allow_http))},
    K{"service", "token_url", VTMIRROR_AT(Config, service.token_url), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(required_address(c.service.token_url, c.service.allow_http))},
    K{"service", "scope", VTMIRROR_AT(Config, service.scope), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(scope(c.service.scope))},
    K{"service", "listing_path", VTMIRROR_AT(Config, service.listing_path), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(request_path(c.service.listing_path))},
    K{"service", "credentials_path", VTMIRROR_AT(Config, service.credentials_path), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(request_path(c.service.credentials_path))},
    K{"service", "credentials_method", VTMIRROR_AT(Config, service.credentials_method), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(one_of(c.service.credentials_method, {"PUT", "POST"}))},
    K{"service", "credentials_key_property", VTMIRROR_AT(Config, service.credentials_key_property), Shown::plain,
      Read::at_reload, VTMIRROR_CHECK(required(c.service.credentials_key_property))},
    K{"service", "ca_file", VTMIRROR_PATH(Config, service.ca_file), Shown::plain, Read::at_start,
      VTMIRROR_CHECK(path(c.service.ca_file))},
    K{"service", "proxy", VTMIRROR_AT(Config, service.proxy), Shown::masked, Read::at_start,
      VTMIRROR_CHECK(proxy(c.service.proxy))},
    K{"service", "no_proxy", VTMIRROR_AT(Config, service.no_proxy), Shown::plain, Read::at_start,
      VTMIRROR_CHECK(no_proxy(c.service.no_proxy))},
    K{"service", "allow_http", VTMIRROR_AT(Config, service.allow_http), Shown::plain, Read::at_start, nullptr},

    K{"credentials", "client_id", VTMIRROR_AT(Config, credentials.client_id), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(required(c.credentials.client_id))},
    K{"credentials", "email", VTMIRROR_AT(Config, credentials.email), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(email(c.credentials.email, c.credentials.auto_rotate))},
    K{"credentials", "client_secret_file", VTMIRROR_PATH(Config, credentials.client_secret_file), Shown::plain,
      Read::at_reload, VTMIRROR_CHECK(path(c.credentials.client_secret_file))},
    K{"credentials", "api_key_file", VTMIRROR_PATH(Config, credentials.api_key_file), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(path(c.credentials.api_key_file))},
    K{"credentials", "secret_expires_on", VTMIRROR_AT(Config, credentials.secret_expires_on), Shown::plain,
      Read::at_reload, nullptr},
    K{"credentials", "warn_days", VTMIRROR_AT(Config, credentials.warn_days), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(warn_days(c.credentials.warn_days, c.credentials.auto_rotate))},
    K{"credentials", "auto_rotate", VTMIRROR_AT(Config, credentials.auto_rotate), Shown::plain, Read::at_reload,
      nullptr},

    K{"schedule", "at", VTMIRROR_AT(Config, schedule.at), Shown::plain, Read::at_reload, nullptr},
    K{"schedule", "time_zone", VTMIRROR_AT(Config, schedule.time_zone), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(time_zone(c.schedule.time_zone))},
    K{"schedule", "splay", VTMIRROR_AT(Config, schedule.splay), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(within(c.schedule.splay, std::chrono::seconds(0), std::chrono::hours(12)))},
    K{"schedule", "retry", VTMIRROR_AT(Config, schedule.retry), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(within(c.schedule.retry, std::chrono::seconds(1), std::chrono::hours(24)))},
    K{"schedule", "give_up", VTMIRROR_AT(Config, schedule.give_up), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(within(c.schedule.give_up, std::chrono::seconds(1), std::chrono::hours(24)))},

    K{"mirror", "state_directory", VTMIRROR_PATH(Config, mirror.state_directory), Shown::plain, Read::at_start,
      VTMIRROR_CHECK(path(c.mirror.state_directory))},
    K{"mirror", "directory", VTMIRROR_PATH(Config, mirror.directory), Shown::plain, Read::at_start,
      VTMIRROR_CHECK(path(c.mirror.directory))},
    K{"mirror", "catalogue", VTMIRROR_PATH(Config, mirror.catalogue), Shown::plain, Read::at_start,
      VTMIRROR_CHECK(file_path(c.mirror.catalogue))},
    K{"mirror", "reserve", VTMIRROR_AT(Config, mirror.reserve), Shown::plain, Read::at_reload, nullptr},
    K{"mirror", "keep_cycles", VTMIRROR_AT(Config, mirror.keep_cycles), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(within(c.mirror.keep_cycles, 0, 10'000))},
    K{"mirror", "verify", VTMIRROR_AT(Config, mirror.verify), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(one_of(c.mirror.verify, verify_words))},
    K{"mirror", "scrub", VTMIRROR_AT(Config, mirror.scrub), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(scrub(c.mirror.scrub))},
    K{"mirror", "quarantine", VTMIRROR_AT(Config, mirror.quarantine), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(within(c.mirror.quarantine, std::chrono::seconds(0), std::chrono::days(3650)))},
    K{"mirror", "digest", VTMIRROR_AT(Config, mirror.digest), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(one_of(c.mirror.digest, digest_words))},

    K{"download", "parallel_files", VTMIRROR_AT(Config, download.parallel_files), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(within(c.download.parallel_files, 1, 64))},
    K{"download", "connections", VTMIRROR_AT(Config, download.connections), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(within(c.download.connections, 0, 64))},
    K{"download", "connections_max", VTMIRROR_AT(Config, download.connections_max), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(within(c.download.connections_max, 1, 64))},
    K{"download", "rate_limit", VTMIRROR_AT(Config, download.rate_limit), Shown::plain, Read::at_reload, nullptr},
    K{"download", "rate_timetable", VTMIRROR_AT(Config, download.rate_timetable), Shown::plain, Read::at_reload,
      nullptr},
    K{"download", "stall_timeout", VTMIRROR_AT(Config, download.stall_timeout), Shown::plain, Read::at_start,
      VTMIRROR_CHECK(within(c.download.stall_timeout, std::chrono::seconds(1), std::chrono::hours(1)))},
    K{"download", "attempts", VTMIRROR_AT(Config, download.attempts), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(within(c.download.attempts, 1, 1000))},

    K{"consumers", "lease", VTMIRROR_AT(Config, consumers.lease), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(within(c.consumers.lease, std::chrono::seconds(1), std::chrono::days(3650)))},
    K{"consumers", "reload_every", VTMIRROR_AT(Config, consumers.reload_every), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(within(c.consumers.reload_every, std::chrono::seconds(0), std::chrono::days(3650)))},
    K{"consumers", "strict", VTMIRROR_AT(Config, consumers.strict), Shown::plain, Read::at_reload, nullptr},
    K{"consumers", "forget", VTMIRROR_AT(Config, consumers.forget), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(within(c.consumers.forget, std::chrono::seconds(1), std::chrono::days(3650)))},

    K{"control", "socket", VTMIRROR_PATH(Config, control.socket), Shown::plain, Read::at_start,
      VTMIRROR_CHECK(socket(c.control.socket))},
    K{"control", "group", VTMIRROR_AT(Config, control.group), Shown::plain, Read::at_start, nullptr},
    K{"control", "metrics", VTMIRROR_AT(Config, control.metrics), Shown::plain, Read::at_start,
      VTMIRROR_CHECK(listen_address(c.control.metrics))},
    K{"control", "web", VTMIRROR_AT(Config, control.web), Shown::plain, Read::at_start,
      VTMIRROR_CHECK(web_listen_address(c.control.web, c.control.metrics))},

    K{"notify", "mail_to", VTMIRROR_AT(Config, notify.mail_to), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(mail_addresses(c.notify.mail_to))},
    K{"notify", "mail_from", VTMIRROR_AT(Config, notify.mail_from), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(email(c.notify.mail_from, false))},
    K{"notify", "sendmail", VTMIRROR_PATH(Config, notify.sendmail), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(sendmail(c.notify.sendmail, c.notify.mail_to))},
    K{"notify", "webhook", VTMIRROR_AT(Config, notify.webhook), Shown::masked, Read::at_reload,
      VTMIRROR_CHECK(web_address(c.notify.webhook))},
    K{"notify", "webhook_format", VTMIRROR_AT(Config, notify.webhook_format), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(one_of(c.notify.webhook_format, webhook_formats))},
    K{"notify", "heartbeat", VTMIRROR_AT(Config, notify.heartbeat), Shown::masked, Read::at_reload,
      VTMIRROR_CHECK(web_address(c.notify.heartbeat))},
};

const std::array all_hook_keys{
    Key<Hook>{"hook", "on", VTMIRROR_AT(Hook, on), Shown::plain, Read::at_reload,
              +[](const Hook& hook) { return check::hook_events(hook.on); }},
    Key<Hook>{"hook", "command", VTMIRROR_AT(Hook, command), Shown::masked, Read::at_reload,
              +[](const Hook& hook) { return check::command(hook.command); }},
    Key<Hook>{"hook", "timeout", VTMIRROR_AT(Hook, timeout), Shown::plain, Read::at_reload,
              +[](const Hook& hook) {
                return check::within(hook.timeout, std::chrono::seconds(1), std::chrono::hours(24 * 7));
              }},
};

constexpr std::string_view all_tables[] = {"service",   "credentials", "schedule", "mirror", "download",
                                           "consumers", "control",     "notify",   "hook"};

}  // namespace

std::span<const Key<Config>> config_keys() { return all_config_keys; }
std::span<const Key<Hook>> hook_keys() { return all_hook_keys; }
std::span<const std::string_view> config_tables() { return all_tables; }

std::vector<std::string> keys_needing_restart(Config running, Config read) {
  std::vector<std::string> changed;
  for (const auto& key : config_keys()) {
    const bool same = std::visit([&](auto place) { return place(running) == place(read); }, key.place);
    if (key.read == Read::at_start && !same) changed.push_back(key.path());
  }
  return changed;
}

namespace {

/// The number in the largest unit that divides it, so that it reads back unchanged.
template <std::size_t N>
std::string in_units(std::int64_t number, const std::array<std::pair<std::int64_t, std::string_view>, N>& units) {
  for (const auto& [size, unit] : units) {
    if (number != 0 && number % size == 0) return std::to_string(number / size) + std::string(unit);
  }
  return std::to_string(number);
}

constexpr std::array<std::pair<std::int64_t, std::string_view>, 9> size_units{{
    {std::int64_t{1} << 40, "TiB"},
    {std::int64_t{1} << 30, "GiB"},
    {std::int64_t{1} << 20, "MiB"},
    {1'000'000'000'000, "TB"},
    {1'000'000'000, "GB"},
    {1'000'000, "MB"},
    {1024, "KiB"},
    {1000, "KB"},
    {1, "B"},
}};
constexpr std::array<std::pair<std::int64_t, std::string_view>, 4> duration_units{
    {{86'400, "d"}, {3'600, "h"}, {60, "m"}, {1, "s"}}};

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04X", static_cast<unsigned>(static_cast<unsigned char>(c)));
      out += escape;
    } else {
      out += c;
    }
  }
  return out + '"';
}

template <class List>
std::string list(const List& items) {
  std::string out = "[";
  for (const auto& item : items) {
    if (out.size() > 1) out += ", ";
    out += spell(item);
  }
  return out + ']';
}

}  // namespace

std::string spell(const std::string& text) { return quoted(text); }
std::string spell(bool flag) { return flag ? "true" : "false"; }
std::string spell(int number) { return std::to_string(number); }
std::string spell(Size size) { return quoted(in_units(size.bytes, size_units)); }

namespace {

std::string rate_text(std::int64_t bytes_a_second) {
  const auto bytes = in_units(bytes_a_second, size_units);
  return bytes_a_second == 0 ? bytes : bytes + "/s";
}

std::string time_text(std::chrono::minutes since_midnight) {
  char text[16];
  std::snprintf(text, sizeof text, "%02d:%02d", static_cast<int>(since_midnight.count() / 60),
                static_cast<int>(since_midnight.count() % 60));
  return text;
}

/// "Mon-Fri", "Sat,Sun"
std::string days_text(const std::array<bool, 7>& days) {
  std::string text;
  for (std::size_t first = 0; first < days.size(); ++first) {
    if (!days.at(first)) continue;
    auto last = first;
    while (last + 1 < days.size() && days.at(last + 1)) ++last;
    if (!text.empty()) text += ',';
    text += day_names.at(first);
    if (last > first) text += (last == first + 1 ? ',' : '-') + std::string(day_names.at(last));
    first = last;
  }
  return text;
}

}  // namespace

std::string spell(Rate rate) { return quoted(rate_text(rate.bytes_a_second)); }

std::string spell(const core::RatePeriod& period) {
  auto text = days_text(period.days) + ' ';
  const bool all_day = period.from.count() == 0 && period.until == std::chrono::hours(24);
  if (!all_day) text += time_text(period.from) + '-' + time_text(period.until) + ' ';
  return quoted(text + rate_text(period.bytes_a_second));
}
std::string spell(const RateTable& periods) { return list(periods); }

std::string spell(std::chrono::seconds duration) {
  return quoted(duration.count() == 0 ? "0s" : in_units(duration.count(), duration_units));
}

std::string spell(TimeOfDay time) {
  return quoted(time_text(std::chrono::hours(time.hour) + std::chrono::minutes(time.minute)));
}

std::string spell(const std::optional<base::Date>& date) { return quoted(date ? base::iso8601(*date) : ""); }
std::string spell(const Texts& texts) { return list(texts); }
std::string spell(const Numbers& numbers) { return list(numbers); }

}  // namespace vtmirror::settings
