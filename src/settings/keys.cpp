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
      VTMIRROR_CHECK(base_address(c.service.base_url, c.service.listing_path, c.service.allow_http)),
      "Address of the service, without the path of a request"},
    K{"service", "token_url", VTMIRROR_AT(Config, service.token_url), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(required_address(c.service.token_url, c.service.allow_http)), "Address of the token issuer"},
    K{"service", "scope", VTMIRROR_AT(Config, service.scope), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(scope(c.service.scope)), "Scope of the token, ends in .default"},
    K{"service", "listing_path", VTMIRROR_AT(Config, service.listing_path), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(request_path(c.service.listing_path)), "Path of the listing below base_url"},
    K{"service", "credentials_path", VTMIRROR_AT(Config, service.credentials_path), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(request_path(c.service.credentials_path)), "Path of the request for a new secret below base_url"},
    K{"service", "credentials_method", VTMIRROR_AT(Config, service.credentials_method), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(one_of(c.service.credentials_method, {"PUT", "POST"})), "Method of that request"},
    K{"service", "credentials_key_property", VTMIRROR_AT(Config, service.credentials_key_property), Shown::plain,
      Read::at_reload, VTMIRROR_CHECK(required(c.service.credentials_key_property)),
      "Name of the API key in that request"},
    K{"service", "ca_file", VTMIRROR_PATH(Config, service.ca_file), Shown::plain, Read::at_start,
      VTMIRROR_CHECK(path(c.service.ca_file)), "Further trusted certificates, PEM"},
    K{"service", "proxy", VTMIRROR_AT(Config, service.proxy), Shown::masked, Read::at_start,
      VTMIRROR_CHECK(proxy(c.service.proxy)), "HTTP proxy; empty: HTTPS_PROXY and NO_PROXY"},
    K{"service", "no_proxy", VTMIRROR_AT(Config, service.no_proxy), Shown::plain, Read::at_start,
      VTMIRROR_CHECK(no_proxy(c.service.no_proxy)), "Hosts reached without a proxy; loopback always is"},
    K{"service", "allow_http", VTMIRROR_AT(Config, service.allow_http), Shown::plain, Read::at_start, nullptr,
      "Plain http, for loopback tests only"},

    K{"credentials", "client_id", VTMIRROR_AT(Config, credentials.client_id), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(required(c.credentials.client_id)), "Client ID issued at registration"},
    K{"credentials", "email", VTMIRROR_AT(Config, credentials.email), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(email(c.credentials.email, c.credentials.auto_rotate)), "Registered address, for a new secret"},
    K{"credentials", "client_secret_file", VTMIRROR_PATH(Config, credentials.client_secret_file), Shown::plain,
      Read::at_reload, VTMIRROR_CHECK(path(c.credentials.client_secret_file)), "File that holds the client secret"},
    K{"credentials", "api_key_file", VTMIRROR_PATH(Config, credentials.api_key_file), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(path(c.credentials.api_key_file)), "File that holds the API key"},
    K{"credentials", "secret_expires_on", VTMIRROR_AT(Config, credentials.secret_expires_on), Shown::plain,
      Read::at_reload, nullptr, "Day on which the secret expires"},
    K{"credentials", "warn_days", VTMIRROR_AT(Config, credentials.warn_days), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(warn_days(c.credentials.warn_days, c.credentials.auto_rotate)),
      "Days before the expiry on which to warn, largest first"},
    K{"credentials", "auto_rotate", VTMIRROR_AT(Config, credentials.auto_rotate), Shown::plain, Read::at_reload,
      nullptr, "Ask for a new secret at the last warning"},

    K{"schedule", "at", VTMIRROR_AT(Config, schedule.at), Shown::plain, Read::at_reload, nullptr,
      "When a day's cycle starts"},
    K{"schedule", "time_zone", VTMIRROR_AT(Config, schedule.time_zone), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(time_zone(c.schedule.time_zone)), "IANA zone of that time"},
    K{"schedule", "splay", VTMIRROR_AT(Config, schedule.splay), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(within(c.schedule.splay, std::chrono::seconds(0), std::chrono::hours(12))),
      "Random delay after that time, at most"},
    K{"schedule", "retry", VTMIRROR_AT(Config, schedule.retry), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(within(c.schedule.retry, std::chrono::seconds(1), std::chrono::hours(24))),
      "Pause until the next try on a day without its files"},
    K{"schedule", "give_up", VTMIRROR_AT(Config, schedule.give_up), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(within(c.schedule.give_up, std::chrono::seconds(1), std::chrono::hours(24))),
      "When to stop trying until tomorrow"},

    K{"mirror", "state_directory", VTMIRROR_PATH(Config, mirror.state_directory), Shown::plain, Read::at_start,
      VTMIRROR_CHECK(path(c.mirror.state_directory)), "State; empty: $STATE_DIRECTORY, then /var/lib/vtmirror"},
    K{"mirror", "directory", VTMIRROR_PATH(Config, mirror.directory), Shown::plain, Read::at_start,
      VTMIRROR_CHECK(path(c.mirror.directory)), "The mirrored files; empty: mirror/ in the state directory"},
    K{"mirror", "catalogue", VTMIRROR_PATH(Config, mirror.catalogue), Shown::plain, Read::at_start,
      VTMIRROR_CHECK(path(c.mirror.catalogue)), "The database; empty: catalogue.db in the state directory"},
    K{"mirror", "reserve", VTMIRROR_AT(Config, mirror.reserve), Shown::plain, Read::at_reload, nullptr,
      "Free space that a download must leave"},
    K{"mirror", "keep_cycles", VTMIRROR_AT(Config, mirror.keep_cycles), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(within(c.mirror.keep_cycles, 0, 10'000)), "Newest chains to keep; 0 keeps all"},
    K{"mirror", "verify", VTMIRROR_AT(Config, mirror.verify), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(one_of(c.mirror.verify, {"size", "zip"})), "How a file is checked before it is published"},
    K{"mirror", "scrub", VTMIRROR_AT(Config, mirror.scrub), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(scrub(c.mirror.scrub)), "Read every held file again at least this often; 0 never"},
    K{"mirror", "quarantine", VTMIRROR_AT(Config, mirror.quarantine), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(within(c.mirror.quarantine, std::chrono::seconds(0), std::chrono::days(3650))),
      "How long to keep a quarantined file after it left the listing"},
    K{"mirror", "digest", VTMIRROR_AT(Config, mirror.digest), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(one_of(c.mirror.digest, {"sha256", "none"})), "Digest kept of each file"},

    K{"download", "parallel_files", VTMIRROR_AT(Config, download.parallel_files), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(within(c.download.parallel_files, 1, 64)), "Files fetched at one time"},
    K{"download", "connections", VTMIRROR_AT(Config, download.connections), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(within(c.download.connections, 0, 64)), "Connections for each file; 0 finds the best number"},
    K{"download", "connections_max", VTMIRROR_AT(Config, download.connections_max), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(within(c.download.connections_max, 1, 64)), "Connections over all files"},
    K{"download", "rate_limit", VTMIRROR_AT(Config, download.rate_limit), Shown::plain, Read::at_reload, nullptr,
      "Bytes a second over all files; 0 is none"},
    K{"download", "rate_timetable", VTMIRROR_AT(Config, download.rate_timetable), Shown::plain, Read::at_reload,
      nullptr, "Limits for parts of days, which count before rate_limit"},
    K{"download", "stall_timeout", VTMIRROR_AT(Config, download.stall_timeout), Shown::plain, Read::at_start,
      VTMIRROR_CHECK(within(c.download.stall_timeout, std::chrono::seconds(1), std::chrono::hours(1))),
      "No byte for so long breaks a connection"},
    K{"download", "attempts", VTMIRROR_AT(Config, download.attempts), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(within(c.download.attempts, 1, 1000)), "Tries for each file in one cycle"},

    K{"consumers", "lease", VTMIRROR_AT(Config, consumers.lease), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(within(c.consumers.lease, std::chrono::seconds(1), std::chrono::days(3650))),
      "How long the files of an unacknowledged answer are kept"},
    K{"consumers", "reload_every", VTMIRROR_AT(Config, consumers.reload_every), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(within(c.consumers.reload_every, std::chrono::seconds(0), std::chrono::days(3650))),
      "A bulk load at least this often; 0 never"},
    K{"consumers", "strict", VTMIRROR_AT(Config, consumers.strict), Shown::plain, Read::at_reload, nullptr,
      "Reload where a join rests on an absent day"},
    K{"consumers", "forget", VTMIRROR_AT(Config, consumers.forget), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(within(c.consumers.forget, std::chrono::seconds(1), std::chrono::days(3650))),
      "A consumer that has not asked for so long is dropped"},

    K{"control", "socket", VTMIRROR_PATH(Config, control.socket), Shown::plain, Read::at_start,
      VTMIRROR_CHECK(socket(c.control.socket)), "Where the daemon answers"},
    K{"control", "group", VTMIRROR_AT(Config, control.group), Shown::plain, Read::at_start, nullptr,
      "Group that may ask; empty: nobody else"},
    K{"control", "metrics", VTMIRROR_AT(Config, control.metrics), Shown::plain, Read::at_start,
      VTMIRROR_CHECK(listen_address(c.control.metrics)), "Address that serves /metrics too"},
    K{"control", "web", VTMIRROR_AT(Config, control.web), Shown::plain, Read::at_start,
      VTMIRROR_CHECK(web_listen_address(c.control.web)), "Address that serves the status page"},

    K{"notify", "mail_to", VTMIRROR_AT(Config, notify.mail_to), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(mail_addresses(c.notify.mail_to)), "Who gets mail"},
    K{"notify", "mail_from", VTMIRROR_AT(Config, notify.mail_from), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(email(c.notify.mail_from, false)), "Sender of that mail"},
    K{"notify", "sendmail", VTMIRROR_PATH(Config, notify.sendmail), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(sendmail(c.notify.sendmail, c.notify.mail_to)), "Program that sends it"},
    K{"notify", "webhook", VTMIRROR_AT(Config, notify.webhook), Shown::masked, Read::at_reload,
      VTMIRROR_CHECK(web_address(c.notify.webhook)), "Address that gets each event as JSON"},
    K{"notify", "webhook_format", VTMIRROR_AT(Config, notify.webhook_format), Shown::plain, Read::at_reload,
      VTMIRROR_CHECK(one_of(c.notify.webhook_format, {"json", "slack", "teams"})), "What that address accepts"},
    K{"notify", "heartbeat", VTMIRROR_AT(Config, notify.heartbeat), Shown::masked, Read::at_reload,
      VTMIRROR_CHECK(web_address(c.notify.heartbeat)), "Address that is asked for after each complete cycle"},
};

const std::array all_hook_keys{
    Key<Hook>{"hook", "on", VTMIRROR_AT(Hook, on), Shown::plain, Read::at_reload,
              +[](const Hook& hook) { return check::hook_events(hook.on); },
              "Events that start the command: chain, published, cycle, warning"},
    Key<Hook>{"hook", "command", VTMIRROR_AT(Hook, command), Shown::masked, Read::at_reload,
              +[](const Hook& hook) { return check::command(hook.command); }, "The program and its arguments"},
    Key<Hook>{"hook", "timeout", VTMIRROR_AT(Hook, timeout), Shown::plain, Read::at_reload,
              +[](const Hook& hook) {
                return check::within(hook.timeout, std::chrono::seconds(1), std::chrono::hours(24 * 7));
              },
              "When the command is ended"},
};

constexpr std::string_view all_tables[] = {"service",   "credentials", "schedule", "mirror", "download",
                                           "consumers", "control",     "notify",   "hook"};

}  // namespace

std::span<const Key<Config>> config_keys() { return all_config_keys; }
std::span<const Key<Hook>> hook_keys() { return all_hook_keys; }
std::span<const std::string_view> config_tables() { return all_tables; }

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
