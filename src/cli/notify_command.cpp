#include "cli/commands.hpp"
#include "cli/say.hpp"

#include "vtmirror/host/host.hpp"
#include "vtmirror/report/advice.hpp"
#include "vtmirror/wiring/channels.hpp"
#include "vtmirror/wiring/foreground.hpp"
#include "vtmirror/wiring/machine.hpp"

#include <boost/asio/thread_pool.hpp>

#include <utility>

namespace vtmirror::cli {
namespace {

namespace asio = boost::asio;

core::Notice test_notice(base::Time at) {
  core::Notice notice{.topic = core::Topic::test, .code = std::string(core::name(core::Topic::test))};
  notice.message = "this is a test notification; nothing is wrong";
  notice.at = at;
  // Each test has an ID of its own, so that a receiver does not drop it as a duplicate.
  notice.id = "test-" + std::to_string(at.time_since_epoch().count()) + '-' + std::to_string(::getpid());
  return notice;
}

/// Without the code's text, which says when delivery is retried: a test is not.
std::string words_of(const base::Error& error) { return error.detail.empty() ? error.message() : error.detail; }

/// Prints one line a channel, as soon as its result is known. Sets `all_delivered` to false if a delivery failed.
asio::awaitable<void> try_all(agent::Channels channels, core::Notice notice, ports::Stop& stop, bool& all_delivered) {
  for (const auto& channel : channels) {
    if (stop.requested()) break;
    const auto delivered = co_await channel->deliver(notice);
    if (!delivered) all_delivered = false;
    say_result(channel->name() + ": " + (delivered ? "ok, " + *delivered : "failed, " + words_of(delivered.error())) +
               '\n');
  }
  if (stop.requested()) all_delivered = false;
}

}  // namespace

ExitStatus test_channels(const Arguments& arguments, const settings::Config& config,
                         const settings::Environment& environment) {
  wiring::forbid_core_dumps();  // a webhook's address may hold a secret
  // Hooks run with the daemon's rights, as they will when it starts them.
  if (const auto refused = become_owner(config)) return *refused;
  ports::Stop stop;
  asio::io_context loop;
  const auto clock = host::make_clock(loop, stop);
  const auto journal =
      wiring::stderr_journal(arguments.log_level.value_or(ports::Level::info), arguments.colour, environment);
  asio::thread_pool pool(1);
  const auto http = wiring::channel_http(loop, stop, config);
  if (http.has_error()) return fail(http.error());
  auto channels = wiring::make_channels({loop.get_executor(), pool.get_executor(), **http, *journal, stop}, config);
  if (channels.empty()) {
    say("vtmirror: no notification channel is configured: see [notify] and [[hook]] in vtmirror.toml(5)\n");
    return done;
  }
  bool all_delivered = true;
  wiring::Foreground foreground(loop, stop, *clock, nullptr);
  const auto nothing = []() -> const ports::CycleProgress* { return nullptr; };
  foreground.run(try_all(std::move(channels), test_notice(clock->now()), stop, all_delivered), nothing);
  return status_after(foreground.signal(), all_delivered ? done : failed);
}

}  // namespace vtmirror::cli
