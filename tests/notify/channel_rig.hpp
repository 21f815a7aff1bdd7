// Sends notices to a channel on a loop of its own, with a network that gives the answer that the test sets.
#pragma once

#include "support/silent_journal.hpp"
#include "support/temporary_directory.hpp"
#include "vtmirror/notify/channels.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>

#include <exception>
#include <optional>
#include <string>
#include <vector>

namespace vtmirror::test {

class ScriptedHttp : public ports::Http {
 public:
  boost::asio::awaitable<base::Result<ports::Response>> exchange(ports::Request request) override {
    requests.push_back(request);
    co_return answer;
  }
  std::unique_ptr<ports::Lane> lane() override { return nullptr; }

  std::vector<ports::Request> requests;
  base::Result<ports::Response> answer = ports::Response{.status = 204};
};

struct ChannelRig {
  notify::Resources resources() { return {loop.get_executor(), pool.get_executor(), http, journal, stop}; }

  base::Result<std::string> log(const std::shared_ptr<ports::Channel>& channel, const core::Notice& notice) {
    std::optional<base::Result<std::string>> result;
    boost::asio::co_spawn(loop, deliver(channel, notice, result), [](std::exception_ptr failure) {
      if (failure) std::rethrow_exception(failure);
    });
    loop.restart();
    loop.run();
    return *result;
  }

  static boost::asio::awaitable<void> deliver(std::shared_ptr<ports::Channel> channel, core::Notice notice,
                                              std::optional<base::Result<std::string>>& result) {
    auto logged = co_await channel->deliver(notice);
    result.emplace(std::move(logged));
  }

  std::shared_ptr<ports::Channel> hook(const std::string& script,
                                       std::chrono::milliseconds timeout = std::chrono::seconds(60)) {
    return notify::make_hook(resources(), {.name = "hook sh",
                                           .command = {"/bin/sh", "-c", script},
                                           .on = {core::Topic::published},
                                           .timeout = timeout,
                                           .directory = "/srv/mirror"});
  }

  std::vector<std::string> output() const {
    std::vector<std::string> lines;
    for (const auto& event : journal.events)
      if (event.kind == ports::EventKind::hook_output) lines.push_back(event.fields.at(1).value);
    return lines;
  }

  std::string in(const std::string& name) const { return (directory / name).string(); }

  TemporaryDirectory directory;
  ports::Stop stop;
  boost::asio::io_context loop;
  boost::asio::thread_pool pool{1};
  ScriptedHttp http;
  SilentJournal journal;
};

inline core::Notice published() {
  core::FileRecord file{.kind = core::Kind::delta, .name = "v1/a.zip", .date = std::chrono::year{2026} / 11 / 18};
  file.size = 42;
  file.published_at = base::parse_time("2026-11-18T08:07:12Z").value();
  auto notice = core::published_notice(file, 7);
  notice.id = "0123abcd";
  return notice;
}

}  // namespace vtmirror::test
