// A server on a socket in a directory of its own, with its loop in a thread of its own.
// Going away, it stops the server and waits until the loop has nothing left to do: what does not end hangs the test.
#pragma once

#include "control/scripted_answers.hpp"
#include "control/server.hpp"
#include "support/temporary_directory.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include <chrono>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

namespace vtmirror::test {

struct Setup {
  control::Rules rules{};
  std::string group{};
  std::string metrics{};
  std::string web{};
};

class Daemon {
 public:
  explicit Daemon(const Setup& setup = {}) : answers(loop_), work_(loop_.get_executor()) {
    const control::ControlSettings settings{path(), setup.group, setup.metrics, setup.web};
    auto made = control::serve_by(setup.rules, loop_, stop_, settings, answers);
    if (!made) throw std::runtime_error(made.error().message());
    server_ = std::move(*made);
    thread_ = std::thread([this] { loop_.run(); });
  }
  ~Daemon() {
    end();
    on_loop([this] { server_.reset(); });
    work_.reset();
    thread_.join();
  }
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  std::string path() const { return (directory_ / "control.sock").string(); }
  std::string directory() const { return directory_.string(); }
  std::uint16_t metrics_port() const { return server_->metrics_port(); }
  std::uint16_t web_port() const { return server_->web_port(); }

  template <class Call>
  std::invoke_result_t<Call> on_loop(Call call) {
    std::packaged_task<std::invoke_result_t<Call>()> task(std::move(call));
    auto outcome = task.get_future();
    boost::asio::post(loop_, [&task] { task(); });
    return outcome.get();
  }
  void publish(const std::string& event, const std::string& json) {
    on_loop([&] { server_->publish(event, json); });
  }
  int followers() {
    return on_loop([this] { return server_->followers(); });
  }
  void end() {
    on_loop([this] { stop_.request(); });
  }

  /// Whether `condition` becomes true within 20 s. It is checked on the loop's thread while the loop runs.
  template <class Condition>
  bool comes_true(Condition condition) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::chrono::steady_clock::now() < until) {
      if (on_loop(condition)) return true;
      std::this_thread::yield();
    }
    return false;
  }
  bool has_followers(int count) {
    return comes_true([this, count] { return server_->followers() == count; });
  }

 private:
  TemporaryDirectory directory_;
  boost::asio::io_context loop_;
  ports::Stop stop_;

 public:
  ScriptedAnswers answers;  ///< on the loop's thread only, or before the first client

 private:
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  std::unique_ptr<control::LocalServer> server_;
  std::thread thread_;
};

}  // namespace vtmirror::test
