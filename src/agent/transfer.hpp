// Downloads one file from the store to durable bytes in its partial, by carrying out what `core::Transfer` decides.
// Promises that the partial holds bytes of one object only. Never publishes, never judges the contents, and decides
// nothing about a failure.
#pragma once

#include "agent/connections.hpp"
#include "agent/file_check.hpp"
#include "agent/off_loop.hpp"
#include "agent/partial_writer.hpp"
#include "agent/rate_limit.hpp"
#include "agent/service.hpp"
#include "agent/waits.hpp"
#include "agent/wake.hpp"
#include "vtmirror/agent/agent.hpp"
#include "vtmirror/core/transfer.hpp"
#include "vtmirror/ports/clock.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace vtmirror::agent {

class Publisher;

/// What the work of a cycle shares. Borrowed.
struct CycleResources {
  Ports ports;
  const CycleSettings& settings;
  LinkSupply& links;
  RateLimit& rate;
  Connections& connections;
  Blocks& blocks;
  CatalogueCalls& calls;       ///< waits for a busy catalogue
  CatalogueCalls& watermarks;  ///< does not: a transfer decides what follows
  Publisher& publisher;
  CheckResources checks;
};

class Transfer {
 public:
  /// `partial` is the catalogue's record of the file, or a new record without durable bytes. `check` is notified
  /// of durable bytes.
  Transfer(CycleResources resources, core::PartialRecord partial, FileCheck& check, ports::DownloadProgress& progress);

  /// Downloads what is not durable yet; `fresh` starts from the beginning. Errors: the one that ended it for this
  /// cycle.
  boost::asio::awaitable<base::Result<void>> run(bool fresh);

  /// The current record: identity and durable ranges.
  core::PartialRecord partial() const;

 private:
  using Step = core::TransferStep;
  using Event = core::TransferEvent;

  boost::asio::awaitable<base::Result<void>> open();
  boost::asio::awaitable<base::Result<std::unique_ptr<ports::PartialFile>>> open_file();
  boost::asio::awaitable<base::Result<void>> start_over();
  /// One try to record in the catalogue what must not be lost. Its errors are the catalogue's.
  using Recording = std::function<boost::asio::awaitable<base::Result<void>>()>;
  /// Tries again while another process holds the catalogue's lock, as `core::Transfer` decides. Errors: those of the
  /// last try, and cancelled.
  boost::asio::awaitable<base::Result<void>> until_recorded(Recording recording);
  boost::asio::awaitable<base::Result<void>> keep();

  boost::asio::awaitable<void> work(int connection);
  Step next_step(int connection, ports::Lane& lane, const Event& event);
  boost::asio::awaitable<Event> find_link(int newer_than, base::Secret& url);
  boost::asio::awaitable<Event> ask(ports::Lane& lane, std::string url, Step step);
  boost::asio::awaitable<Event> record();
  boost::asio::awaitable<Event> receive(ports::Lane& lane, int connection, Step step);
  boost::asio::awaitable<Event> expect_end(ports::Lane& lane);
  boost::asio::awaitable<Event> wait(int connection, Step step);
  boost::asio::awaitable<Blocks::Block> acquire_block();
  void pass_on();
  bool pass_on(int connection, FilledBlock& filling);
  boost::asio::awaitable<base::Result<void>> fill(ports::Lane& lane, FilledBlock& into, std::size_t room);
  void count(std::int64_t bytes);
  boost::asio::awaitable<base::Result<void>> skip(ports::Lane& lane, std::int64_t bytes);

  std::int64_t front() const { return decisions_.durable_ranges().front(); }
  Connections::Transfer place();
  void aim(int connections, bool at_once);
  void connect(const std::vector<int>& connections);
  void wake();
  void report(const core::Retried& retried);
  void report_retry(const std::string& why, std::string_view reason, const std::string& then);
  void show();

  CycleResources resources_;
  core::PartialRecord listed_;  ///< name, kind and date; its bytes are tracked in `decisions_`
  core::Transfer decisions_;
  FileCheck& check_;
  ports::DownloadProgress& progress_;
  std::string store_;                    ///< "the store at files.example": of the newest link
  Connections::Place* place_ = nullptr;  ///< while it runs
  bool refused_ = false;                 ///< a request, whose connection has no next step yet
  std::unique_ptr<PartialWriter> writer_;
  TaskGroup workers_;
  std::map<int, ports::Lane*> lanes_;   ///< by connection
  std::map<int, FilledBlock> filling_;  ///< by connection: the block into which it receives
  Waits waits_;                         ///< of connections
};

}  // namespace vtmirror::agent
