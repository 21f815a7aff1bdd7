// An outbox whose process can be ended at any step, over a catalogue in a file and channels that a test commands.
#pragma once

#include "support/jumping_clock.hpp"
#include "support/silent_journal.hpp"
#include "support/temporary_directory.hpp"
#include "vtmirror/agent/outbox.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace vtmirror::test {

/// Delivers every notice unless `refuse` refuses it. Keeps what it delivered, and the time of each attempt.
class ScriptedChannel : public ports::Channel {
 public:
  ScriptedChannel(ports::Clock& clock, std::string name, core::DeliveryOrder order,
                  std::vector<core::Topic> topics = {core::Topic::published, core::Topic::cycle})
      : clock_(clock), name_(std::move(name)), order_(order), topics_(std::move(topics)) {}

  const std::string& name() const override { return name_; }
  const std::vector<core::Topic>& topics() const override { return topics_; }
  core::DeliveryOrder order() const override { return order_; }
  boost::asio::awaitable<base::Result<std::string>> deliver(core::Notice notice) override {
    attempts.push_back(clock_.now());
    const auto loop = co_await boost::asio::this_coro::executor;
    co_await boost::asio::post(loop, boost::asio::use_awaitable);  // a moment in which it can be killed
    const auto refusal = refuse ? refuse(notice) : std::optional<base::Error>();
    if (refusal) co_return *refusal;
    taken.push_back(notice);
    co_await boost::asio::post(loop, boost::asio::use_awaitable);
    co_return "taken";
  }

  std::function<std::optional<base::Error>(const core::Notice&)> refuse;  ///< the error of an attempt; unset: none
  std::vector<core::Notice> taken;
  std::vector<base::Time> attempts;

 private:
  ports::Clock& clock_;
  std::string name_;
  core::DeliveryOrder order_;
  std::vector<core::Topic> topics_;
};

struct OutboxRig {
  /// What dies with a process.
  struct Process {
    Process(OutboxRig& r, const agent::Channels& channels)
        : rig(r), outbox({loop.get_executor(), rig.clock, rig.journal, stop, strand}, channels) {}
    ~Process() {
      rig.catalogue.on_queued({});
      pool.join();
    }
    void spawn(boost::asio::awaitable<void> work) {
      boost::asio::co_spawn(loop, std::move(work), [](std::exception_ptr failure) {
        if (failure) std::rethrow_exception(failure);
      });
    }
    OutboxRig& rig;
    ports::Stop stop;
    // Outlives the loop: a coroutine that is dropped with the loop may hold a strand of it.
    boost::asio::thread_pool pool{2};
    agent::CatalogueStrand strand{pool, rig.reader};
    boost::asio::io_context loop;
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> stays{loop.get_executor()};
    agent::Outbox outbox;
  };

  OutboxRig()
      : path((directory / "catalogue.db").string()),
        catalogue(catalogue::Catalogue::open(path, catalogue::Access::read_write).value()),
        reader(catalogue::Catalogue::open(path, catalogue::Access::read_write).value()) {}

  std::shared_ptr<ScriptedChannel> channel(const std::string& name,
                                           core::DeliveryOrder order = core::DeliveryOrder::by_due) {
    return std::make_shared<ScriptedChannel>(clock, name, order);
  }

  std::unique_ptr<Process> start(const agent::Channels& channels) {
    auto process = std::make_unique<Process>(*this, channels);
    bool begun = false;
    process->spawn(begin(process->outbox, begun));
    run_until(*process, [&begun] { return begun; });
    process->spawn(process->outbox.run());
    auto& loop = process->loop;
    auto& outbox = process->outbox;
    catalogue.on_queued([&loop, &outbox] { boost::asio::post(loop, [&outbox] { outbox.wake(); }); });
    return process;
  }

  /// Runs the loop until `reached` returns true. If it never does, the test's time limit ends the run.
  static void run_until(Process& process, const std::function<bool()>& reached) {
    while (!reached()) process.loop.run_one();
  }

  /// Requests a stop, and returns when the outbox has ended.
  static void stop(Process& process) {
    process.stop.request();
    run_to_the_end(process);
  }
  static void run_to_the_end(Process& process) {
    process.stays.reset();
    process.loop.run();
  }

  void publish(int number) {
    core::FileRecord file{.kind = core::Kind::delta, .name = "file-" + std::to_string(number) + ".zip"};
    file.date = std::chrono::year{2026} / 11 / 18;
    file.published_at = clock.now();
    const auto generation = catalogue.publish(file).value();
    if (!catalogue.keep_written(generation)) throw std::runtime_error("its generation was not recorded");
  }

  bool all_delivered() const { return catalogue.deliveries().value().empty(); }

  static boost::asio::awaitable<void> begin(agent::Outbox& outbox, bool& begun) {
    const auto subscribed = co_await outbox.begin();
    if (!subscribed) throw std::runtime_error(subscribed.error().message());
    begun = true;
  }

  TemporaryDirectory directory{TemporaryDirectory::base_in_memory()};
  std::string path;
  JumpingClock clock;
  SilentJournal journal;
  catalogue::Catalogue catalogue;  ///< the test's own connection: queues notices, and reads while the outbox works
  catalogue::Catalogue reader;     ///< the outbox's connection
};

inline std::vector<std::string> files_of(const std::vector<core::Notice>& notices) {
  std::vector<std::string> files;
  for (const auto& notice : notices) files.push_back(std::get<std::string>(notice.fields.front().value));
  return files;
}

}  // namespace vtmirror::test
