// Answers of a daemon that does nothing. Each repeats the parameters of its request; `files` can be held back.
// Belongs to the loop's thread once a server uses it.
#pragma once

#include "vtmirror/control/control.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <string>
#include <utility>
#include <vector>

namespace vtmirror::test {

class ScriptedAnswers final : public control::Answers {
 public:
  using Text = base::Result<std::string>;

  explicit ScriptedAnswers(boost::asio::io_context& loop) : gate_(loop, boost::asio::steady_timer::time_point::max()) {}

  std::string status() override { return "{\"state\":\"idle\"}\n"; }
  std::string status_table() override { return "vtmirror is idle\n"; }
  std::string metrics() override { return "vtmirror_up 1\n"; }
  boost::asio::awaitable<Text> files() override {
    ++asked_for_files;
    boost::system::error_code ignored;
    if (hold_files) co_await gate_.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
    co_return files_text;
  }
  boost::asio::awaitable<Text> coverage() override { co_return Text("{\"coverage\":1}\n"); }
  boost::asio::awaitable<Text> history(int newest) override {
    co_return Text("{\"newest\":" + std::to_string(newest) + "}\n");
  }
  boost::asio::awaitable<Text> changes(std::int64_t since) override {
    co_return Text("{\"since\":" + std::to_string(since) + "}\n");
  }
  boost::asio::awaitable<Text> calendar(int days) override {
    co_return Text("{\"days\":" + std::to_string(days) + "}\n");
  }
  boost::asio::awaitable<Text> page(std::optional<base::Date> day) override {
    co_return Text("<h1>" + (day ? base::iso8601(*day) : std::string("newest")) + "</h1>\n");
  }
  std::optional<Asset> asset(std::string_view path) override {
    if (path != "/style.css") return std::nullopt;
    return Asset{"text/css; charset=utf-8", "h1{}"};
  }
  boost::asio::awaitable<Text> plan() override { co_return Text("{\"actions\":[]}\n"); }
  boost::asio::awaitable<Text> removals() override { co_return Text("{\"removals\":[]}\n"); }
  boost::asio::awaitable<Text> prune() override {
    ++prunes;
    co_return Text("{\"removals\":[\"a\"]}\n");
  }
  boost::asio::awaitable<Text> next(std::string consumer, bool may_change) override {
    co_return Text("{\"next\":\"" + consumer + "\",\"kept\":" + (may_change ? "true" : "false") + "}\n");
  }
  boost::asio::awaitable<Text> consumers() override { co_return Text("{\"consumers\":[]}\n"); }
  base::Result<ChainLook> look_at_chain(std::optional<base::Date> day) override {
    ++looks;
    return ChainLook{day.value_or(todays_delta), complete,
                     "{\"through\":\"" + (day ? base::iso8601(*day) : "today") +
                         "\",\"complete\":" + (complete ? "true" : "false") + "}\n"};
  }
  boost::asio::awaitable<base::Result<Outcome>> acknowledge(std::string consumer, std::string ticket) override {
    ++acknowledgements;
    co_return Outcome{"{\"acknowledged\":\"" + consumer + ' ' + ticket + "\"}\n",
                      ticket == "1-1" ? "" : "no such ticket"};
  }
  boost::asio::awaitable<base::Result<Outcome>> forget(std::string consumer) override {
    co_return Outcome{"{\"forgotten\":\"" + consumer + "\"}\n"};
  }
  boost::asio::awaitable<Text> start_cycle() override {
    ++cycles;
    co_return started("cycle");
  }
  boost::asio::awaitable<Text> start_verification(std::vector<std::string> names,
                                                  std::int64_t bytes_a_second) override {
    verified = {std::move(names), bytes_a_second};
    co_return started("verification");
  }
  Text reload() override {
    ++reloads;
    return reload_outcome;
  }

  void release_files() {
    hold_files = false;
    gate_.cancel();
  }

  struct Verified {
    std::vector<std::string> names{};
    std::int64_t bytes_a_second = 0;
  };
  Text files_text = Text("{\"files\":[]}\n");
  base::Result<std::int64_t> start_outcome{7};
  Text reload_outcome = Text("{\"reloaded\":true}\n");
  bool hold_files = false;
  base::Date todays_delta{};
  bool complete = false;
  int looks = 0;
  int asked_for_files = 0;
  int acknowledgements = 0;
  int cycles = 0;
  int reloads = 0;
  Verified verified;
  int prunes = 0;

 private:
  Text started(const std::string& work) const {
    if (!start_outcome) return start_outcome.error();
    return Text("{\"" + work + "\":" + std::to_string(*start_outcome) + "}\n");
  }

  boost::asio::steady_timer gate_;
};

}  // namespace vtmirror::test
