// A daemon as a process: lives until it is stopped, or killed between any two calls of disk and catalogue.
// Promises one order of everything: the threads' work is done here too, one call at a time, when the loop has nothing
// ready.
#pragma once

#include "support/memory_storage.hpp"
#include "support/simulated_clock.hpp"
#include "support/temporary_directory.hpp"
#include "vtmirror/agent/consumers.hpp"
#include "vtmirror/agent/daemon.hpp"
#include "vtmirror/agent/outbox.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>

#include <exception>
#include <functional>
#include <optional>
#include <utility>

namespace vtmirror::test {

/// What is outside of every process.
struct Surroundings {
  SimulatedClock& clock;
  ports::Dice& dice;
  ports::Http& http;
  MemoryStorage& storage;
  ports::Journal& journal;
  agent::Watcher& watcher;
  agent::Channels channels{};
};

/// A copy of one that was made once: the migrations would take a seventh of a simulated year.
inline catalogue::Catalogue empty_catalogue() {
  static const TemporaryDirectory directory(TemporaryDirectory::base_in_memory());
  static const auto path = directory.string() + "/catalogue.db";
  static const auto made = catalogue::Catalogue::open(path, catalogue::Access::read_write);
  return catalogue::Catalogue::open_copy(path).value();
}

template <class Value>
using Question = std::function<boost::asio::awaitable<base::Result<Value>>(agent::ConsumerDesk&)>;

class Process {
 public:
  Process(Surroundings around, catalogue::Catalogue remembered, const agent::DaemonSettings& settings)
      : around_(around), catalogue_(std::move(remembered)), pool_(0), busy_(loop_.get_executor()) {
    around.clock.stop = &stop_;
    const agent::Ports parts{loop_.get_executor(),
                             around.clock,
                             around.dice,
                             around.http,
                             around.storage.partials(),
                             around.storage.shelf(),
                             around.journal,
                             stop_,
                             strand_,
                             pool_,
                             pool_,
                             pool_};
    daemon_.emplace(parts, settings, around.watcher);
    desk_.emplace(parts, settings.cycle.consumers);
    const agent::Outbox::Ports notifications{parts.loop, around.clock, around.journal, stop_, strand_};
    outbox_.emplace(notifications, around.channels);
    catalogue_.on_queued([this] { outbox_->wake(); });
    boost::asio::co_spawn(loop_, life(), [](std::exception_ptr failure) {
      if (failure) std::rethrow_exception(failure);
    });
  }
  ~Process() { end(); }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Runs until there is only time to wait for, or until `kill_after` calls were made.
  void settle() {
    while (!dying_ && step())
      if (kill_after && *kill_after <= 0) return;
  }
  /// Settles at each instant that it waits for, and at the last one.
  void live_until(base::Time end) {
    settle();
    while (around_.clock.next_deadline() && *around_.clock.next_deadline() <= end) {
      around_.clock.go_to(*around_.clock.next_deadline());
      settle();
    }
    around_.clock.go_to(end);
    settle();
  }
  bool to_be_killed() const { return kill_after && *kill_after <= 0; }

  /// SIGTERM: the process ends in order. Hands back what its catalogue's file holds.
  catalogue::Catalogue stop() {
    end();
    catalogue_.on_queued({});
    return std::move(catalogue_);
  }

  /// SIGKILL and a power cut. What the dead process's coroutines do while they are unwound reaches neither disk nor
  /// catalogue.
  catalogue::Catalogue kill() {
    catalogue_.on_queued({});
    auto remembered = std::move(catalogue_);
    catalogue_ = empty_catalogue();
    around_.storage.die_at(1);
    end();
    around_.storage.power_cut();
    return remembered;
  }

  /// Asks the desk. A process that ends before it has answered never calls `answered`.
  template <class Value>
  void ask(const Question<Value>& question, std::function<void(base::Result<Value>)> answered) {
    ++questions_;
    boost::asio::co_spawn(loop_, answer<Value>(question(*desk_), std::move(answered)), [](std::exception_ptr failure) {
      if (failure) std::rethrow_exception(failure);
    });
  }
  bool is_asked() const { return questions_ > 0; }

  agent::Daemon& daemon() { return *daemon_; }
  const catalogue::Catalogue& catalogue() const { return catalogue_; }
  const std::optional<base::Result<void>>& ended() const { return ended_; }

  std::optional<int> kill_after;

 private:
  template <class Value>
  boost::asio::awaitable<void> answer(boost::asio::awaitable<base::Result<Value>> work,
                                      std::function<void(base::Result<Value>)> answered) {
    auto value = co_await std::move(work);
    --questions_;
    if (!dying_) answered(std::move(value));
  }

  boost::asio::awaitable<void> life() {
    const auto begun = co_await outbox_->begin();
    if (!begun) {
      ended_ = begun.error();
      co_return;
    }
    boost::asio::co_spawn(loop_, outbox_->run(), [](std::exception_ptr failure) {
      if (failure) std::rethrow_exception(failure);
    });
    ended_ = co_await daemon_->run();
  }

  /// The pool has no threads: its queue is worked off here.
  bool step() {
    const auto ready = loop_.poll();
    boost::system::error_code ignored;
    const auto called = boost::asio::use_service<boost::asio::detail::scheduler>(pool_).poll_one(ignored);
    if (kill_after && called > 0) --*kill_after;
    return ready + called > 0;
  }

  void end() {
    dying_ = true;
    stop_.request();
    while (step()) continue;
  }

  Surroundings around_;
  ports::Stop stop_;
  catalogue::Catalogue catalogue_;
  boost::asio::io_context loop_{1};
  boost::asio::thread_pool pool_;
  agent::CatalogueStrand strand_{pool_, catalogue_};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> busy_;
  std::optional<agent::Daemon> daemon_;
  std::optional<agent::ConsumerDesk> desk_;
  std::optional<agent::Outbox> outbox_;
  std::optional<base::Result<void>> ended_;
  int questions_ = 0;  ///< that wait for their answers
  bool dying_ = false;
};

}  // namespace vtmirror::test
