// The settings of vtmirror.toml, typed, each member with its default.
// Contains the paths of the secrets' files, not the secrets; the masked keys may contain a token. Never reads a file or
// the environment.
#pragma once

#include "vtmirror/base/time.hpp"
#include "vtmirror/core/rate.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::settings {

/// "2GiB"
struct Size {
  std::int64_t bytes = 0;
  friend bool operator==(const Size&, const Size&) = default;
};

/// "20MB/s"
struct Rate {
  std::int64_t bytes_a_second = 0;  ///< 0: unlimited
  friend bool operator==(const Rate&, const Rate&) = default;
};

/// "08:00", in the schedule's time zone.
struct TimeOfDay {
  int hour = 0;
  int minute = 0;
  friend bool operator==(const TimeOfDay&, const TimeOfDay&) = default;
};

/// "Mon-Fri 08:00-18:00 5MB/s", in the schedule's time zone.
using RateTable = std::vector<core::RatePeriod>;
inline constexpr std::array<std::string_view, 7> day_names{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};

// Settings that are one of a few words: an enumeration, and the words in the order of its values.

enum class VerifyBy { size, zip };
inline constexpr std::array<std::string_view, 2> verify_words{"size", "zip"};
enum class Digest { sha256, none };
inline constexpr std::array<std::string_view, 2> digest_words{"sha256", "none"};
enum class WebhookFormat { json, slack, teams };
inline constexpr std::array<std::string_view, 3> webhook_formats{"json", "slack", "teams"};

/// What the word stands for. The check of its key refuses any other word, which would be the first value.
template <class Choice, std::size_t count>
constexpr Choice chosen(std::string_view word, const std::array<std::string_view, count>& words) {
  for (std::size_t i = 0; i < count; ++i)
    if (words[i] == word) return static_cast<Choice>(i);
  return Choice{};
}

using Texts = std::vector<std::string>;
using Numbers = std::vector<int>;

/// The operator's program that is started on events.
struct Hook {
  Texts on{"chain"};
  Texts command{};
  std::chrono::seconds timeout = std::chrono::hours(1);
  friend bool operator==(const Hook&, const Hook&) = default;
};

struct Config {
  struct Service {
    std::string base_url{};
    std::string token_url{};
    std::string scope{};
    std::string listing_path = "/v1/trade/vehicles/bulk-download";
    std::string credentials_path = "/v1/trade/credentials";
    std::string credentials_method = "PUT";
    std::string credentials_key_property = "cloudApiKeyValue";
    std::string ca_file{};
    std::string proxy{};
    Texts no_proxy{};
    bool allow_http = false;
  } service{};

  struct Credentials {
    std::string client_id{};
    std::string email{};
    std::string client_secret_file{};
    std::string api_key_file{};
    std::optional<base::Date> secret_expires_on{};
    Numbers warn_days{30, 14};
    bool auto_rotate = false;
  } credentials{};

  struct Schedule {
    TimeOfDay at{8, 0};
    std::string time_zone = "Europe/London";
    std::chrono::seconds splay = std::chrono::minutes(5);
    std::chrono::seconds retry = std::chrono::minutes(10);
    std::chrono::seconds give_up = std::chrono::hours(6);
  } schedule{};

  struct Mirror {
    std::string state_directory{};
    std::string directory{};
    std::string catalogue{};
    Size reserve{std::int64_t{2} << 30};
    int keep_cycles = 0;
    std::string verify = "zip";
    std::chrono::seconds scrub = std::chrono::days(30);
    std::chrono::seconds quarantine = std::chrono::days(14);
    std::string digest = "sha256";
  } mirror{};

  struct Download {
    int parallel_files = 3;
    int connections = 0;
    int connections_max = 32;
    Rate rate_limit{};
    RateTable rate_timetable{};
    std::chrono::seconds stall_timeout{30};
    int attempts = 8;
  } download{};

  struct Consumers {
    std::chrono::seconds lease = std::chrono::days(7);
    std::chrono::seconds reload_every{0};
    bool strict = false;
    std::chrono::seconds forget = std::chrono::days(90);
  } consumers{};

  struct Control {
    std::string socket = "/run/vtmirror/control.sock";
    std::string group = "vtmirror";
    std::string metrics{};
    std::string web{};
  } control{};

  struct Notify {
    Texts mail_to{};
    std::string mail_from{};
    std::string sendmail = "/usr/sbin/sendmail";
    std::string webhook{};
    std::string webhook_format = "json";
    std::string heartbeat{};
  } notify{};

  std::vector<Hook> hooks{};
};

}  // namespace vtmirror::settings
