#include "wiring/unqueued.hpp"

#include "vtmirror/base/text.hpp"
#include "vtmirror/wiring/channels.hpp"
#include "wiring/full_disk.hpp"
#include "wiring/threads.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <exception>
#include <string>
#include <utility>

namespace vtmirror::wiring {
namespace {

namespace asio = boost::asio;
using asio::awaitable;

constexpr std::chrono::milliseconds between_looks(200);

bool is_end_pending() {
  sigset_t pending;
  sigemptyset(&pending);
  ::sigpending(&pending);
  return sigismember(&pending, SIGINT) == 1 || sigismember(&pending, SIGTERM) == 1;
}

struct Attempts {
  bool over = false;
  bool took_too_long = false;
};

/// Ends the attempts at a signal, or when they take too long.
awaitable<void> watch(ports::Stop& stop, asio::steady_timer& timer, Attempts& attempts,
                      std::chrono::milliseconds longest) {
  const auto end = std::chrono::steady_clock::now() + longest;
  while (!attempts.over && !stop.requested()) {
    const bool is_stopped = is_end_pending();
    attempts.took_too_long = !is_stopped && std::chrono::steady_clock::now() >= end;
    if (is_stopped || attempts.took_too_long) stop.request();
    boost::system::error_code error;
    auto token = asio::redirect_error(asio::use_awaitable, error);
    timer.expires_after(between_looks);
    co_await timer.async_wait(std::move(token));
  }
}

}  // namespace

std::string waiting_sentence(const core::Problem& problem, core::Stage stage, report::Names names) {
  return (stage == core::Stage::over ? "resolved: the start waited for room on the disk: "
                                     : "the start waits for room on the disk: ") +
         report::sentence(problem, names);
}

std::string waiting_line(const core::Problem& problem, base::Milliseconds pause, report::Names names) {
  return waiting_sentence(problem, core::Stage::began, names) + "; what to do: " + report::remedy(problem) +
         "; next try in " + base::human_duration(std::chrono::floor<std::chrono::seconds>(pause));
}

core::Notice waiting_notice(const core::Problem& problem, core::Stage stage, base::Time at) {
  const auto pause = std::chrono::floor<std::chrono::seconds>(full_disk_pause);
  auto notice = report::problem_notice(problem, stage, at,
                                       {.at = at + full_disk_pause, .words = "in " + base::human_duration(pause)});
  notice.message = waiting_sentence(problem, stage);
  notice.id = "start-" + std::to_string(at.time_since_epoch().count()) + '-' + std::to_string(::getpid());
  return notice;
}

awaitable<void> send_unqueued(agent::Channels channels, core::Notice notice, ports::Journal& journal,
                              TookTooLong took_too_long) {
  for (const auto& channel : channels) {
    if (std::ranges::find(channel->topics(), notice.topic) == channel->topics().end()) continue;
    auto sent = co_await channel->deliver(notice);
    if (!sent && sent.error().code == base::Errc::cancelled && took_too_long())
      sent = base::Error{base::Errc::timed_out, "it took too long"};
    ports::Event event{.kind = sent ? ports::EventKind::notice_delivered : ports::EventKind::notice_delayed,
                       .level = sent ? ports::Level::info : ports::Level::warning};
    event.message = sent ? channel->name() + " delivered \"" + notice.message + "\": " + *sent
                         : channel->name() + " could not deliver \"" + notice.message +
                               "\": " + sent.error().message() + "; it is not sent again";
    event.fields = {{"channel", channel->name()}, {"notice", notice.id}, {"code", notice.code}};
    event.fields.push_back(sent ? ports::Field{"result", *sent} : ports::Field{"reason", sent.error().message()});
    journal.log(event);
  }
}

void send_unqueued(const settings::Config& config, core::Notice notice, ports::Journal& journal,
                   std::chrono::milliseconds longest) {
  ports::Stop stop;
  asio::io_context loop;
  const auto http = channel_http(loop, stop, config);
  if (http.has_error()) {
    journal.log({ports::EventKind::notice_delayed,
                 ports::Level::error,
                 "no notice can be delivered: " + http.error().message(),
                 {{"channel", "every channel"}, {"reason", http.error().message()}}});
    return;
  }
  Threads blocking(1);
  auto channels = make_channels({loop.get_executor(), blocking.pool().get_executor(), **http, journal, stop}, config);
  asio::steady_timer timer(loop);
  Attempts attempts;
  auto sending =
      send_unqueued(std::move(channels), std::move(notice), journal, [&attempts] { return attempts.took_too_long; });
  asio::co_spawn(loop, watch(stop, timer, attempts, longest), asio::detached);
  asio::co_spawn(loop, std::move(sending), [&timer, &attempts](std::exception_ptr failure) {
    attempts.over = true;
    timer.cancel();
    if (failure) std::rethrow_exception(failure);
  });
  loop.run();
}

}  // namespace vtmirror::wiring
