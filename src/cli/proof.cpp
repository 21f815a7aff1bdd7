#include "cli/proof.hpp"

#include "cli/say.hpp"
#include "cli/service_session.hpp"
#include "vtmirror/agent/trial.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/base/url.hpp"
#include "vtmirror/core/listing.hpp"
#include "vtmirror/report/advice.hpp"
#include "vtmirror/report/sentence.hpp"

#include <boost/asio/awaitable.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace vtmirror::cli {
namespace {

using boost::asio::awaitable;

void good(const std::string& what) { say_result("  ok  " + what + '\n'); }

/// Whether the other side answered, so that its name and its certificate are valid although the request failed.
bool was_answered(const base::Error& error) {
  using base::Errc;
  return error.code != Errc::unreachable && error.code != Errc::timed_out && error.code != Errc::tls &&
         error.code != Errc::cancelled && error.code != Errc::config && error.code != Errc::io;
}

void good_host(const std::string& address) {
  const auto url = base::parse_url(address);
  if (!url) return;
  good(url->endpoint() + (url->tls ? " answers, and its certificate is valid" : " answers"));
}

/// ": 8 files, 37.7 GB: bulk 15 Nov, delta 15 Nov to delta 21 Nov"; empty if no entry can be used.
std::string contents(const core::Listing& listing) {
  if (listing.entries.empty()) return {};
  const auto bytes = std::accumulate(listing.entries.begin(), listing.entries.end(), std::int64_t{0},
                                     [](std::int64_t sum, const core::Entry& entry) { return sum + entry.size; });
  auto text = ": " + base::counted(std::ssize(listing.entries), "file") + ", " + base::human_size(bytes) + ": ";
  text += core::short_name(listing.entries.front().name);
  if (listing.entries.size() > 1) text += ", " + core::short_name(listing.entries.at(1).name);
  if (listing.entries.size() > 2) text += " to " + core::short_name(listing.entries.back().name);
  if (!listing.refused.empty()) text += "; " + std::to_string(listing.refused.size()) + " more that cannot be read";
  return text;
}

/// No setting is wrong then, but nothing could be downloaded.
ExitStatus fail_refused_entries(const core::Listing& listing) {
  const auto& first = listing.refused.front();
  const auto count = std::ssize(listing.refused);
  say("vtmirror: " +
      (count == 1 ? std::string("the only entry of the listing cannot be used: ")
                  : "none of the " + std::to_string(count) + " entries of the listing can be used; the first is ") +
      core::short_name(first.name) + ": " + first.why + '\n' +
      "vtmirror: " + std::string(report::remedy(core::ProblemCode::refused_entry)) + '\n');
  return failed;
}

/// Of sizes. What is more than any disk has stays so.
std::int64_t sum(std::int64_t a, std::int64_t b) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  return a > most - b ? most : a + b;
}

/// What the listed files need of the disk beside what is there already, in bytes; the reserve included.
std::int64_t needed(const settings::Config& config, const core::Listing& listing) {
  auto bytes = config.mirror.reserve.bytes;
  for (const auto& entry : listing.entries) {
    std::error_code error;
    const auto held = std::filesystem::file_size(config.mirror.directory + '/' + entry.name, error);
    if (error || static_cast<std::int64_t>(held) != entry.size) bytes = sum(bytes, entry.size);
  }
  return bytes;
}

/// The mirror's directory, or the nearest one above it that exists.
std::filesystem::path nearest_directory(std::filesystem::path path) {
  std::error_code error;
  while (!std::filesystem::exists(path, error) && path.has_relative_path()) path = path.parent_path();
  return path;
}

/// Looks without writing: nothing is made here, and what is missing may be made by the first cycle.
bool prove_writing(const std::string& key, const std::string& place) {
  const auto directory = nearest_directory(place).string();
  if (::faccessat(AT_FDCWD, directory.c_str(), W_OK | X_OK, AT_EACCESS) == 0) return true;
  const int number = errno;
  say("vtmirror: " + key + " cannot be written: " + directory + ": " + std::generic_category().message(number) + '\n' +
      "vtmirror: " + report::advice_on_unwritable(key, number == EROFS) + '\n');
  return false;
}

/// In the order in which a cycle uses them.
bool prove_disk(const settings::Config::Mirror& mirror) {
  return prove_writing("mirror.state_directory", mirror.state_directory) &&
         prove_writing("mirror.catalogue", std::filesystem::path(mirror.catalogue).parent_path().string()) &&
         prove_writing("mirror.directory", mirror.directory);
}

bool prove_space(const settings::Config& config, const core::Listing& listing) {
  std::error_code error;
  const auto space = std::filesystem::space(nearest_directory(config.mirror.directory), error);
  if (error) {
    say("vtmirror: the free space of " + config.mirror.directory + " is not known: " + error.message() + '\n');
    return false;
  }
  const auto free = static_cast<std::int64_t>(space.available);
  const auto needs = needed(config, listing);
  const auto text = config.mirror.directory + " has " + base::human_size(free) + " free; the listed files need " +
                    base::human_size(needs) + " with mirror.reserve";
  if (free >= needs) {
    good(text);
    return true;
  }
  say("vtmirror: " + text + ": " + base::human_size(needs - free) + " short\n" +
      "vtmirror: make room there, or set another mirror.directory\n");
  return false;
}

/// `service` must outlive this. Sets `listing`, or `failure`.
awaitable<void> ask(agent::RequestPorts ports, const agent::ServiceSettings& service,
                    std::optional<core::Listing>& listing, std::optional<base::Error>& failure) {
  auto token = co_await agent::try_secret(ports, service);
  if (token || was_answered(token.error())) good_host(service.token_url);
  if (!token) {
    failure = token.error();
    co_return;
  }
  good("the client secret is right: a token for " + base::human_duration(token->lifetime));
  auto listed = co_await agent::try_key(ports, service, std::move(token->text));
  if (listed || was_answered(listed.error())) good_host(service.base_url);
  if (!listed) {
    failure = listed.error();
    co_return;
  }
  good("the API key is right" + contents(*listed));
  listing = std::move(*listed);
}

}  // namespace

ExitStatus prove(const Arguments& arguments, const settings::Config& config, const wiring::Secrets& secrets,
                 const settings::Environment& environment) {
  auto session = ServiceSession::open(arguments, config, environment);
  if (!session) return fail(session.error());
  const auto service = wiring::service_settings(config, secrets);
  std::optional<core::Listing> listing;
  std::optional<base::Error> failure;
  (*session)->run(ask((*session)->asking(), service, listing, failure));
  if (failure) return status_after((*session)->signal(), fail(*failure));
  if (!listing) return status_after((*session)->signal(), failed);
  if (listing->entries.empty()) return fail_refused_entries(*listing);
  return prove_disk(config.mirror) && prove_space(config, *listing) ? done : failed;
}

}  // namespace vtmirror::cli
